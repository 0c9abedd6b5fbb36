/**
 * One ridge regression for all rows of a small table: a column's normal scores on earlier numbers' scores and levels.
 * It needs fewer weights than leaves.
 */
import { z } from 'zod';
import { cholesky, dot, solveCholesky } from '../../../numerics/linalg/dense.ts';
import { takeNumbers } from '../../../numerics/rows.ts';
import type { FeatureTable } from '../../../numerics/trees/features.ts';
import type { SeenColumn } from '../categorical/features.ts';
import { float64Schema } from '../shared/savedArrays.ts';
import { scoreOf } from './normalScores.ts';

export const columnLineSchema = z.object({
  /** One weight per score or class, most informative column first; the last columns may have none. */
  weights: z.array(float64Schema),
});
export type ColumnLine = z.infer<typeof columnLineSchema>;

/** n scores (0 if missing) or classes (-1 has no weight). */
export type Regressor = { scores: Float64Array } | { classes: Int32Array; kinds: number };

const ROWS_A_WEIGHT = 10;
const MAX_WEIGHTS = 200;
/** Ridge penalty, in rows. */
const RIDGE = 1;

/** @param uOf maps a number's name to its u in `table`. */
export const regressorsOf = (
  given: readonly SeenColumn[],
  { features }: FeatureTable,
  uOf: (name: string) => Float64Array | undefined,
): Regressor[] =>
  features.map((feature, at) => {
    if (feature.kind === 'category') return { classes: feature.codes, kinds: feature.levels };
    const u = uOf(given[at]!.name);
    if (!u) throw new RangeError(`no u of column ${JSON.stringify(given[at]!.name)}`);
    return { scores: u.map((own) => (Number.isNaN(own) ? 0 : scoreOf(own))) };
  });

export const takeRegressors = (regressors: readonly Regressor[], rows: Int32Array): Regressor[] =>
  regressors.map((own) =>
    'scores' in own
      ? { scores: takeNumbers(own.scores, rows) }
      : { ...own, classes: Int32Array.from(rows, (row) => own.classes[row]!) },
  );

const widthOf = (own: Regressor): number => ('scores' in own ? 1 : own.kinds);

export function fitColumnLine(regressors: readonly Regressor[], scores: Float64Array): ColumnLine {
  const taken = firstOf(regressors, Math.min(MAX_WEIGHTS, Math.floor(scores.length / ROWS_A_WEIGHT)));
  const starts = taken.map((_, k) => taken.slice(0, k).reduce((sum, own) => sum + widthOf(own), 0));
  const p = taken.reduce((sum, own) => sum + widthOf(own), 0);
  const { products, moments } = momentsOf(taken, starts, scores, p);
  for (let i = 0; i < p; i++) products[i * p + i]! += RIDGE;
  const factor = cholesky(products, p);
  const weights = factor ? solveCholesky(factor, p, moments) : new Float64Array(p);
  return { weights: taken.map((own, k) => weights.slice(starts[k]!, starts[k]! + widthOf(own))) };
}

function firstOf(regressors: readonly Regressor[], most: number): Regressor[] {
  let left = most;
  const beyond = regressors.findIndex((own) => {
    left -= widthOf(own);
    return left < 0;
  });
  return beyond < 0 ? [...regressors] : regressors.slice(0, beyond);
}

/** Returns the lower triangle of XᵀX (p × p), and Xᵀ times centred scores. */
function momentsOf(taken: readonly Regressor[], starts: readonly number[], scores: Float64Array, p: number) {
  const products = new Float64Array(p * p);
  const moments = new Float64Array(p);
  const mean = scores.reduce((sum, score) => sum + score, 0) / scores.length;
  const centred = { scores: scores.map((score) => score - mean) };
  taken.forEach((own, k) => {
    addProducts(moments, { own: centred, at: 0 }, { own, at: starts[k]! }, 0);
    for (let l = 0; l < k; l++) addProducts(products, { own, at: starts[k]! }, { own: taken[l]!, at: starts[l]! }, p);
    addSquares(products, own, starts[k]!, p);
  });
  return { products, moments };
}

interface PlacedRegressor {
  own: Regressor;
  at: number;
}

/** Adds a block of XᵀX with rows `stride` apart. */
function addProducts(out: Float64Array, high: PlacedRegressor, low: PlacedRegressor, stride: number): void {
  const first = high.at * stride + low.at;
  if ('scores' in high.own) {
    if ('scores' in low.own) out[first]! += dot(high.own.scores, low.own.scores);
    else addByClass(out, low.own, high.own.scores, first, 1);
  } else if ('scores' in low.own) addByClass(out, high.own, low.own.scores, first, stride);
  else addPairs(out, high.own, low.own, first, stride);
}

type Classes = Extract<Regressor, { classes: Int32Array }>;

function addByClass(out: Float64Array, { classes }: Classes, scores: Float64Array, first: number, step: number): void {
  for (let row = 0; row < classes.length; row++) {
    const one = classes[row]!;
    if (one >= 0) out[first + one * step]! += scores[row]!;
  }
}

function addPairs(out: Float64Array, high: Classes, low: Classes, first: number, stride: number): void {
  for (let row = 0; row < high.classes.length; row++) {
    const [one, other] = [high.classes[row]!, low.classes[row]!];
    if (one >= 0 && other >= 0) out[first + one * stride + other]!++;
  }
}

/** Classes exclude each other, so this fills only the diagonal. */
function addSquares(out: Float64Array, own: Regressor, start: number, p: number): void {
  const first = start * (p + 1);
  if ('scores' in own) out[first]! += dot(own.scores, own.scores);
  else for (const one of own.classes) if (one >= 0) out[first + one * (p + 1)]!++;
}

export function liftsOf({ weights }: ColumnLine, regressors: readonly Regressor[], rows: number): Float64Array {
  const lifts = new Float64Array(rows);
  weights.forEach((own, k) => {
    const regressor = regressors[k]!;
    if ('scores' in regressor) for (let row = 0; row < rows; row++) lifts[row]! += own[0]! * regressor.scores[row]!;
    else for (let row = 0; row < rows; row++) lifts[row]! += own[regressor.classes[row]!] ?? 0;
  });
  return lifts;
}
