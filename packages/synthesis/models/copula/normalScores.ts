/**
 * Lines within leaves: normal scores regressed on those of the most informative number, so extremes coincide. Ranks
 * are those of the residuals.
 */
import { z } from 'zod';
import { cholesky, dot, solveCholesky } from '../../../numerics/linalg/dense.ts';
import { normalCdf, normalQuantile } from '../../../numerics/special/normal.ts';
import { float64Schema } from '../shared/savedArrays.ts';

export const slopesSchema = z.object({
  along: z.string(),
  /** Slope (0 without a line), centre and range of scores per leaf. */
  slope: float64Schema,
  centre: float64Schema,
  low: float64Schema,
  high: float64Schema,
});
export type LeafSlopes = z.infer<typeof slopesSchema>;

/** Minimum squared t statistic. */
const MIN_F = 9;
const MIN_ROWS = 10;
/** A line would smear a heavier atom. */
const MAX_ATOM = 0.02;
/** Minimum distance of u from 0 and 1. */
const MIN_U = 1e-7;

export const scoreOf = (u: number): number => normalQuantile(Math.min(1 - MIN_U, Math.max(MIN_U, u)));

export interface NumberScores {
  name: string;
  scores: Float64Array;
}

/** n rows; `along` has the regressor's scores, NaN if missing. */
export interface SlopeTask {
  name: string;
  leafOf: Int32Array;
  leaves: number;
  from: Float64Array;
  upTo: Float64Array;
  along: Float64Array;
}

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

/** Returns undefined if rows are too few or chance explains the slope. */
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

/** Returns a row's lift along its leaf's line. */
export function liftOf({ slope, centre, low, high }: LeafSlopes, leaf: number, along: number): number {
  if (slope[leaf] === 0 || Number.isNaN(along)) return 0;
  return slope[leaf]! * (Math.min(high[leaf]!, Math.max(low[leaf]!, along)) - centre[leaf]!);
}

export const lifted = (u: number, by: number): number => (by === 0 ? u : normalCdf(scoreOf(u) + by));

// Trees and vine weaken correlations. If rows represent the table, scores are moved along other columns' until they
// correlate as in the data.

/** Correlations with earlier columns, and with tails of some. */
export const scoreCorrelationsSchema = z.object({
  of: z.array(z.string()),
  correlations: float64Schema,
  /** Upper and lower per column, NaN without that tail. */
  tails: z
    .object({ of: z.array(z.string()), correlations: float64Schema })
    .default({ of: [], correlations: new Float64Array(0) }),
});
export type ScoreCorrelations = z.infer<typeof scoreCorrelationsSchema>;

const MAX_CORRELATED = 12;
/** Maximum columns with tails, score at which tails begin (4 % of rows), and minimum rows. */
const MAX_TAILED = 4;
const TAIL_SCORE = 1.75;
const MIN_TAIL_ROWS = 2_000;
/** Above this correlation tails follow too, and a move would break that. */
const NEAR_FUNCTION = 0.97;
/** Fewer rows correlate by chance. */
const MIN_SCORED_ROWS = 200;
/** Smaller spreads are rounding errors. */
const MIN_SPREAD = 1e-9;
/** A move changes the spread, so one round falls short. */
const ROUNDS = 2;
/** Keeps near duplicates from moving the column far. */
const RIDGE = 0.02;

/** Standardised normal scores (n); null if cells are missing or equal. */
export type ScoresByName = ReadonlyMap<string, Float64Array | null>;

const NONE: ScoreCorrelations = {
  of: [],
  correlations: new Float64Array(0),
  tails: { of: [], correlations: new Float64Array(0) },
};

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

const tailsOf = (scores: Float64Array): (Float64Array | null)[] =>
  [1, -1].map((side) => standard(scores.map((score) => Math.max(0, side * score - TAIL_SCORE))));

/** Moves u (n) to the wanted correlations, unless rows are few or cells missing. */
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

function correlationsOf(scores: readonly Float64Array[]): Float64Array {
  const n = scores.length;
  const matrix = new Float64Array(n * n);
  scores.forEach((one, i) => {
    for (let j = 0; j <= i; j++) matrix[i * n + j] = i === j ? 1 + RIDGE : meanProduct(one, scores[j]!);
  });
  return matrix;
}

/** Returns null if cells are missing or equal. */
export const standardScores = (u: Float64Array): Float64Array | null => standard(u.map(scoreOf));

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
