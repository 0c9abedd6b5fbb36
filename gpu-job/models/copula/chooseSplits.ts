/**
 * How far a column's tree is split: as far as its leaves still say better where rows lie that it did not see, by the
 * continuous ranked probability score on the scale of places (Gneiting and Raftery, 2007): E|X - y| - ½ E|X - X'|, X from
 * the row's leaf.
 */
import { firstAtLeast } from '../../../numerics/distributions/empirical.ts';
import type { RandomStream } from '../../../numerics/random/stream.ts';
import type { FeatureTable } from '../../../numerics/trees/features.ts';
import { pruneTree } from '../../../numerics/trees/pruneTree.ts';
import {
  applyRegressionTree,
  fitRegressionTree,
  type RegressionTree,
  type RegressionTreeSettings,
} from '../../../numerics/trees/regressionTree.ts';
import { drawRows, pickRows } from '../shared/pickRows.ts';

/** Residual variances that a split has to gain: from every split to those that chance would hardly make. */
const PENALTIES = [0, 2, 4, 6] as const;
/** A tree of fewer splits stands where its score is at most so much worse: it leans less on single rows. */
const SLACK = 0.006;
/** Rows looked at, at most, and the share of them that is predicted. */
const MOST_ROWS = 20_000;
const VALIDATION = 0.25;

/** Rows of a column whose cells are there, and the place of each, which the tree predicts. */
export interface SplitTask {
  features: FeatureTable;
  places: Float64Array;
  settings: RegressionTreeSettings;
}

/** The penalty for `pruneTree`. */
export function chooseSplits({ features, places, settings }: SplitTask, random: RandomStream): number {
  const rows = drawRows(features.rows, MOST_ROWS, random);
  const cut = Math.floor(rows.length * VALIDATION);
  if (cut === 0) return PENALTIES[0];
  const [held, kept] = [rows.subarray(0, cut), rows.subarray(cut)];
  const [train, test] = [pickRows(features, kept), pickRows(features, held)];
  const [seen, unseen] = [kept, held].map((some) => Float64Array.from(some, (row) => places[row]!)) as [
    Float64Array,
    Float64Array,
  ];
  const full = fitRegressionTree(train, seen, settings);
  const leafOf = applyRegressionTree(full, train);
  const scores = PENALTIES.map((penalty) => {
    const tree = { ...full, tree: pruneTree(full.tree, leafOf, seen, penalty) };
    return meanScore(tree, { train, seen }, { test, unseen });
  });
  const most = Math.min(...scores) * (1 + SLACK);
  return PENALTIES.findLast((_, i) => scores[i]! <= most) ?? PENALTIES[0];
}

function meanScore(
  tree: RegressionTree,
  { train, seen }: { train: FeatureTable; seen: Float64Array },
  { test, unseen }: { test: FeatureTable; unseen: Float64Array },
): number {
  const scoreOf = leafScores(applyRegressionTree(tree, train), tree.tree.leaves, seen);
  const leafOf = applyRegressionTree(tree, test);
  let sum = 0;
  for (let i = 0; i < unseen.length; i++) sum += scoreOf(leafOf[i]!, unseen[i]!);
  return sum / unseen.length;
}

/** A function that gives the score of a place in a leaf. */
export function leafScores(
  leafOf: Int32Array,
  leaves: number,
  places: Float64Array,
): (leaf: number, place: number) => number {
  const groups: number[][] = Array.from({ length: leaves }, () => []);
  leafOf.forEach((leaf, row) => {
    groups[leaf]!.push(places[row]!);
  });
  const sorted = groups.map((group) => Float64Array.from(group).sort());
  const spreads = sorted.map(meanDifference);
  const sums = sorted.map(runningSums);
  return (leaf, place) => {
    const own = sorted[leaf]!;
    const sum = sums[leaf]!;
    const n = own.length;
    const below = firstAtLeast(own, place);
    const distance = place * below - sum[below]! + (sum[n]! - sum[below]!) - place * (n - below);
    return distance / n - 0.5 * spreads[leaf]!;
  };
}

/** Mean of |X - X'| over all pairs of different entries. */
function meanDifference(sorted: Float64Array): number {
  const n = sorted.length;
  let sum = 0;
  for (let i = 0; i < n; i++) sum += (2 * i + 1 - n) * sorted[i]!;
  return n > 1 ? (2 * sum) / (n * (n - 1)) : 0;
}

function runningSums(values: Float64Array): Float64Array {
  const sums = new Float64Array(values.length + 1);
  for (let i = 0; i < values.length; i++) sums[i + 1] = sums[i]! + values[i]!;
  return sums;
}
