/** Leaf-wise growth (Shi 2007; LightGBM). A larger child's histogram is the parent's minus its sibling's. */
import {
  createHistogram,
  type Derivatives,
  fillHistogram,
  type Gathered,
  type Histogram,
  subtractHistogram,
} from './histogram.ts';
import { addNode, emptyTree, numberLeaves, type Tree } from './tree.ts';

export interface GrowSettings extends SplitSettings {
  maxLeaves: number;
  /** Maximum splits from root to leaf. */
  maxDepth: number;
  learningRate: number;
}

/** Rows order[start … end-1]. */
interface OpenLeaf {
  node: number;
  start: number;
  end: number;
  depth: number;
  sums: NodeSums;
  histogram: Histogram | undefined;
  split: Split | undefined;
}

export class TreeGrower {
  private readonly columns: readonly Uint8Array[];
  private readonly offsets: number[];
  private readonly settings: GrowSettings;
  private readonly order: Uint32Array;
  private readonly spare: Uint32Array;
  private readonly gathered: Gathered;
  private readonly pool: Histogram[] = [];

  /** @param missing missing bin of each column. */
  constructor(columns: readonly Uint8Array[], missing: readonly number[], rows: number, settings: GrowSettings) {
    this.columns = columns;
    this.settings = settings;
    this.offsets = [0];
    for (const bin of missing) this.offsets.push(this.offsets[this.offsets.length - 1]! + bin + 1);
    this.order = new Uint32Array(rows);
    this.spare = new Uint32Array(rows);
    this.gathered = { gradient: new Float64Array(rows), hessian: new Float64Array(rows) };
  }

  /** Updates predictions and writes leaves to `leafOf` (n). */
  grow(derivatives: Derivatives, predictions: Float64Array, leafOf?: Int32Array): Tree {
    const tree = emptyTree();
    const root = this.openRoot(tree, derivatives);
    const leaves: OpenLeaf[] = [root];
    while (leaves.length < this.settings.maxLeaves) {
      const leaf = mostGaining(leaves);
      if (!leaf?.split) break;
      const isLast = leaves.length + 1 >= this.settings.maxLeaves;
      leaves.splice(leaves.indexOf(leaf), 1, ...this.splitLeaf(tree, leaf, leaf.split, derivatives, isLast));
    }
    for (const leaf of leaves) this.closeLeaf(tree, leaf, predictions);
    numberLeaves(tree);
    if (leafOf) {
      for (const { node, start, end } of leaves) {
        for (let i = start; i < end; i++) leafOf[this.order[i]!] = tree.leaf[node]!;
      }
    }
    return tree;
  }

  private openRoot(tree: Tree, derivatives: Derivatives): OpenLeaf {
    const rows = this.order.length;
    for (let row = 0; row < rows; row++) this.order[row] = row;
    const hessian = derivatives.hessian ? sum(derivatives.hessian) : rows;
    const sums = { gradient: sum(derivatives.gradient), hessian, rows };
    const open = { depth: 0, histogram: undefined, split: undefined };
    const root: OpenLeaf = { ...open, node: addNode(tree), start: 0, end: rows, sums };
    if (!this.maySplit(root)) return root;
    root.histogram = this.count(root, derivatives);
    root.split = findSplit(root.histogram, this.offsets, root.sums, this.settings);
    return root;
  }

  private splitLeaf(
    tree: Tree,
    leaf: OpenLeaf,
    split: Split,
    derivatives: Derivatives,
    isLast: boolean,
  ): [OpenLeaf, OpenLeaf] {
    const middle = this.partition(leaf, split);
    const rightSums = {
      gradient: leaf.sums.gradient - split.left.gradient,
      hessian: leaf.sums.hessian - split.left.hessian,
      rows: leaf.sums.rows - split.left.rows,
    };
    const depth = leaf.depth + 1;
    const open = { depth, histogram: undefined, split: undefined };
    const left: OpenLeaf = { ...open, node: addNode(tree), start: leaf.start, end: middle, sums: split.left };
    const right: OpenLeaf = { ...open, node: addNode(tree), start: middle, end: leaf.end, sums: rightSums };
    tree.feature[leaf.node] = split.feature;
    tree.bin[leaf.node] = split.bin;
    tree.missingLeft[leaf.node] = split.missingLeft;
    tree.left[leaf.node] = left.node;
    tree.right[leaf.node] = right.node;
    if (isLast) this.giveBack(leaf);
    else this.openChildren(leaf, left, right, derivatives);
    return [left, right];
  }

  private openChildren(parent: OpenLeaf, left: OpenLeaf, right: OpenLeaf, derivatives: Derivatives): void {
    const [small, large] = left.sums.rows <= right.sums.rows ? [left, right] : [right, left];
    if (!this.maySplit(large) || !parent.histogram) {
      this.giveBack(parent);
      return;
    }
    small.histogram = this.count(small, derivatives);
    large.histogram = parent.histogram;
    parent.histogram = undefined;
    subtractHistogram(large.histogram, small.histogram);
    for (const leaf of [small, large]) {
      leaf.split = findSplit(leaf.histogram!, this.offsets, leaf.sums, this.settings);
      if (!leaf.split) this.giveBack(leaf);
    }
  }

  private maySplit(leaf: OpenLeaf): boolean {
    return (
      leaf.depth < this.settings.maxDepth &&
      leaf.sums.rows >= 2 * this.settings.minLeafRows &&
      this.settings.maxLeaves > 1
    );
  }

  private count(leaf: OpenLeaf, derivatives: Derivatives): Histogram {
    const bins = this.offsets[this.offsets.length - 1]!;
    const histogram = this.pool.pop() ?? createHistogram(bins, derivatives.hessian === null);
    fillHistogram(histogram, this.columns, this.offsets, derivatives, this.order, leaf.start, leaf.end, this.gathered);
    return histogram;
  }

  private giveBack(leaf: OpenLeaf): void {
    if (leaf.histogram) this.pool.push(leaf.histogram);
    leaf.histogram = undefined;
  }

  private partition(leaf: OpenLeaf, split: Split): number {
    const column = this.columns[split.feature]!;
    const missing = this.offsets[split.feature + 1]! - this.offsets[split.feature]! - 1;
    return partitionRows(this.order, this.spare, leaf.start, leaf.end, column, missing, split);
  }

  private closeLeaf(tree: Tree, leaf: OpenLeaf, predictions: Float64Array): void {
    this.giveBack(leaf);
    const { gradient, hessian } = leaf.sums;
    const denominator = hessian + this.settings.l2;
    const value = denominator > 0 ? (-this.settings.learningRate * gradient) / denominator : 0;
    tree.value[leaf.node] = value;
    for (let i = leaf.start; i < leaf.end; i++) predictions[this.order[i]!]! += value;
  }
}

function mostGaining(leaves: readonly OpenLeaf[]): OpenLeaf | undefined {
  let best: OpenLeaf | undefined;
  for (const leaf of leaves) {
    if (leaf.split && (!best?.split || leaf.split.gain > best.split.gain)) best = leaf;
  }
  return best;
}

function sum(values: Float64Array): number {
  let total = 0;
  for (let i = 0; i < values.length; i++) total += values[i]!;
  return total;
}

// Gain (Chen and Guestrin 2016): G_L²/(H_L + λ) + G_R²/(H_R + λ) − G²/(H + λ), sums of gradients and hessians.

interface SplitSettings {
  minLeafRows: number;
  /** λ. */
  l2: number;
}

interface NodeSums {
  gradient: number;
  hessian: number;
  rows: number;
}

interface Split {
  feature: number;
  bin: number;
  missingLeft: boolean;
  gain: number;
  left: NodeSums;
}

/** Newton steps of smaller sums are noise. */
const MIN_HESSIAN = 1e-3;

/** Smaller relative gains are rounding. */
const GAIN_ROUNDING = 1e-12;

/** Ties go to the first feature and lowest bin. */
function findSplit(
  histogram: Histogram,
  offsets: readonly number[],
  node: NodeSums,
  settings: SplitSettings,
): Split | undefined {
  if (node.rows < 2 * settings.minLeafRows) return undefined;
  const best: Split = { feature: -1, bin: -1, missingLeft: false, gain: 0, left: { gradient: 0, hessian: 0, rows: 0 } };
  for (let feature = 0; feature + 1 < offsets.length; feature++) {
    const missingRows = histogram.rows[offsets[feature + 1]! - 1]!;
    scan(histogram, offsets, feature, node, settings, 'right', best);
    if (missingRows > 0) scan(histogram, offsets, feature, node, settings, 'left', best);
  }
  return best.feature < 0 ? undefined : best;
}

function scan(
  { gradient, hessian, rows }: Histogram,
  offsets: readonly number[],
  feature: number,
  node: NodeSums,
  { minLeafRows, l2 }: SplitSettings,
  missingSide: 'left' | 'right',
  best: Split,
): void {
  const missingLeft = missingSide === 'left';
  const start = offsets[feature]!;
  const missing = offsets[feature + 1]! - 1;
  const score = (node.gradient * node.gradient) / (node.hessian + l2);
  let leftGradient = missingLeft ? gradient[missing]! : 0;
  let leftHessian = missingLeft ? hessian[missing]! : 0;
  let leftRows = missingLeft ? rows[missing]! : 0;
  for (let at = start; at < missing; at++) {
    leftGradient += gradient[at]!;
    leftHessian += hessian[at]!;
    leftRows += rows[at]!;
    const rightRows = node.rows - leftRows;
    if (rightRows < minLeafRows || rightRows <= 0) break;
    const rightHessian = node.hessian - leftHessian;
    if (leftRows < minLeafRows || leftHessian < MIN_HESSIAN || rightHessian < MIN_HESSIAN) continue;
    const rightGradient = node.gradient - leftGradient;
    const gain =
      (leftGradient * leftGradient) / (leftHessian + l2) +
      (rightGradient * rightGradient) / (rightHessian + l2) -
      score;
    if (gain <= best.gain || gain <= GAIN_ROUNDING * score) continue;
    best.feature = feature;
    best.bin = at - start;
    // If none are missing, follow the larger side.
    best.missingLeft = missingLeft || (rows[missing] === 0 && leftRows > rightRows);
    best.gain = gain;
    best.left = { gradient: leftGradient, hessian: leftHessian, rows: leftRows };
  }
}

/**
 * Stable partition of order[start … end-1].
 * @param spare overwritten buffer.
 * @returns the start of the right rows.
 */
export function partitionRows(
  order: Uint32Array,
  spare: Uint32Array,
  start: number,
  end: number,
  column: Uint8Array,
  missing: number,
  split: Split,
): number {
  let left = start;
  let right = 0;
  for (let i = start; i < end; i++) {
    const row = order[i]!;
    const bin = column[row]!;
    if (bin === missing ? split.missingLeft : bin <= split.bin) order[left++] = row;
    else spare[right++] = row;
  }
  for (let i = 0; i < right; i++) order[left + i] = spare[i]!;
  return left;
}
