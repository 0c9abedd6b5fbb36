/** Draws a class from the smoothed counts of a leaf, among those that may come out. */
import type { RandomStream } from '../../../numerics/random/stream.ts';
import { evenUniforms } from '../shared/evenUniforms.ts';
import { BESIDE_MISSING, BESIDE_THERE, type LinkDraw } from './fitLink.ts';
import { SMOOTHING_ROWS } from './leafCounts.ts';
import { weighLeaves } from './standIns.ts';

/**
 * A function that draws the class of a row (0: missing), evenly within large leaves: their shares come out as they are, those
 * of withheld levels under others' names.
 * Smoothing gives a leaf other levels, and no missing cells where it has none, nor levels where it has nothing else, nor
 * beside a missing cell a level that never stood beside one: what is missing exactly when stays so.
 */
export function classDrawer(
  { link, leaves, determining, fallback, sides }: LinkDraw,
  random: RandomStream,
): (row: number) => number {
  const { from, classes } = link.leaves;
  const { released, follows } = link;
  const { weights, rows, unplaced } = weighLeaves(link.leaves, released);
  const [any, there] = [weigh(fallback), weigh(fallback.with(0, 0))];
  const beyond = Array.from({ length: from.length - 1 }, (_, leaf) => {
    const own = classes.subarray(from[leaf]!, from[leaf + 1]!).filter((one) => released[one]);
    if (!own.includes(0) || unplaced[leaf]! > 0) return there;
    return own.length > 1 ? any : ONLY_MISSING;
  });
  const mayStand = (row: number, one: number): boolean =>
    sides.every((classes, at) => {
      const side = classes[row] === 0 ? BESIDE_MISSING : BESIDE_THERE;
      return (link.sides[at]!.beside[one]! & side) !== 0;
    });
  /** Undefined where nothing that may stand in the row came. */
  const drawBeyond = (row: number): number | undefined => {
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const one = drawFrom(beyond[leaves[row]!]!, random.uniform());
      if (mayStand(row, one)) return one;
    }
    return undefined;
  };
  const uniforms = evenUniforms(leaves, from.length - 1, random);
  return (row) => {
    const followed = determining && follows ? (follows.to[determining[row]!] ?? -1) : -1;
    if (followed >= 0 && released[followed]) return followed;
    const leaf = leaves[row]!;
    let left = uniforms[row]! * (rows[leaf]! + unplaced[leaf]! + SMOOTHING_ROWS);
    if (left >= rows[leaf]!) {
      const one = drawBeyond(row);
      if (one !== undefined) return one;
      left = random.uniform() * rows[leaf]!;
    }
    for (let k = from[leaf]!; k < from[leaf + 1]!; k++) {
      if (weights[k] === 0) continue;
      if (left < weights[k]!) return classes[k]!;
      left -= weights[k]!;
    }
    return drawFrom(beyond[leaf]!, random.uniform());
  };
}

/** Draws of a level that may stand in a row, at most. */
const MOST_TRIES = 20;

/** Rows of each class, and of all. */
const weigh = (counts: Int32Array) => ({ counts, rows: counts.reduce((sum, count) => sum + count, 0) });

const ONLY_MISSING = weigh(Int32Array.of(1));

/** The class at `share` (in [0, 1)) of the rows; 0 where there are none. */
function drawFrom({ counts, rows }: ReturnType<typeof weigh>, share: number): number {
  let left = share * rows;
  let last = 0;
  for (let one = 0; one < counts.length; one++) {
    const count = counts[one]!;
    if (count === 0) continue;
    if (left < count) return one;
    left -= count;
    last = one;
  }
  return last;
}
