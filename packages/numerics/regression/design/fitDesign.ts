import type { RandomStream } from '../../random/stream.ts';
import { ascendingRows, takeNumbers } from '../../rows.ts';
import { finish, type Steps } from '../../steps.ts';
import { applyDesign, requirePredictors, takePredictors } from './applyDesign.ts';
import { type Design, Draft, type NumericPredictor, type Part, type Predictor } from './design.ts';
import { draftPairs } from './draftPairs.ts';
import { countLevels, draftLeaves, draftLevels, draftNumber, type LeafSettings, MIN_LEVEL_ROWS } from './draftParts.ts';
import { findAliased } from './findAliased.ts';
import { fitNumberScale, standardise } from './numberScale.ts';

/** Response on the linear predictor's scale (n, finite), and row counts. */
export interface WorkingResponse {
  values: Float64Array;
  weights: Float64Array | null;
}

/**
 * Fits a design without aliased columns, deterministically given the stream. Throws a RangeError for different lengths,
 * repeated names or a nonfinite response. n rows, p columns.
 */
export const fitDesign = (
  predictors: readonly Predictor[],
  response: WorkingResponse,
  options: Partial<DesignOptions>,
  random: RandomStream,
): Design => finish(fitDesignInSteps(predictors, response, options, random));

export function* fitDesignInSteps(
  predictors: readonly Predictor[],
  { values, weights }: WorkingResponse,
  options: Partial<DesignOptions>,
  random: RandomStream,
): Steps<Design> {
  const chosen = { ...DESIGN_DEFAULTS, ...options };
  requirePredictors(predictors, values.length);
  const rows = trainingRows(values.length, weights, chosen.trainingRows, random);
  const sampled = takePredictors(predictors, rows);
  const response = standardisedResponse(values, rows);
  const draft = new Draft();
  const admitted = yield* draftMains(draft, sampled, response, rows.length, chosen);
  const isConstant = response.every((value) => value === 0);
  if (!isConstant) yield* addPairs(draft, admitted, response, chosen);
  const leaves = leavesFor(rows.length, draft.columns.length, chosen);
  const halves = chosen.halves && Uint8Array.from(rows, (row) => chosen.halves![row]!);
  if (leaves && !isConstant) draftLeaves(draft, admitted, { response, halves }, leaves);
  yield;
  return yield* settleDesign(draft, sampled, rows.length, halves);
}

/** Selects numbers by their main effects, so the choice does not depend on pairs. */
function* addPairs(
  draft: Draft,
  predictors: readonly Predictor[],
  response: Float64Array,
  options: DesignOptions,
): Steps<void> {
  const n = response.length;
  const room = pairRoom(n, draft.columns.length, options);
  if (room < 1) return;
  const strongest = admitNumbers(predictors, response, MAX_PAIRED);
  const numbers = predictors.filter((own): own is NumericPredictor => own.kind === 'numeric' && strongest.has(own));
  const columns = draft.columns.map(({ name, perUnit }) => ({ name, perUnit, sd: 0 }));
  const matrix = applyDesign({ columns, parts: draft.parts }, predictors, n);
  yield;
  draftPairs(draft, numbers, { matrix, response }, room);
  yield;
}

function* draftMains(
  draft: Draft,
  predictors: readonly Predictor[],
  response: Float64Array,
  n: number,
  options: DesignOptions,
): Steps<Predictor[]> {
  const room = Math.floor(MAIN_SHARE * options.maxColumns);
  const numbers = admitNumbers(predictors, response, Math.floor(room / 2));
  const levels = admitLevels(predictors, room - 2 * numbers.size);
  const knots = knotsFor(n, numbers.size, options);
  for (const predictor of predictors) {
    yield;
    if (predictor.kind === 'category') draftLevels(draft, predictor, levels.get(predictor.name) ?? 0);
    else if (numbers.has(predictor)) draftNumber(draft, predictor, knots);
    else draft.drop(predictor.name, `there is room for ${numbers.size} numeric predictors, and others say more`);
  }
  yield;
  return predictors.filter((predictor) => predictor.kind === 'category' || numbers.has(predictor));
}

function standardisedResponse(values: Float64Array, rows: Int32Array): Float64Array {
  const at = values.findIndex((value) => !Number.isFinite(value));
  if (at >= 0) throw new RangeError(`the response of row ${at} is ${values[at]}, not a finite number`);
  const out = takeNumbers(values, rows);
  // Squares of 1e300 overflow.
  const largest = out.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  if (largest === 0) return out;
  let sum = 0;
  for (let i = 0; i < out.length; i++) {
    out[i]! /= largest;
    sum += out[i]!;
  }
  const mean = sum / out.length;
  let squares = 0;
  for (const value of out) squares += (value - mean) ** 2;
  const sd = Math.sqrt(squares / out.length);
  return sd > 1e-12 * Math.abs(mean) ? out.map((value) => (value - mean) / sd) : out.fill(0);
}

function admitNumbers(predictors: readonly Predictor[], response: Float64Array, room: number): Set<Predictor> {
  const numbers = predictors.filter((predictor) => predictor.kind === 'numeric');
  if (numbers.length <= room) return new Set(numbers);
  const strength = new Map(numbers.map((predictor) => [predictor, correlation(predictor, response)]));
  return new Set(numbers.sort((a, b) => strength.get(b)! - strength.get(a)!).slice(0, room));
}

/** Missing cells are at the mean. */
function correlation({ values }: NumericPredictor, response: Float64Array): number {
  const scale = fitNumberScale(values);
  if (!scale) return 0;
  let sum = 0;
  for (let row = 0; row < values.length; row++) {
    if (Number.isFinite(values[row]!)) sum += standardise(scale, values[row]!) * response[row]!;
  }
  return Math.abs(sum) / values.length;
}

function admitLevels(predictors: readonly Predictor[], room: number): Map<string, number> {
  const counts = predictors.flatMap((predictor) =>
    predictor.kind === 'category'
      ? countLevels(predictor).map(({ rows }, rank) => ({ name: predictor.name, rows, rank }))
      : [],
  );
  const admitted = new Map<string, number>();
  const worthy = counts.filter(({ rows, rank }) => rows >= MIN_LEVEL_ROWS || rank === 0);
  for (const { name } of worthy.sort((a, b) => b.rows - a.rows).slice(0, Math.max(0, room))) {
    admitted.set(name, (admitted.get(name) ?? 0) + 1);
  }
  return admitted;
}

function* settleDesign(
  draft: Draft,
  predictors: readonly Predictor[],
  n: number,
  halves: Uint8Array | null,
): Steps<Design> {
  const bare = draft.columns.map(({ name, perUnit }) => ({ name, perUnit, sd: 0 }));
  const x = applyDesign({ columns: bare, parts: draft.parts }, predictors, n, halves);
  yield;
  const pooled = draft.columns.map(() => false);
  for (const pool of draft.pools) for (const column of pool.columns) pooled[column] = true;
  const names = bare.map(({ name }) => name);
  const { dropped, sds } = findAliased(x, pooled, names);
  const kept = bare.map((_, j) => j).filter((j) => !dropped.has(j));
  const newIndexOf = new Map(kept.map((j, index) => [j, index]));
  const renumber = (index: number): number => (index < 0 ? index : (newIndexOf.get(index) ?? -1));
  const pools = draft.pools.map(({ name, columns, sds: priorSds }) => ({
    name,
    columns: columns.map(renumber).filter((index) => index >= 0),
    sds: priorSds.filter((_, k) => renumber(columns[k]!) >= 0),
  }));
  return {
    columns: kept.map((j) => ({ ...bare[j]!, sd: sds[j]! })),
    pools: pools.filter(({ columns }) => columns.length > 0),
    parts: draft.parts.map((part) => renumberPart(part, renumber)),
    dropped: [...draft.dropped, ...Array.from(dropped, ([j, reason]) => ({ name: names[j]!, reason }))],
  };
}

function renumberPart(part: Part, renumber: (column: number) => number): Part {
  if (part.kind === 'number') {
    return {
      ...part,
      slope: renumber(part.slope),
      missing: renumber(part.missing),
      splineColumns: part.splineColumns.map(renumber),
    };
  }
  if (part.kind === 'leaves') return { ...part, places: part.places.map((places) => places.map(renumber)) };
  if (part.kind === 'pairs') {
    const pairs = part.pairs.map((pair) => ({ ...pair, places: pair.places.map(renumber) }));
    return { ...part, pairs };
  }
  return {
    ...part,
    places: part.places.map(renumber),
    missing: renumber(part.missing),
    unseen: { ...part.unseen, places: part.unseen.places.map(renumber) },
  };
}

export interface DesignOptions {
  maxColumns: number;
  /** Maximum rows fitted. */
  trainingRows: number;
  maxKnots: number;
  /** Maximum rows for pairs of numbers; 0 for none. */
  pairRows: number;
  /** Maximum trees; 0 for none. */
  trees: number;
  maxDepth: number;
  learningRate: number;
  /** Half of each row for cross-fitting; null uses all rows. */
  halves: Uint8Array | null;
}

const DESIGN_DEFAULTS: Readonly<DesignOptions> = {
  maxColumns: 700,
  trainingRows: 100_000,
  maxKnots: 12,
  pairRows: 2_000,
  trees: 30,
  maxDepth: 5,
  learningRate: 0.4,
  halves: null,
};

/** Maximum share for slopes, indicators and levels. */
const MAIN_SHARE = 0.6;
const SPLINE_SHARE = 0.3;
const ROWS_A_SPLINE_COLUMN = 8;
const MAX_PAIRED = 12;
/** Dense columns cost time. The limit per row includes main effects. */
const MAX_PAIR_COLUMNS = 150;
const PAIRED_COLUMNS_A_ROW = 2 / 3;
/** Rows per leaf column, and minimum leaves worth growing. */
const ROWS_A_LEAF = 25;
const MIN_LEAVES = 20;
const MIN_LEAF_ROWS = 20;
const ROWS_A_LEAF_ROW = 800;

/** Knots per number, about n^(1/3); below 3, no splines. */
function knotsFor(n: number, numbers: number, { maxColumns, maxKnots }: DesignOptions): number {
  const room = Math.min(SPLINE_SHARE * maxColumns, n / ROWS_A_SPLINE_COLUMN);
  return Math.min(maxKnots, Math.floor(Math.cbrt(n)) + 2, 2 + Math.floor(room / Math.max(1, numbers)));
}

const pairRoom = (n: number, used: number, { maxColumns, pairRows }: DesignOptions): number =>
  n > pairRows ? 0 : Math.min(MAX_PAIR_COLUMNS, Math.min(maxColumns, PAIRED_COLUMNS_A_ROW * n) - used);

function leavesFor(n: number, used: number, options: DesignOptions): LeafSettings | undefined {
  const room = Math.floor(Math.min(options.maxColumns - used, n / ROWS_A_LEAF));
  if (room < MIN_LEAVES || options.trees < 1) return undefined;
  const trees = Math.min(options.trees, Math.floor(room / 3));
  const maxLeaves = Math.min(2 ** options.maxDepth, 1 + Math.floor(room / trees));
  const { maxDepth, learningRate } = options;
  return { trees, maxLeaves, maxDepth, learningRate, minLeafRows: MIN_LEAF_ROWS + Math.floor(n / ROWS_A_LEAF_ROW) };
}

/**
 * Ascending rows of positive weight. Beyond `limit` or for unequal weights, a systematic sample, perhaps with repeats.
 */
export function trainingRows(n: number, weights: Float64Array | null, limit: number, random: RandomStream): Int32Array {
  const counting = rowsThatCount(n, weights);
  const first = weights?.[counting[0]!] ?? 1;
  const isEven = !weights || counting.every((row) => weights[row] === first);
  if (isEven && counting.length <= limit) return counting;
  const size = Math.min(counting.length, limit);
  const weightOf = (row: number) => (weights ? weights[row]! : 1);
  const total = counting.reduce((sum, row) => sum + weightOf(row), 0);
  const rows = new Int32Array(size);
  let next = random.uniform();
  let at = 0;
  let passed = weightOf(counting[0]!);
  for (let i = 0; i < size; i++, next++) {
    while (passed / total <= next / size && at < counting.length - 1) passed += weightOf(counting[++at]!);
    rows[i] = counting[at]!;
  }
  return rows;
}

/** Throws a RangeError unless weights have a positive finite sum. */
function rowsThatCount(n: number, weights: Float64Array | null): Int32Array {
  const all = ascendingRows(n);
  if (!weights) return all;
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  if (!(total > 0 && Number.isFinite(total))) throw new RangeError(`weights sum to ${total}, not to a positive number`);
  return all.filter((row) => weights[row]! > 0);
}
