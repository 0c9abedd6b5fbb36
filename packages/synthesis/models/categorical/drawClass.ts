/** Draws a class from the smoothed counts of a leaf, or by its associations, among those that may be released. */
import { shuffledRows } from '../../../numerics/random/draws.ts';
import type { RandomStream } from '../../../numerics/random/stream.ts';
import { drawInto, rakeClasses, redistributedRows, weigher } from './classWeights.ts';
import {
  BESIDE_MISSING,
  BESIDE_THERE,
  type ConditionalDraw,
  type ConditionalModel,
  type LeafCounts,
  SMOOTHING_ROWS,
} from './conditionalModel.ts';

/**
 * A function that draws the class of a row (0: missing).
 * @param isWhole whether the rows stand for the whole table: then each class has its share of them.
 */
export const classDrawer = (draw: ConditionalDraw, random: RandomStream, isWhole = false): ((row: number) => number) =>
  draw.probabilities ? associationDrawer(draw, draw.probabilities, random, isWhole) : leafDrawer(draw, random);

function associationDrawer(
  { model, sides }: ConditionalDraw,
  probabilities: Float64Array,
  random: RandomStream,
  isWhole: boolean,
): (row: number) => number {
  const { released } = model;
  const { margin } = model.leaves;
  const kinds = released.length;
  const weigh = weigher(margin, released);
  const rows = Int32Array.from({ length: probabilities.length / kinds }, (_, row) => row);
  const weights = new Float64Array(probabilities.length);
  for (const row of rows) {
    const own = probabilities.subarray(row * kinds, (row + 1) * kinds);
    const may = own.map((p, one) => (mayStand(model, sides, row, one) ? p : 0));
    weights.set(may.some((p) => p > 0) ? may : own, row * kinds);
    weigh(weights, row * kinds);
  }
  const all = margin.reduce((sum, count) => sum + count, 0);
  if (isWhole && rows.length > 0) {
    const shares = Float64Array.from(margin, (count) => count / all);
    weigh(shares, 0);
    rakeClasses(
      weights,
      shares.map((share) => share * rows.length),
    );
  }
  const codes = new Int32Array(rows.length);
  drawInto(codes, rows, weights, random);
  return (row) => codes[row]! + 1;
}

/** Whether a class has ever stood beside what the row has in the columns that say where it is missing. */
const mayStand = (model: ConditionalModel, sides: readonly Int32Array[], row: number, one: number): boolean =>
  sides.every((classes, at) => {
    const side = classes[row] === 0 ? BESIDE_MISSING : BESIDE_THERE;
    return (model.sides[at]!.beside[one]! & side) !== 0;
  });

/**
 * A function that draws the class of a row (0: missing), evenly within large leaves: their shares are exact, those
 * of suppressed levels under others' names.
 * Smoothing gives a leaf other levels, and no missing cells where it has none, nor levels where it has nothing else, nor
 * beside a missing cell a level that never stood beside one: what is missing exactly when stays so.
 */
function leafDrawer(
  { model, leaves, determining, fallback, sides }: ConditionalDraw,
  random: RandomStream,
): (row: number) => number {
  const { from, classes } = model.leaves;
  const { released, follows } = model;
  const { weights, rows, leftOver } = weighLeaves(model.leaves, released);
  const [any, there] = [weigh(fallback), weigh(fallback.with(0, 0))];
  const beyond = Array.from({ length: from.length - 1 }, (_, leaf) => {
    const own = classes.subarray(from[leaf]!, from[leaf + 1]!).filter((one) => released[one]);
    if (!own.includes(0) || leftOver[leaf]! > 0) return there;
    return own.length > 1 ? any : ONLY_MISSING;
  });
  /** Undefined where nothing that may stand in the row came. */
  const drawBeyond = (row: number): number | undefined => {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const one = drawFrom(beyond[leaves[row]!]!, random.uniform());
      if (mayStand(model, sides, row, one)) return one;
    }
    return undefined;
  };
  const uniforms = stratifiedUniforms(leaves, from.length - 1, random);
  return (row) => {
    const followed = determining && follows ? (follows.to[determining[row]!] ?? -1) : -1;
    if (followed >= 0 && released[followed]) return followed;
    const leaf = leaves[row]!;
    let left = uniforms[row]! * (rows[leaf]! + leftOver[leaf]! + SMOOTHING_ROWS);
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
const MAX_TRIES = 20;

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

/** How many rows each entry of the leaves is drawn for. */
interface LeafWeights {
  /** One an entry of `LeafCounts`; 0 where the class may not come out. */
  weights: Float64Array;
  /** By leaf: their sum, and the suppressed rows that no level of the leaf is given. */
  rows: Float64Array;
  leftOver: Float64Array;
}

/**
 * The suppressed rows of a leaf go to its own levels, as far as they are among the rarest, else to all that it has: what never
 * stood together is not brought together. Missing cells are given none.
 */
export function weighLeaves(leaves: LeafCounts, released: readonly boolean[]): LeafWeights {
  const { from, classes, counts, margin } = leaves;
  const redistributed = redistributedRows(margin, released);
  const weights = Float64Array.from(counts, (count, k) => (released[classes[k]!] ? count : 0));
  const rows = new Float64Array(from.length - 1);
  const leftOver = new Float64Array(from.length - 1);
  for (let leaf = 0; leaf < rows.length; leaf++) {
    const entries = Array.from({ length: from[leaf + 1]! - from[leaf]! }, (_, i) => from[leaf]! + i);
    const suppressed = sumOver(entries, (k) => (released[classes[k]!] ? 0 : counts[k]!));
    const levels = entries.filter((k) => released[classes[k]!] && classes[k]! > 0);
    const rare = levels.map((k) => (counts[k]! * redistributed[classes[k]!]!) / margin[classes[k]!]!);
    const shares = rare.some((share) => share > 0) ? rare : levels.map((k) => counts[k]!);
    const all = shares.reduce((sum, share) => sum + share, 0);
    if (all === 0) leftOver[leaf] = suppressed;
    else if (suppressed > 0) {
      for (const [i, k] of levels.entries()) weights[k]! += (suppressed * shares[i]!) / all;
    }
    rows[leaf] = sumOver(entries, (k) => weights[k]!);
  }
  return { weights, rows, leftOver };
}

const sumOver = (entries: readonly number[], of: (k: number) => number): number =>
  entries.reduce((sum, k) => sum + of(k), 0);

// Uniform numbers that are stratified within groups: of m rows of a group each m-th part of [0, 1) has one (stratified
// sampling).

/** Rows of a group from which on its numbers are stratified: with few, all of them together would repeat the rows that the group was fitted to. */
const MIN_ROWS = 100;

/** n numbers in [0, 1), each uniform; `groupOf` (n) says to which of `groups` a row belongs. */
export function stratifiedUniforms(groupOf: Int32Array, groups: number, random: RandomStream): Float64Array {
  const sizes = new Int32Array(groups);
  for (const group of groupOf) sizes[group]!++;
  const strata = Array.from(sizes, (size) => (size < MIN_ROWS ? null : shuffledRows(size, random)));
  const next = new Int32Array(groups);
  const out = new Float64Array(groupOf.length);
  for (let row = 0; row < out.length; row++) {
    const group = groupOf[row]!;
    const own = strata[group];
    out[row] = own ? (own[next[group]!++]! + random.uniform()) / own.length : random.uniform();
  }
  return out;
}
