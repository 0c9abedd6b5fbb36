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
 * Returns a function that draws a row's class (0: missing).
 * @param isWhole rakes class shares if rows represent the table.
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

const mayStand = (model: ConditionalModel, sides: readonly Int32Array[], row: number, one: number): boolean =>
  sides.every((classes, at) => {
    const side = classes[row] === 0 ? BESIDE_MISSING : BESIDE_THERE;
    return (model.sides[at]!.beside[one]! & side) !== 0;
  });

/**
 * Stratifies draws within large leaves. Smoothing adds no missing cells to leaves without them, no levels to leaves of
 * missing cells, and no unseen combinations with missing cells.
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

const MAX_TRIES = 20;

const weigh = (counts: Int32Array) => ({ counts, rows: counts.reduce((sum, count) => sum + count, 0) });

const ONLY_MISSING = weigh(Int32Array.of(1));

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

interface LeafWeights {
  weights: Float64Array;
  /** Per leaf: sum of weights, and suppressed rows without a level. */
  rows: Float64Array;
  leftOver: Float64Array;
}

/** Gives suppressed rows to a leaf's rarest levels, else to all, which adds no combinations or missing cells. */
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

// Each m-th part of [0, 1) gets one of a group's m numbers (stratified sampling).

/** Stratifying smaller groups would repeat the fitted rows. */
const MIN_ROWS = 100;

/** Returns n uniforms in [0, 1). */
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
