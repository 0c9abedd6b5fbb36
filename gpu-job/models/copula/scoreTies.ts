/**
 * How a column goes with those made before it, as correlations of normal scores. Trees and vine bend where they can and lose
 * a little of each line; of rows that stand for the whole table a column's scores are moved along those of the others until
 * they correlate as in the data.
 */
import { z } from 'zod';
import { cholesky, solveCholesky } from '../../../numerics/linalg/cholesky.ts';
import { normalCdf } from '../../../numerics/special/normal.ts';
import type { JsonValue } from '../model.ts';
import { float64Schema, saveArray } from '../shared/savedArrays.ts';
import { scoreOf } from './leafSlopes.ts';

/** Columns made before, and how the column correlates with each. */
export const scoreTiesSchema = z.object({ of: z.array(z.string()), correlations: float64Schema });
export type ScoreTies = z.infer<typeof scoreTiesSchema>;

/** Columns that a column is brought to, at most: those that it goes with most. */
const MOST_TIES = 12;
/** Rows from which on correlations are told from chance. */
const LEAST_ROWS = 200;
/** Of normal scores: below, they are one number and its rounding. */
const LEAST_SPREAD = 1e-9;
/** A move changes the spread too, so that the first one falls a little short. */
const ROUNDS = 2;
/** Added to the correlations of the others with themselves: where two of them say the same, neither moves the column far. */
const RIDGE = 0.02;

/** Of columns by name: normal scores of n places, of mean 0 and variance 1; null where a cell is missing or all are one. */
export type ScoresByName = ReadonlyMap<string, Float64Array | null>;

/** @param scores n, by `standardScores`. Columns with a missing cell are tied to none. */
export function fitTies(scores: Float64Array | null, earlier: ScoresByName): ScoreTies {
  if (!scores || scores.length < LEAST_ROWS) return { of: [], correlations: new Float64Array(0) };
  const found = [...earlier].flatMap(([name, others]) =>
    others ? [{ name, correlation: meanProduct(scores, others) }] : [],
  );
  const kept = found.sort((a, b) => Math.abs(b.correlation) - Math.abs(a.correlation)).slice(0, MOST_TIES);
  return {
    of: kept.map(({ name }) => name),
    correlations: Float64Array.from(kept, ({ correlation }) => correlation),
  };
}

/** The places (n) moved; as they are where rows are few, a cell is missing, or nothing is tied. */
export function bringTies(places: Float64Array, { of, correlations }: ScoreTies, before: ScoresByName): Float64Array {
  if (of.length === 0 || places.length < LEAST_ROWS) return places;
  const scores = of.map((name) => before.get(name) ?? null).filter((one) => one !== null);
  const own = standardScores(places);
  if (!own || scores.length < of.length) return places;
  const factor = cholesky(correlationsOf(scores), of.length);
  if (!factor) return places;
  let moved = own;
  for (let round = 0; round < ROUNDS; round++) {
    const missing = correlations.map((wanted, k) => wanted - meanProduct(moved, scores[k]!));
    const moves = solveCholesky(factor, of.length, missing);
    const next = moved.slice();
    scores.forEach((one, k) => {
      for (let row = 0; row < next.length; row++) next[row]! += moves[k]! * one[row]!;
    });
    moved = standard(next) ?? moved;
  }
  return moved.map(normalCdf);
}

/** Row-major, with the ridge. */
function correlationsOf(scores: readonly Float64Array[]): Float64Array {
  const n = scores.length;
  const matrix = new Float64Array(n * n);
  scores.forEach((one, i) => {
    for (let j = 0; j <= i; j++) matrix[i * n + j] = i === j ? 1 + RIDGE : meanProduct(one, scores[j]!);
  });
  return matrix;
}

/** Null where a cell is missing, or all are one. */
export const standardScores = (places: Float64Array): Float64Array | null => standard(places.map(scoreOf));

/** Of mean 0 and variance 1; null where they do not vary beyond rounding. */
function standard(values: Float64Array): Float64Array | null {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const spread = Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length);
  return spread > LEAST_SPREAD ? values.map((value) => (value - mean) / spread) : null;
}

function meanProduct(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let row = 0; row < a.length; row++) sum += a[row]! * b[row]!;
  return sum / a.length;
}

export const saveTies = ({ of, correlations }: ScoreTies): JsonValue => ({
  of: [...of],
  correlations: saveArray(correlations),
});
