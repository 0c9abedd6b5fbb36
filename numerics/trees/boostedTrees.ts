/**
 * Gradient-boosted regression trees on histograms (Friedman, 2001; Ke et al., 2017), with the defaults of scikit-learn's
 * HistGradientBoosting: 100 trees of up to 31 leaves of at least 20 rows, shrunk by 0.1. No randomness anywhere:
 * the same table gives the same trees. n = rows, T = trees.
 */
import { applyBinning, type FeatureBins, fitBinning, MAX_BINS, valueBins } from './binning.ts';
import { type FeatureTable, requireEqualLengths } from './features.ts';
import { TreeGrower } from './growTree.ts';
import { LOSSES, type LossName } from './losses.ts';
import { leafNode, type Tree } from './tree.ts';

export interface BoostingSettings {
  loss: LossName;
  /** Trees, at most: fewer where the last one found nothing to split. */
  iterations: number;
  learningRate: number;
  maxLeaves: number;
  /** Splits from root to leaf, at most. */
  maxDepth: number;
  minLeafRows: number;
  /** Ridge penalty on leaf values. */
  l2: number;
  /** Bins of values a feature, 2 to 255. */
  maxBins: number;
}

export const BOOSTING_DEFAULTS: Readonly<BoostingSettings> = {
  loss: 'squared',
  iterations: 100,
  learningRate: 0.1,
  maxLeaves: 31,
  maxDepth: Number.POSITIVE_INFINITY,
  minLeafRows: 20,
  l2: 0,
  maxBins: MAX_BINS,
};

/** JSON as it is: plain objects, arrays and finite numbers. */
export interface BoostedTrees {
  loss: LossName;
  /** Raw prediction before the first tree. */
  baseline: number;
  binning: FeatureBins[];
  trees: Tree[];
}

/**
 * Fits trees to a target.
 * @param target n finite numbers; 0 or 1 for the logistic loss.
 * Throws RangeError where lengths differ, there is no row, or a target is missing or outside the loss's range.
 */
export function fitBoostedTrees(
  table: FeatureTable,
  target: Float64Array,
  settings: Partial<BoostingSettings> = {},
): BoostedTrees {
  const chosen = { ...BOOSTING_DEFAULTS, ...settings };
  requireTarget(table, target);
  const loss = LOSSES[chosen.loss];
  const baseline = loss.baseline(target);
  const binning = fitBinning(table, target, chosen.maxBins);
  const grower = new TreeGrower(applyBinning(binning, table), binning.map(valueBins), table.rows, chosen);
  const raw = new Float64Array(table.rows).fill(baseline);
  const derivatives = {
    gradient: new Float64Array(table.rows),
    hessian: loss.unitHessian ? null : new Float64Array(table.rows),
  };
  const trees: Tree[] = [];
  while (trees.length < chosen.iterations) {
    loss.derivatives(target, raw, derivatives);
    const tree = grower.grow(derivatives, raw);
    if (tree.leaves < 2) break;
    trees.push(tree);
  }
  return { loss: chosen.loss, baseline, binning, trees };
}

/** Predictions for n rows: means under squared loss, probabilities of 1 under logistic loss. */
export function predict(model: BoostedTrees, table: FeatureTable): Float64Array {
  requireEqualLengths(table);
  const bins = applyBinning(model.binning, table);
  const missing = model.binning.map(valueBins);
  const { response } = LOSSES[model.loss];
  const out = new Float64Array(table.rows).fill(model.baseline);
  for (const tree of model.trees) {
    for (let row = 0; row < out.length; row++) out[row]! += tree.value[leafNode(tree, bins, missing, row)]!;
  }
  return out.map(response);
}

/**
 * Where each row falls: T arrays of n leaf numbers, 0 … trees[t].leaves - 1. As indicators they are basis functions
 * of a linear predictor.
 */
export function applyLeaves(model: BoostedTrees, table: FeatureTable): Int32Array[] {
  requireEqualLengths(table);
  const bins = applyBinning(model.binning, table);
  const missing = model.binning.map(valueBins);
  return model.trees.map((tree) => {
    const leaves = new Int32Array(table.rows);
    for (let row = 0; row < leaves.length; row++) leaves[row] = tree.leaf[leafNode(tree, bins, missing, row)]!;
    return leaves;
  });
}

function requireTarget(table: FeatureTable, target: Float64Array): void {
  requireEqualLengths(table);
  if (target.length !== table.rows) throw new RangeError(`${target.length} targets for ${table.rows} rows`);
  if (table.rows === 0) throw new RangeError('no rows to fit trees to');
  const at = target.findIndex((value) => !Number.isFinite(value));
  if (at >= 0) throw new RangeError(`the target of row ${at} is ${target[at]}, not a finite number`);
}
