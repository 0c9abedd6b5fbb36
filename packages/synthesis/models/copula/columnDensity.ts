/**
 * One column given those made before it: the probabilities of bins of its u, by boosting; within a bin all u are alike, but for
 * lines. Where a row lies in its own distribution is what is left of the column: uniform, and the vine's to correlate with the
 * others'.
 */
import { z } from 'zod';
import type { RandomStream } from '../../../numerics/random/stream.ts';
import { firstAtLeast } from '../../../numerics/search.ts';
import { normalCdf } from '../../../numerics/special/normal.ts';
import type { Steps } from '../../../numerics/steps.ts';
import type { FeatureTable } from '../../../numerics/trees/features.ts';
import { eachProbabilities, meansOf } from '../../../numerics/trees/walkTrees.ts';
import { marginSchema, numberAt, saveMargin } from '../../disclosure/margin.ts';
import { featuresOf, type SeenColumn, seenColumnSchema } from '../categorical/features.ts';
import type { JsonValue, ModelTable } from '../model.ts';
import {
  type CrossFittedMean,
  classTreesSchema,
  fitBoosted,
  orderedFeatures,
  saveClassTrees,
} from '../shared/boosting.ts';
import { float64Schema, saveArray } from '../shared/savedArrays.ts';
import { binLinesSchema, fitBinLines, type LineScores, levelPlace, liftPlace, saveBinLines } from './binLines.ts';
import { type NumberScores, scoreOf } from './normalScores.ts';

export const columnDensitySchema = z.object({
  /** Columns that the trees split on, in the order of their features. */
  given: z.array(seenColumnSchema),
  /** Where each bin of u ends, ascending; the last at 1. */
  ends: float64Schema,
  trees: classTreesSchema,
  /** Of the number's normal score: what it says is the trees' last feature. Null where it is none. */
  mean: classTreesSchema.nullable().default(null),
  lines: binLinesSchema.nullable().default(null),
  /** Of what the mean leaves of the normal score: then bins are of that, in its u. Null where they are of the number. */
  left: marginSchema.nullable().default(null),
});
export type ColumnDensity = z.infer<typeof columnDensitySchema>;

/** Bins: one in so many rows, and no more and no fewer than these; half as many where rounds are few, since rows are many. */
const ROWS_A_BIN = 150;
const MAX_BINS = 64;
const MIN_BINS = 10;
const FEW_ROUNDS = 100;
/** Rows that a bin without an atom has on average, at least. */
const MIN_BIN_ROWS = 10;

/** Rows that have a cell: their u, and the columns they are given; some to grow trees from, and others that say how many. */
export interface DensityTask {
  given: readonly SeenColumn[];
  features: FeatureTable;
  from: Float64Array;
  upTo: Float64Array;
  /** Scores of the most informative numbers among those given, which lines within bins lie on. */
  alongside: readonly NumberScores[];
  kept: Int32Array;
  held: Int32Array;
  /** Rounds of boosting, at most. */
  rounds: number;
  /** Of the normal scores of these rows, which is one more feature; null where there is none. */
  mean: CrossFittedMean | null;
}

/** Steps: a round of boosting each. */
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

/** What the trees of a density split on, of any rows of the columns that it is given. */
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

/** Each row's place in its own distribution, made even: n, in (0, 1). `spread`: u, that of an atom at random over its width. */
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

/** Ends of bins: an atom as heavy as a bin is alone in its own, the other bins are of about equal weight and no atom lies in two. */
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

/** Rows to draw, n: plain data. */
export interface DensityDraw {
  density: ColumnDensity;
  /** In (0, 1). */
  ranks: Float64Array;
  /** The columns that the density is given. */
  features: FeatureTable;
  /** By number that its lines lie on. */
  scores: LineScores;
}

/** `before`: u of the numbers made before it, where lines need them. */
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

/** u of each row: at its rank in its own distribution. */
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

/** The means among what the trees of a density split on. */
export function meansIn({ features }: FeatureTable): Float64Array {
  const last = features.at(-1);
  if (last?.kind !== 'numeric') throw new RangeError('a density without a mean');
  return last.values;
}

export const saveColumnDensity = ({ given, ends, trees, mean, lines, left }: ColumnDensity): JsonValue => ({
  given: given.map((seen) => ({ ...seen })),
  ends: saveArray(ends),
  trees: saveClassTrees(trees),
  mean: mean && saveClassTrees(mean),
  lines: lines && saveBinLines(lines),
  left: left && saveMargin(left),
});
