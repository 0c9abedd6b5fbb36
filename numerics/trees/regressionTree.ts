/**
 * One regression tree (Breiman et al., 1984) as a partition of rows: each falls in one leaf. Grown on histograms, asked by
 * thresholds, so that rows can be asked one by one, while they are made. No randomness: the same table gives the same
 * tree. n = rows.
 */
import type { FeatureBins } from './binning.ts';
import { fitBoostedTrees } from './boostedTrees.ts';
import type { FeatureTable } from './features.ts';
import { requireEqualLengths } from './features.ts';
import { addNode, emptyTree, numberLeaves, type Tree } from './tree.ts';

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
 * Grows a tree for a target, n finite numbers, by squared loss.
 * Throws RangeError where lengths differ, there is no row, or a target is not finite.
 */
export function fitRegressionTree(
  table: FeatureTable,
  target: Float64Array,
  { minLeafRows, maxLeaves }: RegressionTreeSettings,
): RegressionTree {
  const { binning, trees } = fitBoostedTrees(table, target, {
    iterations: 1,
    learningRate: 1,
    minLeafRows,
    maxLeaves,
  });
  return { binning, tree: trees[0] ?? loneLeaf() };
}

function loneLeaf(): Tree {
  const tree = emptyTree();
  addNode(tree);
  numberLeaves(tree);
  return tree;
}

/** The number of the leaf in which each row falls, n. */
export function applyRegressionTree(model: RegressionTree, table: FeatureTable): Int32Array {
  requireEqualLengths(table);
  const leafOf = leafFinder(model, table);
  return Int32Array.from({ length: table.rows }, (_, row) => leafOf(row));
}

/**
 * A function that gives the leaf of one row, 0 … leaves - 1. It reads the table's arrays when it is called, so that they
 * may be filled row by row. Throws RangeError where the features are of another kind than at the fit.
 */
export function leafFinder({ binning, tree }: RegressionTree, table: FeatureTable): (row: number) => number {
  const { feature, left, right, missingLeft, leaf } = tree;
  const bin = Int32Array.from(tree.bin);
  const cuts = Float64Array.from(feature, (f, node) => {
    const bins = f < 0 ? undefined : binning[f];
    // In the last bin lie all values that no cut is below.
    return bins?.kind === 'numeric' ? (bins.cuts[tree.bin[node]!] ?? Number.POSITIVE_INFINITY) : Number.NaN;
  });
  const readers = table.features.map((own, f): Reader => {
    const bins = binning[f];
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
