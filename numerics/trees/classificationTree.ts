/**
 * One classification tree (Breiman et al., 1984) as a model of a conditional distribution: each leaf keeps the counts of
 * the classes of its rows. No randomness: the same table gives the same tree. n = rows, K = classes.
 */
import { applyBinning, binFeature, type FeatureBins, valueBins } from './binning.ts';
import { classScores } from './classScores.ts';
import { type ClassSplit, fillClassHistogram, scanClasses } from './classSplit.ts';
import { type FeatureTable, requireEqualLengths } from './features.ts';
import { partitionRows } from './partitionRows.ts';
import { addNode, emptyTree, leafNode, numberLeaves, type Tree } from './tree.ts';

export interface ClassTreeSettings {
  /** Rows in a leaf, at least. */
  minLeafRows: number;
  maxDepth: number;
  /** Bins of values a feature, 2 to 255. */
  maxBins: number;
}

export const CLASS_TREE_DEFAULTS: Readonly<ClassTreeSettings> = { minLeafRows: 20, maxDepth: 30, maxBins: 64 };

/** Classes that splits look at: the others, which are rarer, count as one. */
const SPLIT_CLASSES = 32;

/** JSON as it is. */
export interface ClassificationTree {
  binning: FeatureBins[];
  tree: Tree;
}

/**
 * Grows a tree for the classes (0 … K-1) of n rows. Throws RangeError where lengths differ or there is no row.
 */
export function fitClassificationTree(
  table: FeatureTable,
  classes: Int32Array,
  kinds: number,
  settings: Partial<ClassTreeSettings> = {},
): ClassificationTree {
  requireEqualLengths(table);
  if (classes.length !== table.rows) throw new RangeError(`${classes.length} classes for ${table.rows} rows`);
  if (table.rows === 0) throw new RangeError('no rows to grow a tree from');
  const chosen = { ...CLASS_TREE_DEFAULTS, ...settings };
  const merged = mergeRareClasses(classes, kinds);
  const binning = table.features.map((feature) =>
    binFeature(feature, targetFor(feature, merged.classes, merged.kinds), chosen.maxBins),
  );
  const grower = new ClassTreeGrower(applyBinning(binning, table), binning.map(valueBins), merged, chosen);
  return { binning, tree: grower.grow(table.rows) };
}

/** The number of the leaf in which each row falls, n. */
export function applyClassificationTree(model: ClassificationTree, table: FeatureTable): Int32Array {
  requireEqualLengths(table);
  const bins = applyBinning(model.binning, table);
  const missing = model.binning.map(valueBins);
  const leaves = new Int32Array(table.rows);
  for (let row = 0; row < leaves.length; row++) {
    leaves[row] = model.tree.leaf[leafNode(model.tree, bins, missing, row)]!;
  }
  return leaves;
}

interface Classes {
  classes: Int32Array;
  kinds: number;
}

function mergeRareClasses(classes: Int32Array, kinds: number): Classes {
  if (kinds <= SPLIT_CLASSES) return { classes, kinds };
  const counts = new Int32Array(kinds);
  for (const one of classes) counts[one]!++;
  const byCount = [...counts.keys()].sort((a, b) => counts[b]! - counts[a]! || a - b);
  const place = new Int32Array(kinds).fill(SPLIT_CLASSES);
  for (let i = 0; i < SPLIT_CLASSES; i++) place[byCount[i]!] = i;
  return { classes: classes.map((one) => place[one]!), kinds: SPLIT_CLASSES + 1 };
}

function targetFor(feature: FeatureTable['features'][number], classes: Int32Array, kinds: number): Float64Array {
  if (feature.kind === 'numeric') return new Float64Array(classes.length);
  const scores = classScores(feature, classes, kinds);
  return Float64Array.from(classes, (one) => scores[one]!);
}

class ClassTreeGrower {
  private readonly columns: readonly Uint8Array[];
  private readonly missing: readonly number[];
  private readonly target: Classes;
  private readonly settings: ClassTreeSettings;
  private readonly histograms: Int32Array[];
  private readonly order: Uint32Array;
  private readonly spare: Uint32Array;

  constructor(
    columns: readonly Uint8Array[],
    missing: readonly number[],
    target: Classes,
    settings: ClassTreeSettings,
  ) {
    this.columns = columns;
    this.missing = missing;
    this.target = target;
    this.settings = settings;
    this.histograms = missing.map((bin) => new Int32Array((bin + 1) * target.kinds));
    this.order = Uint32Array.from({ length: target.classes.length }, (_, row) => row);
    this.spare = new Uint32Array(target.classes.length);
  }

  grow(rows: number): Tree {
    const tree = emptyTree();
    const open = [{ node: addNode(tree), start: 0, end: rows, depth: 0 }];
    for (let leaf = open.pop(); leaf; leaf = open.pop()) {
      const { node, start, end, depth } = leaf;
      const split = depth < this.settings.maxDepth ? this.bestSplit(start, end) : undefined;
      if (!split) continue;
      const column = this.columns[split.feature]!;
      const full = { ...split, left: { gradient: 0, hessian: 0, rows: 0 } };
      const middle = partitionRows(this.order, this.spare, start, end, column, this.missing[split.feature]!, full);
      tree.feature[node] = split.feature;
      tree.bin[node] = split.bin;
      tree.missingLeft[node] = split.missingLeft;
      tree.left[node] = addNode(tree);
      tree.right[node] = addNode(tree);
      open.push({ node: tree.right[node]!, start: middle, end, depth: depth + 1 });
      open.push({ node: tree.left[node]!, start, end: middle, depth: depth + 1 });
    }
    numberLeaves(tree);
    return tree;
  }

  private bestSplit(start: number, end: number): ClassSplit | undefined {
    if (end - start < 2 * this.settings.minLeafRows) return undefined;
    const { classes, kinds } = this.target;
    const total = new Int32Array(kinds);
    for (let i = start; i < end; i++) total[classes[this.order[i]!]!]!++;
    if (total.some((count) => count === end - start)) return undefined;
    const best: ClassSplit = { feature: -1, bin: -1, missingLeft: false, gain: 0 };
    for (let f = 0; f < this.columns.length; f++) {
      const histogram = this.histograms[f]!;
      fillClassHistogram(histogram, this.columns[f]!, classes, kinds, this.order, start, end);
      scanClasses(histogram, kinds, this.missing[f]!, total, f, this.settings.minLeafRows, best);
    }
    return best.feature < 0 ? undefined : best;
  }
}
