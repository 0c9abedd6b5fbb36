/**
 * Gradient-boosted regression trees on histograms (Friedman, 2001; Ke et al., 2017), with the defaults of scikit-learn's
 * HistGradientBoosting: 100 trees of up to 31 leaves of at least 20 rows, shrunk by 0.1. No randomness anywhere:
 * the same table gives the same trees. n = rows, T = trees.
 */
import { mean } from '../moments.ts';
import {
  applyBinning,
  type BinnedFeature,
  binTable,
  type FeatureBins,
  type FeatureTable,
  MAX_BINS,
  valueBins,
} from './features.ts';
import { TreeGrower } from './growTree.ts';
import type { Derivatives } from './histogram.ts';
import { addNode, emptyTree, leafNode, numberLeaves, type Tree } from './tree.ts';

/** How trees are grown; what is left out is as in scikit-learn. */
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

const BOOSTING_DEFAULTS: Readonly<BoostingSettings> = {
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
 * Fits gradient-boosted trees to a target (Friedman, 2001; Ke et al., 2017). The same table gives the same trees.
 * @param table features of n rows, numbers or levels; NaN, or a code outside of the levels, is missing.
 * @param target n finite numbers; 0 or 1 for the logistic loss.
 * @throws RangeError where lengths differ, there is no row, or a target is missing or outside the loss's range.
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
  const { binning, grower } = openGrower(table, target, chosen);
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

function openGrower(
  table: FeatureTable,
  target: Float64Array,
  settings: BoostingSettings,
  numbers: readonly (BinnedFeature | null)[] = [],
): { binning: FeatureBins[]; grower: TreeGrower } {
  const binned = binTable(table, target, settings.maxBins, numbers);
  const binning = binned.map(({ bins }) => bins);
  const columns = binned.map(({ column }) => column);
  return { binning, grower: new TreeGrower(columns, binning.map(valueBins), table.rows, settings) };
}

/** Predictions for n rows: means under squared loss, probabilities of 1 under logistic loss. */
export function predict(model: BoostedTrees, table: FeatureTable): Float64Array {
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
  return model.trees.map((tree) => applyRegressionTree({ binning: model.binning, tree }, table));
}

function requireTarget(table: FeatureTable, target: Float64Array): void {
  if (target.length !== table.rows) throw new RangeError(`${target.length} targets for ${table.rows} rows`);
  if (table.rows === 0) throw new RangeError('no rows to fit trees to');
  const at = target.findIndex((value) => !Number.isFinite(value));
  if (at >= 0) throw new RangeError(`the target of row ${at} is ${target[at]}, not a finite number`);
}

// Losses of boosting: where to start, and the derivatives with respect to the raw prediction.

type LossName = 'squared' | 'logistic';

interface Loss {
  /** Whether the hessian is 1 for every row. */
  unitHessian: boolean;
  /** The best constant raw prediction. Throws RangeError where a target is outside the loss's range. */
  baseline(target: Float64Array): number;
  /** Writes the derivatives at the raw predictions. */
  derivatives(target: Float64Array, raw: Float64Array, out: Derivatives): void;
  /** From a raw prediction to the target's scale. */
  response(raw: number): number;
}

/** ½ (y − f)²; any finite target. */
const squared: Loss = {
  unitHessian: true,
  baseline: mean,
  derivatives(target, raw, out) {
    for (let row = 0; row < target.length; row++) out.gradient[row] = raw[row]! - target[row]!;
  },
  response: (raw) => raw,
};

/** −y f + log(1 + exp f); targets 0 or 1, the response is P(y = 1). */
const logistic: Loss = {
  unitHessian: false,
  baseline(target) {
    if (target.some((value) => value !== 0 && value !== 1)) throw new RangeError('a logistic target must be 0 or 1');
    // Half a row of each keeps the log-odds finite where only one of them occurs.
    const share = (mean(target) * target.length + 0.5) / (target.length + 1);
    return Math.log(share / (1 - share));
  },
  derivatives(target, raw, out) {
    for (let row = 0; row < target.length; row++) {
      const probability = sigmoid(raw[row]!);
      out.gradient[row] = probability - target[row]!;
      out.hessian![row] = probability * (1 - probability);
    }
  },
  response: sigmoid,
};

const LOSSES: Readonly<Record<LossName, Loss>> = { squared, logistic };

function sigmoid(raw: number): number {
  return 1 / (1 + Math.exp(-raw));
}

// One regression tree (Breiman et al., 1984) as a partition of rows: each falls in one leaf. Grown on histograms, asked by
// thresholds, so that rows can be asked one by one, while they are made. No randomness: the same table gives the same
// tree. n = rows.

export interface RegressionTreeSettings {
  /** Rows in a leaf, at least. */
  minLeafRows: number;
  maxLeaves: number;
}

/** JSON as it is. */
export interface RegressionTree {
  binning: FeatureBins[];
  tree: Tree;
}

/**
 * Grows a tree (Breiman et al., 1984) for a target, n finite numbers, by squared loss.
 * Throws RangeError where lengths differ, there is no row, or a target is not finite.
 */
export const fitRegressionTree = (
  table: FeatureTable,
  target: Float64Array,
  settings: RegressionTreeSettings,
): RegressionTree => fitLeaves(table, target, settings).tree;

/**
 * The same with the number of the leaf of each row, n: what `applyRegressionTree` would give. `numbers`: by feature, as `binNumbersOf`
 * gives them, where several trees of one table are fitted.
 */
export function fitLeaves(
  table: FeatureTable,
  target: Float64Array,
  { minLeafRows, maxLeaves }: RegressionTreeSettings,
  numbers: readonly (BinnedFeature | null)[] = [],
): { tree: RegressionTree; leafOf: Int32Array } {
  requireTarget(table, target);
  const settings = { ...BOOSTING_DEFAULTS, learningRate: 1, minLeafRows, maxLeaves };
  const { binning, grower } = openGrower(table, target, settings, numbers);
  const raw = new Float64Array(table.rows).fill(squared.baseline(target));
  const derivatives = { gradient: new Float64Array(table.rows), hessian: null };
  squared.derivatives(target, raw, derivatives);
  const leafOf = new Int32Array(table.rows);
  const tree = grower.grow(derivatives, raw, leafOf);
  return { tree: { binning, tree: tree.leaves < 2 ? loneLeaf() : tree }, leafOf };
}

function loneLeaf(): Tree {
  const tree = emptyTree();
  addNode(tree);
  numberLeaves(tree);
  return tree;
}

/** The number of the leaf in which each row falls, n. */
export function applyRegressionTree(model: RegressionTree, table: FeatureTable): Int32Array {
  const leafOf = leafFinder(model, table);
  const out = new Int32Array(table.rows);
  for (let row = 0; row < out.length; row++) out[row] = leafOf(row);
  return out;
}

/**
 * A function that gives the leaf of one row, 0 … leaves - 1. It reads the table's arrays when it is called, so that they
 * may be filled row by row. Throws RangeError where the features are of another kind or number than at the fit, or not of the
 * table's length.
 */
export function leafFinder({ binning, tree }: RegressionTree, table: FeatureTable): (row: number) => number {
  if (table.features.length !== binning.length) {
    throw new RangeError(`${table.features.length} features given, the fit had ${binning.length}`);
  }
  const { feature, left, right, missingLeft, leaf } = tree;
  const bin = Int32Array.from(tree.bin);
  const cuts = Float64Array.from(feature, (f, node) => {
    const bins = f < 0 ? undefined : binning[f];
    // In the last bin lie all values that no cut is below.
    return bins?.kind === 'numeric' ? (bins.cuts[tree.bin[node]!] ?? Number.POSITIVE_INFINITY) : Number.NaN;
  });
  const readers = table.features.map((own, f): Reader => {
    const bins = binning[f];
    const length = own.kind === 'numeric' ? own.values.length : own.codes.length;
    if (length !== table.rows) throw new RangeError(`feature ${f} has ${length} rows, the table ${table.rows}`);
    if (bins?.kind === 'numeric' && own.kind === 'numeric') return { numbers: own.values, codes: null, binOf: null };
    if (bins?.kind === 'category' && own.kind === 'category') {
      return { numbers: null, codes: own.codes, binOf: Int32Array.from(bins.binOfLevel) };
    }
    throw new RangeError(`feature ${f} is ${own.kind}, at the fit it was ${bins?.kind ?? 'not there'}`);
  });
  return (row) => {
    let node = 0;
    for (let f = feature[0]!; f >= 0; f = feature[node]!) {
      const reader = readers[f]!;
      const goesLeft = reader.numbers
        ? goesBelow(reader.numbers[row]!, cuts[node]!, missingLeft[node]!)
        : codeGoesBelow(reader.binOf[reader.codes[row]!] ?? -1, bin[node]!, missingLeft[node]!);
      node = goesLeft ? left[node]! : right[node]!;
    }
    return leaf[node]!;
  };
}

type Reader =
  | { numbers: Float64Array; codes: null; binOf: null }
  | { numbers: null; codes: Int32Array; binOf: Int32Array };

const goesBelow = (value: number, cut: number, missingLeft: boolean): boolean =>
  Number.isFinite(value) ? value <= cut : missingLeft;

const codeGoesBelow = (bin: number, cut: number, missingLeft: boolean): boolean => (bin < 0 ? missingLeft : bin <= cut);
