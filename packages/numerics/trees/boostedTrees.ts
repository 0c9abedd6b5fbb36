/** Histogram-based boosting with scikit-learn's defaults. n rows, T trees. */
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

/** Defaults as in scikit-learn. */
export interface BoostingSettings {
  loss: LossName;
  /** Maximum trees. */
  iterations: number;
  learningRate: number;
  maxLeaves: number;
  /** Maximum splits from root to leaf. */
  maxDepth: number;
  minLeafRows: number;
  /** Ridge penalty on leaf values. */
  l2: number;
  /** Value bins per feature, 2 to 255. */
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

/** Plain JSON. */
export interface BoostedTrees {
  loss: LossName;
  baseline: number;
  binning: FeatureBins[];
  trees: Tree[];
}

/**
 * Fits gradient-boosted trees (Friedman 2001; Ke et al. 2017), deterministically.
 * @param table n rows; NaN and codes outside the levels are missing.
 * @param target n finite numbers; 0 or 1 for logistic loss.
 * @throws RangeError for different lengths, no rows or invalid targets.
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

/** Means, or P(y = 1) under logistic loss (n). */
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

/** T arrays of n leaves, 0 … trees[t].leaves - 1. */
export function applyLeaves(model: BoostedTrees, table: FeatureTable): Int32Array[] {
  return model.trees.map((tree) => applyRegressionTree({ binning: model.binning, tree }, table));
}

function requireTarget(table: FeatureTable, target: Float64Array): void {
  if (target.length !== table.rows) throw new RangeError(`${target.length} targets for ${table.rows} rows`);
  if (table.rows === 0) throw new RangeError('no rows to fit trees to');
  const at = target.findIndex((value) => !Number.isFinite(value));
  if (at >= 0) throw new RangeError(`the target of row ${at} is ${target[at]}, not a finite number`);
}

type LossName = 'squared' | 'logistic';

interface Loss {
  unitHessian: boolean;
  /** Throws a RangeError for invalid targets. */
  baseline(target: Float64Array): number;
  derivatives(target: Float64Array, raw: Float64Array, out: Derivatives): void;
  response(raw: number): number;
}

/** ½ (y − f)². */
const squared: Loss = {
  unitHessian: true,
  baseline: mean,
  derivatives(target, raw, out) {
    for (let row = 0; row < target.length; row++) out.gradient[row] = raw[row]! - target[row]!;
  },
  response: (raw) => raw,
};

/** −y f + log(1 + exp f), targets 0 or 1. */
const logistic: Loss = {
  unitHessian: false,
  baseline(target) {
    if (target.some((value) => value !== 0 && value !== 1)) throw new RangeError('a logistic target must be 0 or 1');
    // Half a row of each class keeps log-odds finite.
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

// Rows can be evaluated while they are generated, since thresholds apply to values.

export interface RegressionTreeSettings {
  /** Minimum rows per leaf. */
  minLeafRows: number;
  maxLeaves: number;
}

/** Plain JSON. */
export interface RegressionTree {
  binning: FeatureBins[];
  tree: Tree;
}

/**
 * Grows a tree (Breiman et al. 1984) by squared loss for n finite targets. Throws a RangeError for different lengths,
 * no rows or nonfinite targets.
 */
export const fitRegressionTree = (
  table: FeatureTable,
  target: Float64Array,
  settings: RegressionTreeSettings,
): RegressionTree => fitLeaves(table, target, settings).tree;

/** `numbers`: from `binNumbersOf`, to share bins. */
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

export function applyRegressionTree(model: RegressionTree, table: FeatureTable): Int32Array {
  const leafOf = leafFinder(model, table);
  const out = new Int32Array(table.rows);
  for (let row = 0; row < out.length; row++) out[row] = leafOf(row);
  return out;
}

/**
 * Returns a function from row to leaf. It reads the table when called, so rows may be filled later. Throws a RangeError
 * for features unlike the fit's.
 */
export function leafFinder({ binning, tree }: RegressionTree, table: FeatureTable): (row: number) => number {
  if (table.features.length !== binning.length) {
    throw new RangeError(`${table.features.length} features given, the fit had ${binning.length}`);
  }
  const { feature, left, right, missingLeft, leaf } = tree;
  const bin = Int32Array.from(tree.bin);
  const cuts = Float64Array.from(feature, (f, node) => {
    const bins = f < 0 ? undefined : binning[f];
    // No cut bounds the last bin.
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
