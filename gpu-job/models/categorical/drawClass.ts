/** Draws a class from the smoothed counts of a leaf, among those that may come out. */
import type { RandomStream } from '../../../numerics/random/stream.ts';
import { evenUniforms } from '../shared/evenUniforms.ts';
import type { LinkDraw } from './fitLink.ts';
import { SMOOTHING_ROWS } from './leafCounts.ts';

/** A function that draws the class of a row (0: missing), evenly within large leaves: their shares come out as they are. */
export function classDrawer(
  { link, leaves, determining, fallback }: LinkDraw,
  random: RandomStream,
): (row: number) => number {
  const { from, classes, counts } = link.leaves;
  const { released, follows } = link;
  const marginSum = fallback.reduce((sum, count) => sum + count, 0);
  const weights = Float64Array.from({ length: from.length - 1 }, (_, leaf) => {
    let rows = 0;
    for (let k = from[leaf]!; k < from[leaf + 1]!; k++) if (released[classes[k]!]) rows += counts[k]!;
    return rows;
  });
  const fromMargin = (): number => drawFrom(fallback, random.uniform() * marginSum);
  const uniforms = evenUniforms(leaves, from.length - 1, random);
  return (row) => {
    const followed = determining && follows ? (follows.to[determining[row]!] ?? -1) : -1;
    if (followed >= 0 && released[followed]) return followed;
    const leaf = leaves[row]!;
    const rows = weights[leaf]!;
    let left = uniforms[row]! * (rows + SMOOTHING_ROWS);
    if (left >= rows) return marginSum > 0 ? fromMargin() : 0;
    for (let k = from[leaf]!; k < from[leaf + 1]!; k++) {
      const one = classes[k]!;
      if (!released[one]) continue;
      if (left < counts[k]!) return one;
      left -= counts[k]!;
    }
    return fromMargin();
  };
}

function drawFrom(counts: Int32Array, at: number): number {
  let left = at;
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
