/**
 * Grows a tree on S gradient sketches (SketchBoost: Iosipoi and Vakhrushev 2022), so cost does not grow with classes.
 */
import { type BinnedColumns, type ClassHistogram, ClassHistograms } from './classHistograms.ts';

export interface ClassGrowSettings {
  /** Leaves of a tree, at most. */
  maxLeaves: number;
  /** Maximum splits from root to leaf. */
  maxDepth: number;
  minLeafRows: number;
  /** Pseudo-rows without gradient in every leaf. */
  shrinkageRows: number;
}

/** Rows up to `bin`, or with levels in `sides`, go left. */
export interface ClassSplit {
  feature: number;
  bin: number;
  sides: Uint8Array | null;
  gain: number;
}

/** Right children follow left ones. */
export interface GrownNode {
  start: number;
  end: number;
  depth: number;
  split: ClassSplit | null;
  left: number;
}

interface OpenNode {
  at: number;
  histogram: ClassHistogram;
  sums: Float64Array;
  split: ClassSplit;
}

const MIN_LEVEL_ROWS = 5;
/** Rare levels must not lead the order by chance. */
const LEVEL_SHRINKAGE_ROWS = 10;
/** Smaller gains are rounding. */
const MIN_GAIN = 1e-9;

export class ClassTreeGrower {
  readonly order: Uint32Array;
  readonly #data: BinnedColumns;
  readonly #settings: ClassGrowSettings;
  readonly #spare: Uint32Array;
  readonly #sketches: number;
  readonly #histograms: ClassHistograms;

  /** `sketches`: gradients per row. */
  constructor(data: BinnedColumns, order: Uint32Array, sketches: number, settings: ClassGrowSettings) {
    this.#data = data;
    this.#settings = settings;
    this.order = order;
    this.#spare = new Uint32Array(order.length);
    this.#sketches = sketches;
    // One per open node, plus one child's.
    this.#histograms = new ClassHistograms(data, order.length, sketches, settings.maxLeaves + 1);
  }

  /** Reorders order[0 … size - 1] by leaf. `gradients`: S per row. */
  grow(gradients: Float32Array, size: number): GrownNode[] {
    const nodes: GrownNode[] = [{ start: 0, end: size, depth: 0, split: null, left: -1 }];
    if (this.#data.columns.length === 0) return nodes;
    const open: OpenNode[] = [];
    this.#histograms.look(gradients);
    this.#open(open, nodes, 0, this.#histograms.count(this.order, 0, size));
    for (let leaves = 1; leaves < this.#settings.maxLeaves && open.length > 0; leaves++) {
      const best = takeBest(open);
      const node = nodes[best.at]!;
      const middle = this.#partition(node, best.split);
      node.split = best.split;
      node.left = nodes.length;
      const depth = node.depth + 1;
      nodes.push({ start: node.start, end: middle, depth, split: null, left: -1 });
      nodes.push({ start: middle, end: node.end, depth, split: null, left: -1 });
      this.#openChildren(open, nodes, node, best.histogram);
    }
    for (const { histogram } of open) this.#histograms.release(histogram);
    return nodes;
  }

  #openChildren(
    open: OpenNode[],
    nodes: readonly GrownNode[],
    { left, depth }: GrownNode,
    histogram: ClassHistogram,
  ): void {
    const size = (at: number): number => nodes[at]!.end - nodes[at]!.start;
    const [small, large] = size(left) <= size(left + 1) ? [left, left + 1] : [left + 1, left];
    if (depth >= this.#settings.maxDepth || size(large) < 2 * this.#settings.minLeafRows) {
      this.#histograms.release(histogram);
      return;
    }
    const own = this.#histograms.count(this.order, nodes[small]!.start, nodes[small]!.end);
    this.#histograms.subtract(histogram, own);
    this.#open(open, nodes, small, own);
    this.#open(open, nodes, large, histogram);
  }

  #open(open: OpenNode[], nodes: readonly GrownNode[], at: number, histogram: ClassHistogram): void {
    const { width } = this.#histograms;
    const sums = new Float64Array(width);
    const { to } = this.#histograms.binsOf(0);
    for (let i = 0; i < to * width; i++) sums[i % width]! += histogram.values[i]!;
    sums[width - 1] = nodes[at]!.end - nodes[at]!.start;
    const split = this.#findSplit(histogram.values, sums);
    if (split) open.push({ at, histogram, sums, split });
    else this.#histograms.release(histogram);
  }

  #partition({ start, end }: GrownNode, { feature, bin, sides }: ClassSplit): number {
    const column = this.#data.columns[feature]!;
    const [order, spare] = [this.order, this.#spare];
    let left = start;
    let right = 0;
    for (let i = start; i < end; i++) {
      const row = order[i]!;
      const own = column[row]!;
      if (sides ? sides[own] === 1 : own <= bin) order[left++] = row;
      else spare[right++] = row;
    }
    order.set(spare.subarray(0, right), left);
    return left;
  }

  #findSplit(histogram: Float64Array, sums: Float64Array): ClassSplit | null {
    const { minLeafRows, shrinkageRows } = this.#settings;
    if (sums[sums.length - 1]! < 2 * minLeafRows) return null;
    const scan = new SplitScan(histogram, sums, this.#sketches, minLeafRows, shrinkageRows);
    this.#data.isLevel.forEach((isLevel, f) => {
      const { from, to } = this.#histograms.binsOf(f);
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

/** Maximises Σ_s G_L² / (n_L + λ) + G_R² / (n_R + λ) - G² / (n + λ). */
class SplitScan {
  best: ClassSplit | null = null;
  readonly #histogram: Float64Array;
  readonly #sums: Float64Array;
  readonly #left: Float64Array;
  readonly #sketches: number;
  readonly #minRows: number;
  readonly #shrinkage: number;
  readonly #parent: number;

  constructor(histogram: Float64Array, sums: Float64Array, sketches: number, minRows: number, shrinkage: number) {
    this.#histogram = histogram;
    this.#sums = sums;
    this.#left = new Float64Array(sums.length);
    this.#sketches = sketches;
    this.#minRows = minRows;
    this.#shrinkage = shrinkage;
    const last = sums.length - 1;
    let squares = 0;
    for (let s = 0; s < sketches; s++) squares += sums[s]! * sums[s]!;
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

  /** Scans mean orders (Fisher 1958) from both ends. */
  levels(feature: number, from: number, to: number): void {
    const width = this.#sums.length;
    const rowsOf = (bin: number): number => this.#histogram[bin * width + width - 1]!;
    const bins: number[] = [];
    for (let bin = from; bin < to; bin++) if (rowsOf(bin) >= MIN_LEVEL_ROWS) bins.push(bin);
    if (bins.length === 0) return;
    for (let s = 0; s < this.#sketches; s++) {
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

  #gain(): number {
    const [left, sums] = [this.#left, this.#sums];
    const last = left.length - 1;
    let own = 0;
    let others = 0;
    for (let s = 0; s < this.#sketches; s++) {
      const gradient = left[s]!;
      const rest = sums[s]! - gradient;
      own += gradient * gradient;
      others += rest * rest;
    }
    const rows = left[last]!;
    return own / (rows + this.#shrinkage) + others / (sums[last]! - rows + this.#shrinkage) - this.#parent;
  }
}

export function leafAt(nodes: readonly GrownNode[], columns: readonly Uint8Array[], row: number): number {
  let at = 0;
  for (;;) {
    const { split, left } = nodes[at]!;
    if (!split) return at;
    const bin = columns[split.feature]![row]!;
    at = (split.sides ? split.sides[bin] === 1 : bin <= split.bin) ? left : left + 1;
  }
}
