/** A classification tree as a conditional distribution. n rows, K classes. */
import {
  applyBinning,
  binFeature,
  type CategoryFeature,
  type FeatureBins,
  type FeatureTable,
  valueBins,
} from './features.ts';
import { partitionRows } from './growTree.ts';
import { addNode, emptyTree, leafNode, numberLeaves, type Tree } from './tree.ts';

export interface ClassTreeSettings {
  /** Minimum rows per leaf. */
  minLeafRows: number;
  maxDepth: number;
  /** Value bins per feature, 2 to 255. */
  maxBins: number;
}

const CLASS_TREE_DEFAULTS: Readonly<ClassTreeSettings> = { minLeafRows: 20, maxDepth: 30, maxBins: 64 };

/** Rarer classes are merged. */
const SPLIT_CLASSES = 32;

/** Plain JSON. */
export interface ClassificationTree {
  binning: FeatureBins[];
  tree: Tree;
}

/**
 * Grows a tree (Breiman et al. 1984) for n classes 0 … `kinds` - 1. Throws a RangeError for different lengths or no
 * rows.
 */
export function fitClassificationTree(
  table: FeatureTable,
  classes: Int32Array,
  kinds: number,
  settings: Partial<ClassTreeSettings> = {},
): ClassificationTree {
  if (classes.length !== table.rows) throw new RangeError(`${classes.length} classes for ${table.rows} rows`);
  if (table.rows === 0) throw new RangeError('no rows to grow a tree from');
  const chosen = { ...CLASS_TREE_DEFAULTS, ...settings };
  const merged = mergeRareClasses(classes, kinds);
  const binning = table.features.map((feature) =>
    binFeature(feature, targetFor(feature, merged.classes, merged.kinds), chosen.maxBins),
  );
  const grower = new ClassificationTreeGrower(applyBinning(binning, table), binning.map(valueBins), merged, chosen);
  return { binning, tree: grower.grow(table.rows) };
}

export function applyClassificationTree(model: ClassificationTree, table: FeatureTable): Int32Array {
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
  const out = new Float64Array(classes.length);
  for (let row = 0; row < out.length; row++) out[row] = scores[classes[row]!]!;
  return out;
}

class ClassificationTreeGrower {
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

// Orders levels by the first principal component of class shares (Coppersmith, Hong and Hosking 1999).

const POWER_STEPS = 30;

/** K scores; all 0 if levels do not differ. */
export function classScores(feature: CategoryFeature, classes: Int32Array, kinds: number): Float64Array {
  const deviations = shareDeviations(feature, classes, kinds);
  let scores: Float64Array = longestOf(deviations, kinds);
  for (let step = 0; step < POWER_STEPS; step++) {
    const next = new Float64Array(kinds);
    for (const { deviation, weight } of deviations) {
      let dot = 0;
      for (let k = 0; k < kinds; k++) dot += deviation[k]! * scores[k]!;
      for (let k = 0; k < kinds; k++) next[k]! += weight * dot * deviation[k]!;
    }
    const length = Math.hypot(...next);
    if (!(length > 0)) return new Float64Array(kinds);
    scores = next.map((value) => value / length);
  }
  return scores;
}

interface LevelDeviation {
  weight: number;
  deviation: Float64Array;
}

function shareDeviations({ codes, levels }: CategoryFeature, classes: Int32Array, kinds: number): LevelDeviation[] {
  const counts = new Float64Array(levels * kinds);
  for (let row = 0; row < classes.length; row++) {
    const code = codes[row]!;
    if (code >= 0 && code < levels) counts[code * kinds + classes[row]!]!++;
  }
  const margin = new Float64Array(kinds);
  for (let cell = 0; cell < counts.length; cell++) margin[cell % kinds]! += counts[cell]!;
  const total = sumOf(margin);
  return Array.from({ length: levels }, (_, code) => counts.subarray(code * kinds, (code + 1) * kinds))
    .map((own) => ({ own, weight: sumOf(own) }))
    .filter(({ weight }) => weight > 0)
    .map(({ own, weight }) => ({ weight, deviation: own.map((count, k) => count / weight - margin[k]! / total) }));
}

const sumOf = (values: Float64Array): number => values.reduce((sum, value) => sum + value, 0);

function longestOf(rows: readonly LevelDeviation[], kinds: number): Float64Array {
  let best: Float64Array = new Float64Array(kinds);
  let longest = 0;
  for (const { weight, deviation } of rows) {
    const length = weight * deviation.reduce((sum, value) => sum + value * value, 0);
    if (length <= longest) continue;
    longest = length;
    best = deviation;
  }
  return best;
}

/** Gini gain (Breiman et al. 1984): Σ_k n_Lk² / n_L + Σ_k n_Rk² / n_R − Σ_k n_k² / n. */

interface ClassSplit {
  feature: number;
  bin: number;
  missingLeft: boolean;
  gain: number;
}

/** Bin b has K counts from b · K; missing is last. */
type ClassHistogram = Int32Array;

/** Smaller relative gains are rounding. */
const GAIN_ROUNDING = 1e-9;

function fillClassHistogram(
  out: ClassHistogram,
  column: Uint8Array,
  classes: Int32Array,
  kinds: number,
  order: Uint32Array,
  start: number,
  end: number,
): void {
  out.fill(0);
  for (let i = start; i < end; i++) {
    const row = order[i]!;
    out[column[row]! * kinds + classes[row]!]!++;
  }
}

/** Missing rows go right, or to the larger side if the node has none. */
function scanClasses(
  histogram: ClassHistogram,
  kinds: number,
  missing: number,
  total: Int32Array,
  feature: number,
  minLeafRows: number,
  best: ClassSplit,
): void {
  const rows = total.reduce((sum, count) => sum + count, 0);
  const left = new Int32Array(kinds);
  let leftRows = 0;
  let leftSquares = 0;
  let rightSquares = 0;
  for (let k = 0; k < kinds; k++) rightSquares += total[k]! * total[k]!;
  const before = rightSquares / rows;
  const hasMissing = histogram.subarray(missing * kinds).some((count) => count > 0);
  for (let bin = 0; bin < missing; bin++) {
    for (let k = 0, at = bin * kinds; k < kinds; k++, at++) {
      const count = histogram[at]!;
      if (count === 0) continue;
      leftSquares += count * (2 * left[k]! + count);
      rightSquares -= count * (2 * (total[k]! - left[k]!) - count);
      left[k]! += count;
      leftRows += count;
    }
    const rightRows = rows - leftRows;
    if (rightRows < minLeafRows) break;
    if (leftRows < minLeafRows) continue;
    const gain = leftSquares / leftRows + rightSquares / rightRows - before;
    if (gain <= best.gain || gain <= GAIN_ROUNDING * rows) continue;
    best.feature = feature;
    best.bin = bin;
    best.gain = gain;
    best.missingLeft = !hasMissing && leftRows > rightRows;
  }
}
