/** Class probabilities and means of a column given others, by boosting: how far it goes is what rows that it did not see say. */
import { z } from 'zod';
import type { RandomStream } from '../../../numerics/random/stream.ts';
import type { Steps } from '../../../numerics/steps.ts';
import type { ClassTrees } from '../../../numerics/trees/classTrees.ts';
import { binFeature, type Feature, type FeatureBins, type FeatureTable } from '../../../numerics/trees/features.ts';
import { type ClassBoosting, fitClassTrees } from '../../../numerics/trees/fitClassTrees.ts';
import { fitMeanTrees, type MeanTask } from '../../../numerics/trees/meanTrees.ts';
import type { SeenColumn } from '../categorical/features.ts';
import type { JsonValue } from '../model.ts';
import { binningSchema, float32Schema, float64Schema, int32Schema, saveArray } from './savedArrays.ts';

const SETTINGS = { maxDepth: 10, shrinkageRows: 2, sketches: 3 } as const;
/**
 * Rows in a leaf, at least: smaller ones lean on single rows. Leaves of bins are fewer, and steps of bins, which are spread, may be
 * longer; of bins, a patience of 10 ends some fits at a third of the rounds that score best.
 */
const BY_CLASSES = {
  levels: { maxLeaves: 32, leafRows: 40, patience: 10, learningRate: 0.2 },
  bins: { maxLeaves: 16, leafRows: 60, patience: 30, learningRate: 0.3 },
} as const;
/** Leaves of bins where rows are many: one in so many of them, and no more than these; steps are longer by as much. */
const ROWS_A_LEAF = 1_000;
const MAX_LEAVES = 32;
/** Of few rows twice their root, of 275 rows 33. */
const SMALL_LEAF_ROWS = 15;
const leafRowsOf = (rows: number, most: number): number =>
  Math.max(SMALL_LEAF_ROWS, Math.min(most, Math.round(2 * Math.sqrt(rows))));

/** Rounds: no more and no fewer than these, and for all cells of a table about so many together; each is asked of every row that is made. */
const MAX_ROUNDS = 300;
const MIN_ROUNDS = 30;
const CELL_ROUNDS = 5.5e7;
/** Fewer rounds are longer steps. */
const LONG_RATE = 0.4;
const LONG_BELOW = 100;

/** Rounds of each column, at most, for a table of so many rows and columns to boost. */
export const roundsFor = (rows: number, columns: number): number =>
  Math.max(MIN_ROUNDS, Math.min(MAX_ROUNDS, Math.floor(CELL_ROUNDS / (rows * Math.max(1, columns)))));

/** Bins of a number that trees split on: one in so many rows, and no more and no fewer than these. */
const ROWS_A_BIN = 10;
export const MAX_FEATURE_BINS = 128;
const MIN_FEATURE_BINS = 20;

export interface BoostingTask {
  features: FeatureTable;
  /** 0 … kinds - 1, one a row. */
  classes: Int32Array;
  kinds: number;
  /** Of the classes: none; that of numbers of which each is its own; or of bins, each as likely as its neighbours where nothing says otherwise. */
  order: 'none' | 'exact' | 'smooth';
  /** Rows to grow trees from, ascending, and rows apart that say how many there are. */
  rows: Int32Array;
  apart: Int32Array;
  /** Rounds, at most. */
  rounds: number;
  /** Leaves of a tree, at most; as many as suit the classes if not given. */
  leaves?: number;
}

/** Steps: a round each. */
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

/** Whether class trees were still getting better when their rounds were over. */
export const ranOut = (trees: ClassTrees, rounds: number): boolean =>
  trees.roots.length > rounds - BY_CLASSES.levels.patience;

const MEAN = { rounds: 350, learningRate: 0.3, patience: 10, maxDepth: 14, shrinkageRows: 1 } as const;
/** Of a mean: leaves of a tree, one in so many rows, and no more and no fewer than these; and rows in a leaf, at least. */
const MEAN_LEAVES = { rows: 500, least: 16, most: 63 } as const;
const MEAN_LEAF_ROWS = 20;

/** A mean of several fits, each of which left other rows out. */
export interface CrossFittedMean {
  trees: ClassTrees;
  /** n: of rows that were fitted to, by the fit that did not see them. */
  means: Float64Array;
}

/** Steps: a round each. */
export function fitMean(task: MeanTask): Steps<ClassTrees> {
  const rows = task.rows.length;
  const { least, most } = MEAN_LEAVES;
  const maxLeaves = Math.max(least, Math.min(most, Math.floor(rows / MEAN_LEAVES.rows)));
  return fitMeanTrees(task, { ...MEAN, maxLeaves, minLeafRows: leafRowsOf(rows, MEAN_LEAF_ROWS) });
}

/** Neighbours of like weight are alike; one that stands out, as a point mass does, is not like those beside it. */
function alikeOf(classes: Int32Array, kinds: number): Float64Array {
  const counts = new Float64Array(kinds);
  for (const one of classes) counts[one]!++;
  return Float64Array.from({ length: kinds - 1 }, (_, k) => {
    const [a, b] = [counts[k]!, counts[k + 1]!];
    return a + b > 0 ? Math.min(a, b) / Math.max(a, b) : 0;
  });
}

/** Levels of a category that has more of them than bins are put together by the classes that they go with. */
function binningOf({ features }: FeatureTable, classes: Int32Array): FeatureBins[] {
  const target = Float64Array.from(classes);
  const most = Math.min(MAX_FEATURE_BINS, Math.max(MIN_FEATURE_BINS, Math.floor(classes.length / ROWS_A_BIN)));
  return features.map((feature) => binFeature(feature, target, feature.kind === 'numeric' ? most : undefined));
}

/** Levels that are numbers have an order, which a few need not have. */
const FEW_LEVELS = 5;

/** Columns as trees of classes see them: as `featuresOf`, but levels that are all numbers are numbers. */
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

export const saveClassTrees = ({ classes, binning, ...arrays }: ClassTrees): JsonValue => ({
  classes,
  binning: binning.map((bins) => ({ ...bins })),
  base: saveArray(arrays.base),
  roots: saveArray(arrays.roots),
  feature: saveArray(arrays.feature),
  test: saveArray(arrays.test),
  left: saveArray(arrays.left),
  sides: saveArray(arrays.sides),
  values: saveArray(arrays.values),
});
