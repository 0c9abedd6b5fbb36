/**
 * Grows one tree whose splits lower several gradients of a row at once: sketches of the gradients of all classes (SketchBoost,
 * Iosipoi and Vakhrushev, 2022), so that a tree of many classes costs as much as one of a few. S = sketches.
 */

export interface GrowSettings {
  /** Leaves of a tree, at most. */
  maxLeaves: number;
  /** Splits from root to leaf, at most. */
  maxDepth: number;
  /** Rows in a leaf, at least. */
  minLeafRows: number;
  /** Rows' worth of no gradient in every leaf. */
  shrinkageRows: number;
}

/** Columns of bins. `isLevel`: the bins have no order, and a split sends any of them left. */
export interface BinnedColumns {
  columns: readonly Uint8Array[];
  /** Bins of each, that of missing cells among them. */
  bins: readonly number[];
  isLevel: readonly boolean[];
}

/** A split: rows whose bin is at most `bin` go left, or those whose level is in `sides`. */
export interface ClassSplit {
  feature: number;
  bin: number;
  sides: Uint8Array | null;
  gain: number;
}

/** The rows order[start … end - 1] of a node that was split (`split`, then its right child follows its left one), or of a leaf. */
export interface GrownNode {
  start: number;
  end: number;
  depth: number;
  split: ClassSplit | null;
  left: number;
}

interface OpenNode {
  at: number;
  histogram: Float64Array;
  sums: Float64Array;
  split: ClassSplit;
}

/** Rows of a level in a node from which on it may go left. */
const MIN_LEVEL_ROWS = 5;
/** Rows' worth of no gradient by which levels are ordered: a rare one does not lead the order by chance. */
const LEVEL_SHRINKAGE_ROWS = 10;
/** Gains below this are rounding. */
const MIN_GAIN = 1e-9;

export class ClassTreeGrower {
  readonly order: Uint32Array;
  readonly #data: BinnedColumns;
  readonly #settings: GrowSettings;
  readonly #offsets: number[];
  readonly #spare: Uint32Array;
  readonly #width: number;
  readonly #gathered: Float64Array;
  readonly #pool: Float64Array[] = [];

  /** `order`: room for the rows that are grown from; `sketches`: gradients a row. */
  constructor(data: BinnedColumns, order: Uint32Array, sketches: number, settings: GrowSettings) {
    this.#data = data;
    this.#settings = settings;
    this.#offsets = [0];
    for (const bins of data.bins) this.#offsets.push(this.#offsets.at(-1)! + bins);
    this.order = order;
    this.#spare = new Uint32Array(order.length);
    this.#width = sketches + 1;
    this.#gathered = new Float64Array(order.length * sketches);
  }

  /** A tree of the rows order[0 … size - 1], which are put in the order of the leaves. `gradients`: S a row of the table. */
  grow(gradients: Float32Array, size: number): GrownNode[] {
    const nodes: GrownNode[] = [{ start: 0, end: size, depth: 0, split: null, left: -1 }];
    if (this.#data.columns.length === 0) return nodes;
    const open: OpenNode[] = [];
    this.#open(open, nodes, 0, this.#count(gradients, 0, size));
    for (let leaves = 1; leaves < this.#settings.maxLeaves && open.length > 0; leaves++) {
      const best = takeBest(open);
      const node = nodes[best.at]!;
      const middle = this.#partition(node, best.split);
      node.split = best.split;
      node.left = nodes.length;
      const depth = node.depth + 1;
      nodes.push({ start: node.start, end: middle, depth, split: null, left: -1 });
      nodes.push({ start: middle, end: node.end, depth, split: null, left: -1 });
      this.#openChildren(open, nodes, node, best.histogram, gradients);
    }
    for (const { histogram } of open) this.#pool.push(histogram);
    return nodes;
  }

  /** The parent's histogram less the smaller child's is the larger one's. */
  #openChildren(
    open: OpenNode[],
    nodes: readonly GrownNode[],
    { left, depth }: GrownNode,
    histogram: Float64Array,
    gradients: Float32Array,
  ): void {
    const size = (at: number): number => nodes[at]!.end - nodes[at]!.start;
    const [small, large] = size(left) <= size(left + 1) ? [left, left + 1] : [left + 1, left];
    if (depth >= this.#settings.maxDepth || size(large) < 2 * this.#settings.minLeafRows) {
      this.#pool.push(histogram);
      return;
    }
    const own = this.#count(gradients, nodes[small]!.start, nodes[small]!.end);
    for (let i = 0; i < own.length; i++) histogram[i]! -= own[i]!;
    this.#open(open, nodes, small, own);
    this.#open(open, nodes, large, histogram);
  }

  #open(open: OpenNode[], nodes: readonly GrownNode[], at: number, histogram: Float64Array): void {
    const sums = new Float64Array(this.#width);
    for (let i = 0; i < this.#offsets[1]! * this.#width; i++) sums[i % this.#width]! += histogram[i]!;
    sums[this.#width - 1] = nodes[at]!.end - nodes[at]!.start;
    const split = this.#findSplit(histogram, sums);
    if (split) open.push({ at, histogram, sums, split });
    else this.#pool.push(histogram);
  }

  #count(gradients: Float32Array, start: number, end: number): Float64Array {
    const width = this.#width;
    const sketches = width - 1;
    const histogram = this.#pool.pop() ?? new Float64Array(this.#offsets.at(-1)! * width);
    histogram.fill(0);
    const size = end - start;
    for (let i = 0, to = 0; i < size; i++) {
      const from = this.order[start + i]! * sketches;
      for (let s = 0; s < sketches; s++) this.#gathered[to++] = gradients[from + s]!;
    }
    this.#data.columns.forEach((column, f) => {
      addColumn(histogram, column, this.#offsets[f]!, this.order, start, size, this.#gathered, sketches);
    });
    return histogram;
  }

  /** Where the right rows begin; both sides keep their order. */
  #partition({ start, end }: GrownNode, { feature, bin, sides }: ClassSplit): number {
    const column = this.#data.columns[feature]!;
    let left = start;
    let right = 0;
    for (let i = start; i < end; i++) {
      const row = this.order[i]!;
      const own = column[row]!;
      if (sides ? sides[own] === 1 : own <= bin) this.order[left++] = row;
      else this.#spare[right++] = row;
    }
    this.order.set(this.#spare.subarray(0, right), left);
    return left;
  }

  #findSplit(histogram: Float64Array, sums: Float64Array): ClassSplit | null {
    const { minLeafRows, shrinkageRows } = this.#settings;
    if (sums[sums.length - 1]! < 2 * minLeafRows) return null;
    const scan = new SplitScan(histogram, sums, minLeafRows, shrinkageRows);
    this.#data.isLevel.forEach((isLevel, f) => {
      const [from, to] = [this.#offsets[f]!, this.#offsets[f + 1]!];
      if (isLevel) scan.levels(f, from, to);
      else scan.numbers(f, from, to);
    });
    return scan.best;
  }
}

function takeBest(open: OpenNode[]): OpenNode {
  let best = 0;
  for (let i = 1; i < open.length; i++) if (open[i]!.split.gain > open[best]!.split.gain) best = i;
  return open.splice(best, 1)[0]!;
}

/** The usual numbers of sketches have loops of their own, which are twice as fast. */
function addColumn(
  histogram: Float64Array,
  column: Uint8Array,
  offset: number,
  order: Uint32Array,
  start: number,
  size: number,
  gathered: Float64Array,
  sketches: number,
): void {
  if (sketches === 1) {
    for (let i = 0; i < size; i++) {
      const at = (offset + column[order[start + i]!]!) * 2;
      histogram[at]! += gathered[i]!;
      histogram[at + 1]!++;
    }
    return;
  }
  if (sketches === 3) {
    for (let i = 0, j = 0; i < size; i++, j += 3) {
      const at = (offset + column[order[start + i]!]!) * 4;
      histogram[at]! += gathered[j]!;
      histogram[at + 1]! += gathered[j + 1]!;
      histogram[at + 2]! += gathered[j + 2]!;
      histogram[at + 3]!++;
    }
    return;
  }
  for (let i = 0, j = 0; i < size; i++) {
    const at = (offset + column[order[start + i]!]!) * (sketches + 1);
    for (let s = 0; s < sketches; s++) histogram[at + s]! += gathered[j++]!;
    histogram[at + sketches]!++;
  }
}

/** Looks for the split with the greatest Σ_s G_L² / (n_L + λ) + G_R² / (n_R + λ) - G² / (n + λ). */
class SplitScan {
  best: ClassSplit | null = null;
  readonly #histogram: Float64Array;
  readonly #sums: Float64Array;
  readonly #left: Float64Array;
  readonly #minRows: number;
  readonly #shrinkage: number;
  readonly #parent: number;

  constructor(histogram: Float64Array, sums: Float64Array, minRows: number, shrinkage: number) {
    this.#histogram = histogram;
    this.#sums = sums;
    this.#left = new Float64Array(sums.length);
    this.#minRows = minRows;
    this.#shrinkage = shrinkage;
    const last = sums.length - 1;
    let squares = 0;
    for (let s = 0; s < last; s++) squares += sums[s]! * sums[s]!;
    this.#parent = squares / (sums[last]! + shrinkage);
  }

  numbers(feature: number, from: number, to: number): void {
    const [histogram, left, width] = [this.#histogram, this.#left, this.#left.length];
    const [last, rows] = [width - 1, this.#sums[width - 1]!];
    left.fill(0);
    for (let bin = from; bin < to - 1; bin++) {
      const at = bin * width;
      if (histogram[at + last] === 0) continue;
      for (let s = 0; s < width; s++) left[s]! += histogram[at + s]!;
      if (rows - left[last]! < this.#minRows) return;
      if (left[last]! < this.#minRows) continue;
      const gain = this.#gain();
      if (gain > (this.best ? this.best.gain : MIN_GAIN)) this.best = { feature, bin: bin - from, sides: null, gain };
    }
  }

  /** Along the order of each sketch's mean gradient (Fisher, 1958), from both ends: rare levels always go right. */
  levels(feature: number, from: number, to: number): void {
    const width = this.#sums.length;
    const rowsOf = (bin: number): number => this.#histogram[bin * width + width - 1]!;
    const bins: number[] = [];
    for (let bin = from; bin < to; bin++) if (rowsOf(bin) >= MIN_LEVEL_ROWS) bins.push(bin);
    if (bins.length === 0) return;
    for (let s = 0; s < width - 1; s++) {
      const mean = (bin: number): number => this.#histogram[bin * width + s]! / (rowsOf(bin) + LEVEL_SHRINKAGE_ROWS);
      bins.sort((a, b) => mean(a) - mean(b) || a - b);
      this.#along(feature, from, to, bins);
      bins.reverse();
      this.#along(feature, from, to, bins);
    }
  }

  #along(feature: number, from: number, to: number, bins: readonly number[]): void {
    const [histogram, left, width] = [this.#histogram, this.#left, this.#left.length];
    const [last, rows] = [width - 1, this.#sums[width - 1]!];
    left.fill(0);
    for (let i = 0; i < bins.length; i++) {
      const at = bins[i]! * width;
      for (let s = 0; s < width; s++) left[s]! += histogram[at + s]!;
      if (rows - left[last]! < this.#minRows) return;
      if (left[last]! < this.#minRows) continue;
      const gain = this.#gain();
      if (gain <= (this.best ? this.best.gain : MIN_GAIN)) continue;
      const sides = new Uint8Array(to - from);
      for (let k = 0; k <= i; k++) sides[bins[k]! - from] = 1;
      this.best = { feature, bin: -1, sides, gain };
    }
  }

  /** Of the rows on the left against the others. */
  #gain(): number {
    const [left, sums] = [this.#left, this.#sums];
    const last = left.length - 1;
    let own = 0;
    let others = 0;
    for (let s = 0; s < last; s++) {
      const gradient = left[s]!;
      const rest = sums[s]! - gradient;
      own += gradient * gradient;
      others += rest * rest;
    }
    const rows = left[last]!;
    return own / (rows + this.#shrinkage) + others / (sums[last]! - rows + this.#shrinkage) - this.#parent;
  }
}

/** Which node is the leaf of a row of the binned columns, grown from or not. */
export function leafAt(nodes: readonly GrownNode[], columns: readonly Uint8Array[], row: number): number {
  let at = 0;
  for (;;) {
    const { split, left } = nodes[at]!;
    if (!split) return at;
    const bin = columns[split.feature]![row]!;
    at = (split.sides ? split.sides[bin] === 1 : bin <= split.bin) ? left : left + 1;
  }
}
