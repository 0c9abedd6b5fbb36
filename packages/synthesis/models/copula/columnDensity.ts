/** Boosted probabilities of bins of a column's u, given earlier columns; u is uniform within bins except for lines. */
import { z } from 'zod';
import type { RandomStream } from '../../../numerics/random/stream.ts';
import { firstAtLeast } from '../../../numerics/search.ts';
import { normalCdf } from '../../../numerics/special/normal.ts';
import type { Steps } from '../../../numerics/steps.ts';
import type { FeatureTable } from '../../../numerics/trees/features.ts';
import { eachProbabilities, meansOf } from '../../../numerics/trees/walkTrees.ts';
import { marginSchema, numberAt } from '../../disclosure/margin.ts';
import { bySteps, type Task } from '../../tasks/task.ts';
import { featuresOf, type SeenColumn, seenColumnSchema } from '../categorical/features.ts';
import type { ModelTable } from '../model.ts';
import { type CrossFittedMean, classTreesSchema, fitBoosted, orderedFeatures } from '../shared/boosting.ts';
import { float64Schema } from '../shared/savedArrays.ts';
import { binLinesSchema, fitBinLines, type LineScores, levelPlace, liftPlace } from './binLines.ts';
import { type NumberScores, scoreOf } from './normalScores.ts';

export const columnDensitySchema = z.object({
  given: z.array(seenColumnSchema),
  /** Upper ends of bins, ascending to 1. */
  ends: float64Schema,
  trees: classTreesSchema,
  /** Mean of the normal score, the trees' last feature. */
  mean: classTreesSchema.nullable().default(null),
  lines: binLinesSchema.nullable().default(null),
  /** Margin of the mean's residuals, if bins divide those. */
  left: marginSchema.nullable().default(null),
});
export type ColumnDensity = z.infer<typeof columnDensitySchema>;

/** Rows per bin, and limits; few rounds halve the maximum, since rows are many. */
const ROWS_A_BIN = 150;
const MAX_BINS = 64;
const MIN_BINS = 10;
const FEW_ROUNDS = 100;
/** Minimum mean rows per bin without an atom. */
const MIN_BIN_ROWS = 10;

/** Present cells; `kept` rows grow trees, `held` rows stop them early. */
export interface DensityTask {
  given: readonly SeenColumn[];
  features: FeatureTable;
  from: Float64Array;
  upTo: Float64Array;
  alongside: readonly NumberScores[];
  kept: Int32Array;
  held: Int32Array;
  rounds: number;
  mean: CrossFittedMean | null;
}

/** Yields after each round. */
export function* fitDensity(task: DensityTask, random: RandomStream): Steps<ColumnDensity> {
  const { given, from, upTo, alongside, kept, held, rounds, mean } = task;
  const ends = binEnds(task);
  const classes = from.map((low, row) => firstAtLeast(ends, (low + upTo[row]!) / 2));
  const features = withMeans(orderedFeatures(given, task.features), mean?.means);
  const target = { features, classes: Int32Array.from(classes), kinds: ends.length, order: 'smooth' as const };
  const trees = yield* fitBoosted({ ...target, rows: kept.slice().sort(), apart: held.slice().sort(), rounds }, random);
  const lines = fitBinLines({ ends, bins: target.classes, from, upTo, rows: kept, alongside });
  return { given: [...given], ends, trees, mean: mean?.trees ?? null, lines, left: null };
}

export function* densityFeatures(
  { given, mean }: Pick<ColumnDensity, 'given' | 'mean'>,
  table: FeatureTable,
): Steps<FeatureTable> {
  const features = orderedFeatures(given, table);
  return mean ? withMeans(features, yield* meansOf(mean, features)) : features;
}

const withMeans = ({ rows, features }: FeatureTable, means: Float64Array | undefined): FeatureTable => ({
  rows,
  features: means ? [...features, { kind: 'numeric', values: means }] : features,
});

/** Returns ranks in the rows' own distributions (n, in (0, 1)), made uniform. `spread` has a random u within atoms. */
export function* ranksIn(
  { ends, given, trees, lines }: ColumnDensity,
  { features, from, upTo, alongside, mean }: Pick<DensityTask, 'features' | 'from' | 'upTo' | 'alongside' | 'mean'>,
  spread: Float64Array,
): Steps<Float64Array> {
  const places = new Float64Array(from.length);
  const scores = alongside.map((own) => own.scores);
  yield* eachProbabilities(trees, withMeans(orderedFeatures(given, features), mean?.means), (row, p) => {
    const u = spread[row]!;
    const bin = firstAtLeast(ends, (from[row]! + upTo[row]!) / 2);
    const start = bin > 0 ? ends[bin - 1]! : 0;
    let below = 0;
    for (let k = 0; k < bin; k++) below += p[k]!;
    const place = levelPlace(lines, bin, (u - start) / (ends[bin]! - start), scores, row);
    places[row] = below + p[bin]! * place;
  });
  const order = [...places.keys()].sort((a, b) => places[a]! - places[b]! || a - b);
  const ranks = new Float64Array(from.length);
  order.forEach((row, rank) => {
    ranks[row] = (rank + 0.5) / from.length;
  });
  return ranks;
}

/** Isolates heavy atoms and divides the rest evenly without cutting an atom. */
function binEnds({ from, upTo, rounds }: Pick<DensityTask, 'from' | 'upTo' | 'rounds'>): Float64Array {
  const rows = Int32Array.from(from.keys());
  const finest = rounds < FEW_ROUNDS ? MAX_BINS / 2 : MAX_BINS;
  const most = Math.min(finest, Math.max(MIN_BINS, Math.floor(rows.length / ROWS_A_BIN)));
  const order = rows.slice().sort((a, b) => from[a]! - from[b]! || upTo[a]! - upTo[b]!);
  const places: { from: number; upTo: number; rows: number; isHeavy: boolean }[] = [];
  for (const row of order) {
    const last = places.at(-1);
    if (last && last.from === from[row] && last.upTo === upTo[row]) last.rows++;
    else places.push({ from: from[row]!, upTo: upTo[row]!, rows: 1, isHeavy: false });
  }
  for (const place of places) place.isHeavy = place.rows * most >= rows.length;
  const light = places.filter(({ isHeavy }) => !isHeavy);
  const lightRows = light.reduce((sum, place) => sum + place.rows, 0);
  const size = Math.max(MIN_BIN_ROWS, lightRows / Math.max(1, most - (places.length - light.length)));
  const ends: number[] = [];
  let filled = 0;
  places.forEach(({ from: start, rows: own, isHeavy }, i) => {
    const before = places[i - 1];
    if (before && (isHeavy || before.isHeavy || filled >= size)) {
      ends.push((before.upTo + start) / 2);
      filled = 0;
    }
    filled += own;
  });
  return Float64Array.from([...ends, 1]);
}

/** n rows, as plain data. */
export interface DensityDraw {
  density: ColumnDensity;
  /** Ranks in (0, 1). */
  ranks: Float64Array;
  features: FeatureTable;
  /** n scores per regressor. */
  scores: LineScores;
}

/** `before` has the u of the lines' regressors. */
export const densityDraw = (
  density: ColumnDensity,
  ranks: Float64Array,
  made: ModelTable,
  before: ReadonlyMap<string, Float64Array>,
): DensityDraw => ({
  density,
  ranks,
  features: featuresOf(density.given, made),
  scores: (density.lines?.along ?? []).map((name) => before.get(name)!.map(scoreOf)),
});

export function* uInBins({ density, ranks, features, scores }: DensityDraw): Steps<Float64Array> {
  const { ends, trees, lines, left: margin } = density;
  const out = new Float64Array(ranks.length);
  const seen = yield* densityFeatures(density, features);
  const means = margin && meansIn(seen);
  yield* eachProbabilities(trees, seen, (row, p) => {
    let left = ranks[row]!;
    let bin = 0;
    while (bin < ends.length - 1 && left > p[bin]!) left -= p[bin++]!;
    const start = bin > 0 ? ends[bin - 1]! : 0;
    const level = Math.min(1, left / Math.max(p[bin]!, Number.MIN_VALUE));
    const u = start + liftPlace(lines, bin, level, scores, row) * (ends[bin]! - start);
    out[row] = margin && means ? normalCdf(means[row]! + numberAt(margin, u)) : u;
  });
  return out;
}

export const drawDensity = {
  name: 'drawDensity',
  work: 'draws',
  cost: { seconds: { walk: 2e-8 } },
  open: bySteps(uInBins),
} satisfies Task<DensityDraw, Float64Array>;

export function meansIn({ features }: FeatureTable): Float64Array {
  const last = features.at(-1);
  if (last?.kind !== 'numeric') throw new RangeError('a density without a mean');
  return last.values;
}
