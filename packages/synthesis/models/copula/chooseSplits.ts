/**
 * Chooses the pruning, and whether a line precedes the tree, by the continuous ranked probability score on held-out
 * rows.
 */
import { isWithinError } from '../../../numerics/moments.ts';
import { drawRows } from '../../../numerics/random/draws.ts';
import type { RandomStream } from '../../../numerics/random/stream.ts';
import { takeNumbers } from '../../../numerics/rows.ts';
import { normalCdf } from '../../../numerics/special/normal.ts';
import {
  applyRegressionTree,
  fitLeaves,
  type RegressionTree,
  type RegressionTreeSettings,
} from '../../../numerics/trees/boostedTrees.ts';
import { type BinnedFeature, binNumbersOf, type FeatureTable, takeFeatures } from '../../../numerics/trees/features.ts';
import { pruneTree } from '../../../numerics/trees/tree.ts';
import { type ColumnLine, fitColumnLine, liftsOf, type Regressor, takeRegressors } from './columnLine.ts';
import { scoreOf } from './normalScores.ts';
import { entriesScore, leafScores, liftedScore, thinned } from './rankedScores.ts';

/** Residual variances that a split must gain. */
const PENALTIES = [0, 2, 4, 6] as const;
/** Loss accepted for fewer splits, which depend less on single rows. */
const SLACK = 0.006;
export const MAX_TREE_ROWS = 20_000;
const VALIDATION = 0.25;

interface SplitTask {
  features: FeatureTable;
  u: Float64Array;
  /** Null if rows are many. */
  regressors: readonly Regressor[] | null;
  settings: RegressionTreeSettings;
}

export interface ChosenSplits {
  penalty: number;
  /** Fitted to `kept`. */
  line: ColumnLine | null;
  tree: RegressionTree;
  kept: Int32Array;
  held: Int32Array;
}

/** Returns null if rows are too few to hold any out. */
export function chooseSplits(task: SplitTask, random: RandomStream): ChosenSplits | null {
  const rows = drawRows(task.features.rows, MAX_TREE_ROWS, random);
  const cut = Math.floor(rows.length * VALIDATION);
  if (cut === 0) return null;
  const { regressors } = task;
  return regressors ? chooseByFolds({ ...task, regressors }, rows) : chooseByPart(task, rows, cut);
}

function chooseByPart({ features, u, settings }: SplitTask, rows: Int32Array, cut: number): ChosenSplits {
  const [held, kept] = [rows.subarray(0, cut), rows.subarray(cut)];
  const [train, test] = [takeFeatures(features, kept), takeFeatures(features, held)];
  const [seen, unseen] = [takeNumbers(u, kept), takeNumbers(u, held)];
  const { tree: full, leafOf } = fitLeaves(train, seen, settings);
  const trees = PENALTIES.map((penalty) => ({ ...full, tree: pruneTree(full.tree, leafOf, seen, penalty) }));
  const scores = trees.map((tree) => meanScore(tree, { train, seen }, { test, unseen }));
  const most = Math.min(...scores) * (1 + SLACK);
  const best = scores.findLastIndex((score) => score <= most);
  return { penalty: PENALTIES[best]!, line: null, tree: trees[best]!, kept, held };
}

function meanScore(
  tree: RegressionTree,
  { train, seen }: { train: FeatureTable; seen: Float64Array },
  { test, unseen }: { test: FeatureTable; unseen: Float64Array },
): number {
  const scoreIn = leafScores(applyRegressionTree(tree, train), tree.tree.leaves, seen);
  const leafOf = applyRegressionTree(tree, test);
  let sum = 0;
  for (let i = 0; i < unseen.length; i++) sum += scoreIn(leafOf[i]!, unseen[i]!);
  return sum / unseen.length;
}

// Small tables use cross-validation, since one split would choose by chance, and take the simplest candidate within one
// standard error of the best (Breiman et al., 1984).

const FOLDS = 5;
/** The first leaves no split. */
const SPARE_PENALTIES = [1e6, 24, 12, 6, 4, 2, 0] as const;

interface SmallTask extends SplitTask {
  regressors: readonly Regressor[];
}

/** Simplest candidates first. */
const CANDIDATES = [true, false].flatMap((hasLine) => SPARE_PENALTIES.map((penalty) => ({ hasLine, penalty })));

function chooseByFolds(task: SmallTask, rows: Int32Array): ChosenSplits {
  const scores = CANDIDATES.map((): number[] => []);
  let first: ChosenSplits[] = [];
  for (let fold = 0; fold < FOLDS; fold++) {
    const [from, to] = [fold, fold + 1].map((k) => Math.floor((k * rows.length) / FOLDS)) as [number, number];
    const held = rows.slice(from, to);
    const kept = rows.filter((_, i) => i < from || i >= to);
    const own = foldOf(task, kept, held);
    const tried = [true, false].flatMap((hasLine) => tryPenalties(own, hasLine));
    tried.forEach((one, k) => {
      scores[k]!.push(...one.own);
    });
    if (fold === 0) first = tried;
  }
  const best = scores.reduce((a, b) => (sumOf(b) < sumOf(a) ? b : a));
  return first[scores.findIndex((own) => isWithinError(own.map((score, i) => score - best[i]!)))]!;
}

interface Fold extends Pick<ChosenSplits, 'kept' | 'held'> {
  settings: RegressionTreeSettings;
  train: { features: FeatureTable; numbers: (BinnedFeature | null)[]; regressors: Regressor[]; scores: Float64Array };
  test: { features: FeatureTable; regressors: Regressor[]; u: Float64Array };
}

function foldOf({ features, u, regressors, settings }: SmallTask, kept: Int32Array, held: Int32Array): Fold {
  const take = (rows: Int32Array) => ({
    features: takeFeatures(features, rows),
    regressors: takeRegressors(regressors, rows),
  });
  const [own, scores] = [take(kept), takeNumbers(u, kept).map(scoreOf)];
  const train = { ...own, numbers: binNumbersOf(own.features), scores };
  return { kept, held, settings, train, test: { ...take(held), u: takeNumbers(u, held) } };
}

function tryPenalties({ kept, held, settings, train, test }: Fold, hasLine: boolean) {
  const line = hasLine ? fitColumnLine(train.regressors, train.scores) : null;
  const lifts = line && liftsOf(line, train.regressors, kept.length);
  const left = train.scores.map((score, i) => normalCdf(lifts ? score - lifts[i]! : score));
  const others = line && liftsOf(line, test.regressors, held.length);
  const { tree: full, leafOf } = fitLeaves(train.features, left, settings, train.numbers);
  let last: { leaves: number; scores: Float64Array } | null = null;
  return SPARE_PENALTIES.map((penalty): ChosenSplits & { own: Float64Array } => {
    const tree = { ...full, tree: pruneTree(full.tree, leafOf, left, penalty) };
    const { leaves } = tree.tree;
    if (last?.leaves !== leaves)
      last = { leaves, scores: scoresOf(tree, { features: train.features, left }, { ...test, others }) };
    return { penalty, line, tree, kept, held, own: last.scores };
  });
}

function scoresOf(
  tree: RegressionTree,
  train: { features: FeatureTable; left: Float64Array },
  { features, u, others }: { features: FeatureTable; u: Float64Array; others: Float64Array | null },
): Float64Array {
  const groups: number[][] = Array.from({ length: tree.tree.leaves }, () => []);
  applyRegressionTree(tree, train.features).forEach((leaf, i) => {
    groups[leaf]!.push(train.left[i]!);
  });
  const entries = groups.map((group) => thinned(group).map(scoreOf));
  const leafOf = applyRegressionTree(tree, features);
  if (others) return u.map((own, i) => liftedScore(entries[leafOf[i]!]!, others[i]!, own));
  const asU = entries.map((own) => own.map(normalCdf));
  return u.map((own, i) => entriesScore(asU[leafOf[i]!]!, own));
}

const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);
