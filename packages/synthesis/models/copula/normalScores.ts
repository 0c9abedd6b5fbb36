/**
 * Within a leaf a column may still rise or fall with the most informative number: a line on the scale of normal scores,
 * so that what is far out in one is far out in the other. Ranks are then those of the distances from the line.
 */
import { z } from 'zod';
import { cholesky, dot, solveCholesky } from '../../../numerics/linalg/dense.ts';
import { normalCdf, normalQuantile } from '../../../numerics/special/normal.ts';
import type { JsonValue } from '../model.ts';
import { float64Schema, saveArray } from '../shared/savedArrays.ts';

export const slopesSchema = z.object({
  /** The column on the line's other axis; it is made before. */
  along: z.string(),
  /** By leaf: the line's slope, 0 where there is none, its centre, and the scores between which it was fitted. */
  slope: float64Schema,
  centre: float64Schema,
  low: float64Schema,
  high: float64Schema,
});
export type LeafSlopes = z.infer<typeof slopesSchema>;

/** (slope / standard error)² that a line needs. */
const MIN_F = 9;
const MIN_ROWS = 10;
/** A leaf with an atom of more than this share of all rows has no line, which would smear the atom. */
const MAX_ATOM = 0.02;
/** A u nearer to an end than this counts as this far from it. */
const MIN_U = 1e-7;

/** Normal score of u. */
export const scoreOf = (u: number): number => normalQuantile(Math.min(1 - MIN_U, Math.max(MIN_U, u)));

/** A number beside a column: the scores of n rows, NaN where its cell is missing. */
export interface NumberScores {
  name: string;
  scores: Float64Array;
}

/** Rows of a column: n of each. `along`: scores of the other column, NaN where its cell is missing. */
export interface SlopeTask {
  name: string;
  leafOf: Int32Array;
  leaves: number;
  from: Float64Array;
  upTo: Float64Array;
  along: Float64Array;
}

/** Lines of the leaves that have one. */
export function fitSlopes({ name, leafOf, leaves, from, upTo, along }: SlopeTask): LeafSlopes {
  const groups: number[][] = Array.from({ length: leaves }, () => []);
  leafOf.forEach((leaf, row) => {
    groups[leaf]!.push(row);
  });
  const [slope, centre, low, high] = [0, 1, 2, 3].map(() => new Float64Array(leaves)) as [
    Float64Array,
    Float64Array,
    Float64Array,
    Float64Array,
  ];
  groups.forEach((group, leaf) => {
    if (group.some((row) => upTo[row]! - from[row]! > MAX_ATOM)) return;
    const rows = group.filter((row) => !Number.isNaN(along[row]!));
    const x = rows.map((row) => along[row]!);
    const line = fitLine(
      x,
      rows.map((row) => scoreOf((from[row]! + upTo[row]!) / 2)),
    );
    if (!line) return;
    slope[leaf] = line.slope;
    centre[leaf] = line.centre;
    low[leaf] = Math.min(...x);
    high[leaf] = Math.max(...x);
  });
  return { along: name, slope, centre, low, high };
}

/** Least squares; undefined where there are too few rows or chance would explain the slope. */
function fitLine(x: readonly number[], y: readonly number[]): { slope: number; centre: number } | undefined {
  const n = x.length;
  if (n < MIN_ROWS) return undefined;
  const centre = x.reduce((sum, value) => sum + value, 0) / n;
  const level = y.reduce((sum, value) => sum + value, 0) / n;
  let [xx, xy, yy] = [0, 0, 0];
  for (let i = 0; i < n; i++) {
    xx += (x[i]! - centre) ** 2;
    xy += (x[i]! - centre) * (y[i]! - level);
    yy += (y[i]! - level) ** 2;
  }
  const explained = xx > 0 ? (xy * xy) / xx : 0;
  const isClear = explained * (n - 2) > MIN_F * (yy - explained);
  return isClear ? { slope: xy / xx, centre } : undefined;
}

/** The score by which the line lifts a row of a leaf; 0 where there is no line, or nothing to go along. */
export function liftOf({ slope, centre, low, high }: LeafSlopes, leaf: number, along: number): number {
  if (slope[leaf] === 0 || Number.isNaN(along)) return 0;
  return slope[leaf]! * (Math.min(high[leaf]!, Math.max(low[leaf]!, along)) - centre[leaf]!);
}

/** The u that lies `by` scores above another one. */
export const lifted = (u: number, by: number): number => (by === 0 ? u : normalCdf(scoreOf(u) + by));

export const saveSlopes = ({ along, slope, centre, low, high }: LeafSlopes): JsonValue => ({
  along,
  slope: saveArray(slope),
  centre: saveArray(centre),
  low: saveArray(low),
  high: saveArray(high),
});

// How a column goes with those made before it, as correlations of normal scores. Trees and vine bend where they can
// and lose a little of each line; of rows that stand for the whole table a column's scores are moved along those of
// the others until they correlate as in the data.

/** Columns made before, and how the column correlates with each; and with the upper and the lower tail of some of them. */
export const scoreCorrelationsSchema = z.object({
  of: z.array(z.string()),
  correlations: float64Schema,
  /** Two correlations a column, NaN where it has no such tail. */
  tails: z
    .object({ of: z.array(z.string()), correlations: float64Schema })
    .default({ of: [], correlations: new Float64Array(0) }),
});
export type ScoreCorrelations = z.infer<typeof scoreCorrelationsSchema>;

/** Columns that a column is brought to, at most: those that it goes with most. */
const MAX_CORRELATED = 12;
/** Columns whose tails count, at most; the score at which a tail begins, with 4 % of the rows; and rows that fill one. */
const MAX_TAILED = 4;
const TAIL_SCORE = 1.75;
const MIN_TAIL_ROWS = 2_000;
/** A column that correlates more with another follows it in the tails too, and a move would take it off. */
const NEAR_FUNCTION = 0.97;
/** Rows from which on correlations stand out from chance. */
const MIN_SCORED_ROWS = 200;
/** Spread of normal scores below which they are one number and its rounding. */
const MIN_SPREAD = 1e-9;
/** A move changes the spread too, so that the first one falls a little short. */
const ROUNDS = 2;
/** Added to the correlations of the others with themselves: where two of them say the same, neither moves the column far. */
const RIDGE = 0.02;

/** By column: normal scores of n rows, of mean 0 and variance 1; null where a cell is missing or all are one. */
export type ScoresByName = ReadonlyMap<string, Float64Array | null>;

const NONE: ScoreCorrelations = {
  of: [],
  correlations: new Float64Array(0),
  tails: { of: [], correlations: new Float64Array(0) },
};

/** @param scores n, by `standardScores`. A column with a missing cell is correlated with none. */
export function fitCorrelations(scores: Float64Array | null, earlier: ScoresByName): ScoreCorrelations {
  if (!scores || scores.length < MIN_SCORED_ROWS) return NONE;
  const found = [...earlier].flatMap(([name, others]) =>
    others ? [{ name, others, correlation: meanProduct(scores, others) }] : [],
  );
  const kept = found.sort((a, b) => Math.abs(b.correlation) - Math.abs(a.correlation)).slice(0, MAX_CORRELATED);
  const isNearFunction = Math.abs(kept[0]?.correlation ?? 0) > NEAR_FUNCTION;
  const tailed = scores.length < MIN_TAIL_ROWS || isNearFunction ? [] : kept.slice(0, MAX_TAILED);
  const ofTails = tailed.flatMap(({ others }) =>
    tailsOf(others).map((tail) => (tail ? meanProduct(scores, tail) : Number.NaN)),
  );
  return {
    of: kept.map(({ name }) => name),
    correlations: Float64Array.from(kept, ({ correlation }) => correlation),
    tails: { of: tailed.map(({ name }) => name), correlations: Float64Array.from(ofTails) },
  };
}

/** How far each row is in the upper and in the lower tail, at mean 0 and variance 1; null where no row is. */
const tailsOf = (scores: Float64Array): (Float64Array | null)[] =>
  [1, -1].map((side) => standard(scores.map((score) => Math.max(0, side * score - TAIL_SCORE))));

/** u (n), moved; as it is where rows are few, a cell is missing, or there is no correlation. */
export function restoreCorrelations(u: Float64Array, wanted: ScoreCorrelations, before: ScoresByName): Float64Array {
  if (wanted.of.length === 0 || u.length < MIN_SCORED_ROWS) return u;
  const own = standardScores(u);
  const goals = own && goalsOf(wanted, before, u.length);
  const factor = goals && cholesky(correlationsOf(goals.map(({ scores }) => scores)), goals.length);
  if (!factor) return u;
  let moved = own;
  for (let round = 0; round < ROUNDS; round++) {
    const short = Float64Array.from(goals, ({ scores, correlation }) => correlation - meanProduct(moved, scores));
    const moves = solveCholesky(factor, goals.length, short);
    const next = moved.slice();
    goals.forEach(({ scores }, k) => {
      for (let row = 0; row < next.length; row++) next[row]! += moves[k]! * scores[row]!;
    });
    moved = standard(next) ?? moved;
  }
  return moved.map(normalCdf);
}

/** What a column is to correlate with; null where one of the columns is not there in every row. */
function goalsOf({ of, correlations, tails }: ScoreCorrelations, before: ScoresByName, rows: number) {
  const goals: { scores: Float64Array; correlation: number }[] = [];
  for (const [k, name] of of.entries()) {
    const scores = before.get(name);
    if (!scores) return null;
    goals.push({ scores, correlation: correlations[k]! });
  }
  if (rows < MIN_TAIL_ROWS) return goals;
  tails.of.forEach((name, k) => {
    tailsOf(before.get(name)!).forEach((scores, side) => {
      const correlation = tails.correlations[2 * k + side]!;
      if (scores && !Number.isNaN(correlation)) goals.push({ scores, correlation });
    });
  });
  return goals;
}

/** The correlations of all pairs, row-major, with the ridge. */
function correlationsOf(scores: readonly Float64Array[]): Float64Array {
  const n = scores.length;
  const matrix = new Float64Array(n * n);
  scores.forEach((one, i) => {
    for (let j = 0; j <= i; j++) matrix[i * n + j] = i === j ? 1 + RIDGE : meanProduct(one, scores[j]!);
  });
  return matrix;
}

/** Null where a cell is missing, or all are one. */
export const standardScores = (u: Float64Array): Float64Array | null => standard(u.map(scoreOf));

/** The values at mean 0 and variance 1; null where they do not vary beyond rounding. */
function standard(values: Float64Array): Float64Array | null {
  const n = values.length;
  let [sum, squares] = [0, 0];
  for (let i = 0; i < n; i++) sum += values[i]!;
  const mean = sum / n;
  for (let i = 0; i < n; i++) squares += (values[i]! - mean) ** 2;
  const spread = Math.sqrt(squares / n);
  if (!(spread > MIN_SPREAD)) return null;
  const out = new Float64Array(n);
  for (let i = 0; i < n; i++) out[i] = (values[i]! - mean) / spread;
  return out;
}

const meanProduct = (a: Float64Array, b: Float64Array): number => dot(a, b) / a.length;

export const saveCorrelations = ({ of, correlations, tails }: ScoreCorrelations): JsonValue => ({
  of: [...of],
  correlations: saveArray(correlations),
  tails: { of: [...tails.of], correlations: saveArray(tails.correlations) },
});
