/** Boosts class probabilities and means with early stopping. */
import { z } from 'zod';
import type { RandomStream } from '../../../numerics/random/stream.ts';
import type { Steps } from '../../../numerics/steps.ts';
import type { ClassTrees } from '../../../numerics/trees/classTrees.ts';
import { binFeature, type Feature, type FeatureBins, type FeatureTable } from '../../../numerics/trees/features.ts';
import { type ClassBoosting, fitClassTrees } from '../../../numerics/trees/fitClassTrees.ts';
import { fitMeanTrees, type MeanTask } from '../../../numerics/trees/meanTrees.ts';
import type { SeenColumn } from '../categorical/features.ts';
import { boostTask } from './boostInThreads.ts';
import { binningSchema, float32Schema, float64Schema, int32Schema } from './savedArrays.ts';

const SETTINGS = { maxDepth: 10, shrinkageRows: 2, sketches: 3 } as const;
/**
 * Small leaves depend on single rows. Bins take longer steps, since steps are spread; a patience of 10 would stop some
 * at a third of the best rounds.
 */
const BY_CLASSES = {
  levels: { maxLeaves: 32, leafRows: 40, patience: 10, learningRate: 0.2 },
  bins: { maxLeaves: 16, leafRows: 60, patience: 30, learningRate: 0.3 },
} as const;
/** Bins of many rows get more leaves and longer steps. */
const ROWS_A_LEAF = 1_000;
const MAX_LEAVES = 32;
const SMALL_LEAF_ROWS = 15;
const leafRowsOf = (rows: number, most: number): number =>
  Math.max(SMALL_LEAF_ROWS, Math.min(most, Math.round(2 * Math.sqrt(rows))));

/** Limits on rounds per column, and on rounds times cells per table. */
const MAX_ROUNDS = 300;
const MIN_ROUNDS = 30;
const CELL_ROUNDS = 5.5e7;
/** Fewer rounds take longer steps. */
const LONG_RATE = 0.4;
const LONG_BELOW = 100;

export const roundsFor = (rows: number, columns: number): number =>
  Math.max(MIN_ROUNDS, Math.min(MAX_ROUNDS, Math.floor(CELL_ROUNDS / (rows * Math.max(1, columns)))));

const ROWS_A_BIN = 10;
export const MAX_FEATURE_BINS = 128;
const MIN_FEATURE_BINS = 20;

export interface BoostingTask {
  features: FeatureTable;
  /** Classes 0 … kinds - 1, one per row. */
  classes: Int32Array;
  kinds: number;
  /** `exact` orders distinct numbers; `smooth` orders bins, alike by default to their neighbours. */
  order: 'none' | 'exact' | 'smooth';
  /** Training rows (ascending), and rows for early stopping. */
  rows: Int32Array;
  apart: Int32Array;
  rounds: number;
  leaves?: number;
}

export function* fitBoosted(task: BoostingTask, random: RandomStream): Steps<ClassTrees> {
  const { features, classes, kinds, order, rows, apart, rounds } = task;
  const { leafRows, learningRate, ...own } = BY_CLASSES[order === 'smooth' ? 'bins' : 'levels'];
  const many = order === 'smooth' ? Math.min(MAX_LEAVES, Math.floor(rows.length / ROWS_A_LEAF)) : 0;
  const maxLeaves = task.leaves ?? Math.max(own.maxLeaves, many);
  const rate = learningRate * Math.max(1, maxLeaves / own.maxLeaves);
  const settings: ClassBoosting = {
    ...SETTINGS,
    ...own,
    rounds,
    maxLeaves,
    learningRate: rounds < LONG_BELOW ? Math.max(LONG_RATE, rate) : rate,
    minLeafRows: leafRowsOf(rows.length, leafRows),
    alike: order === 'none' ? null : order === 'exact' ? new Float64Array(kinds) : alikeOf(classes, kinds),
  };
  const binning = binningOf(features, classes);
  return yield* fitClassTrees({ table: features, binning, classes, kinds, rows, apart }, settings, random);
}

export const boostClasses = boostTask('boostClasses', fitBoosted);

export const ranOut = (trees: ClassTrees, rounds: number): boolean =>
  trees.roots.length > rounds - BY_CLASSES.levels.patience;

const MEAN = { rounds: 350, learningRate: 0.3, patience: 10, maxDepth: 14, shrinkageRows: 1 } as const;
const MEAN_LEAVES = { rows: 500, least: 16, most: 63 } as const;
const MEAN_LEAF_ROWS = 20;

export interface CrossFittedMean {
  trees: ClassTrees;
  /** Means (n); for fitted rows, by the fit that left them out. */
  means: Float64Array;
}

export function fitMean(task: MeanTask): Steps<ClassTrees> {
  const rows = task.rows.length;
  const { least, most } = MEAN_LEAVES;
  const maxLeaves = Math.max(least, Math.min(most, Math.floor(rows / MEAN_LEAVES.rows)));
  return fitMeanTrees(task, { ...MEAN, maxLeaves, minLeafRows: leafRowsOf(rows, MEAN_LEAF_ROWS) });
}

export const boostMean = boostTask('boostMean', fitMean);

/** A point mass is unlike its neighbours. */
function alikeOf(classes: Int32Array, kinds: number): Float64Array {
  const counts = new Float64Array(kinds);
  for (const one of classes) counts[one]!++;
  return Float64Array.from({ length: kinds - 1 }, (_, k) => {
    const [a, b] = [counts[k]!, counts[k + 1]!];
    return a + b > 0 ? Math.min(a, b) / Math.max(a, b) : 0;
  });
}

/** Merges levels of large categories by class. */
function binningOf({ features }: FeatureTable, classes: Int32Array): FeatureBins[] {
  const target = Float64Array.from(classes);
  const most = Math.min(MAX_FEATURE_BINS, Math.max(MIN_FEATURE_BINS, Math.floor(classes.length / ROWS_A_BIN)));
  return features.map((feature) => binFeature(feature, target, feature.kind === 'numeric' ? most : undefined));
}

/** Fewer levels need not be ordered. */
const FEW_LEVELS = 5;

/** Treats levels that are all numbers as numbers. */
export const orderedFeatures = (given: readonly SeenColumn[], { rows, features }: FeatureTable): FeatureTable => ({
  rows,
  features: features.map((feature, f) => ordered(feature, given[f]!)),
});

function ordered(feature: Feature, { levels }: SeenColumn): Feature {
  const numbers = levels?.map(Number);
  if (feature.kind !== 'category' || !numbers || numbers.length <= FEW_LEVELS) return feature;
  if (!numbers.every(Number.isFinite) || levels!.some((level) => level.trim() === '')) return feature;
  const ofClass = Float64Array.from([Number.NaN, ...numbers]);
  return { kind: 'numeric', values: Float64Array.from(feature.codes, (one) => ofClass[one] ?? Number.NaN) };
}

export const classTreesSchema = z.object({
  classes: z.int(),
  binning: binningSchema,
  base: float64Schema,
  roots: int32Schema,
  feature: int32Schema,
  test: int32Schema,
  left: int32Schema,
  sides: int32Schema,
  values: float32Schema,
});
