/**
 * Leaves of a k-d tree, laid out for fast sifting. Each leaf orders dimensions by spread and stores the first four
 * together. Their distance plus that from the leaf's box in the rest is a lower bound.
 */
import type { GrownTree, Points } from './growTree.ts';

/** Dimensions summed between checks of the limit. */
const BLOCK = 4;

export class PointLeaves {
  /** Padded to whole blocks with zeros. */
  readonly stride: number;
  /** Set by the caller. */
  readonly queried: Float64Array;
  /** Distance to beat, set by the caller. A field, because V8 boxes numbers passed between functions. */
  limit = Number.POSITIVE_INFINITY;
  private room = Number.POSITIVE_INFINITY;
  /** Points that survived the last sifting. */
  private readonly kept: Int32Array;
  private readonly sums: Float64Array;
  private readonly starts: Int32Array;
  private readonly cells: Float32Array;
  /** Per leaf: dimensions in order, and centre and half width of its box. */
  private readonly dimensions: Int32Array;
  private readonly boxes: Float64Array;
  private readonly turned: Float64Array;

  constructor(points: Points, width: number, { order, starts }: GrownTree) {
    this.stride = Math.max(1, Math.ceil(width / BLOCK)) * BLOCK;
    this.starts = starts;
    this.cells = new Float32Array(points.rows * this.stride);
    const leaves = starts.length - 1;
    this.dimensions = new Int32Array(leaves * this.stride);
    this.boxes = new Float64Array(leaves * this.stride * 2);
    let most = 0;
    for (let leaf = 0; leaf < leaves; leaf++) {
      const rows = order.subarray(starts[leaf]!, starts[leaf + 1]!);
      most = Math.max(most, rows.length);
      this.layOut(leaf, points.cells, width, rows);
    }
    this.queried = new Float64Array(this.stride);
    this.turned = new Float64Array(this.stride);
    this.kept = new Int32Array(most + 1);
    this.sums = new Float64Array(most + 1);
  }

  /** Returns how many points may be nearer than the limit. */
  sift(leaf: number): number {
    const from = leaf * this.stride;
    if (!this.mayHold(from)) return 0;
    const start = this.starts[leaf]!;
    const count = this.starts[leaf + 1]! - start;
    return this.isNear(from) ? this.siftNear(start * this.stride, count) : this.siftCapped(start * this.stride, count);
  }

  /** Returns the first surviving point from k on within the limit, else `count`. */
  nextNearer(leaf: number, k: number, count: number): number {
    const { turned, cells, kept, sums, stride, limit } = this;
    const start = this.starts[leaf]!;
    const others = start * stride + (this.starts[leaf + 1]! - start) * BLOCK;
    for (let point = k; point < count; point++) {
      let sum = sums[point]!;
      for (let j = BLOCK, at = others + kept[point]! * (stride - BLOCK); j < stride && sum < limit; j += BLOCK) {
        sum +=
          capped(turned[j]! - cells[at]!) +
          capped(turned[j + 1]! - cells[at + 1]!) +
          (capped(turned[j + 2]! - cells[at + 2]!) + capped(turned[j + 3]! - cells[at + 3]!));
        at += BLOCK;
      }
      sums[point] = sum;
      if (sum < limit) return point;
    }
    return count;
  }

  place(leaf: number, point: number): number {
    return this.starts[leaf]! + this.kept[point]!;
  }

  /** Up to rounding. */
  distance(point: number): number {
    return this.sums[point]!;
  }

  /** Returns false if the leaf's box is too far. The first block comes last, because it gets the remaining room. */
  private mayHold(from: number): boolean {
    const { queried, dimensions, boxes, turned, stride, limit } = this;
    let others = 0;
    let sum = 0;
    for (let k = BLOCK; k <= stride; k += BLOCK) {
      const j = k === stride ? 0 : k;
      const at = from + j;
      const a = queried[dimensions[at]!]!;
      const b = queried[dimensions[at + 1]!]!;
      const c = queried[dimensions[at + 2]!]!;
      const d = queried[dimensions[at + 3]!]!;
      turned[j] = a;
      turned[j + 1] = b;
      turned[j + 2] = c;
      turned[j + 3] = d;
      others = sum;
      sum +=
        outside(Math.abs(a - boxes[2 * at]!) - boxes[2 * at + 1]!) +
        outside(Math.abs(b - boxes[2 * at + 2]!) - boxes[2 * at + 3]!) +
        (outside(Math.abs(c - boxes[2 * at + 4]!) - boxes[2 * at + 5]!) +
          outside(Math.abs(d - boxes[2 * at + 6]!) - boxes[2 * at + 7]!));
      if (sum >= limit) return false;
    }
    this.room = limit - others;
    return true;
  }

  private isNear(from: number): boolean {
    const { boxes, turned } = this;
    const reach = (j: number): number => Math.abs(turned[j]! - boxes[2 * (from + j)]!) + boxes[2 * (from + j) + 1]!;
    return reach(0) <= 1 && reach(1) <= 1 && reach(2) <= 1 && reach(3) <= 1;
  }

  /** Advances without a branch, which would be mispredicted. */
  private siftNear(from: number, count: number): number {
    const { turned, cells, kept, sums, room } = this;
    const a = turned[0]!;
    const b = turned[1]!;
    const c = turned[2]!;
    const d = turned[3]!;
    let found = 0;
    for (let place = 0, at = from; place < count; place++, at += BLOCK) {
      const sum =
        Math.abs(a - cells[at]!) +
        Math.abs(b - cells[at + 1]!) +
        (Math.abs(c - cells[at + 2]!) + Math.abs(d - cells[at + 3]!));
      kept[found] = place;
      sums[found] = sum;
      found += Number(sum < room);
    }
    return found;
  }

  private siftCapped(from: number, count: number): number {
    const { turned, cells, kept, sums, room } = this;
    const a = turned[0]!;
    const b = turned[1]!;
    const c = turned[2]!;
    const d = turned[3]!;
    let found = 0;
    for (let place = 0, at = from; place < count; place++, at += BLOCK) {
      const sum =
        capped(a - cells[at]!) + capped(b - cells[at + 1]!) + (capped(c - cells[at + 2]!) + capped(d - cells[at + 3]!));
      kept[found] = place;
      sums[found] = sum;
      found += Number(sum < room);
    }
    return found;
  }

  private layOut(leaf: number, from: Float32Array, width: number, rows: Uint32Array): void {
    const { stride, dimensions, boxes, cells } = this;
    const { least, most, gaps } = rangesOf(from, width, rows);
    const inOrder = Uint32Array.from({ length: width }, (_, j) => j).sort((a, b) => gaps[b]! - gaps[a]!);
    for (let k = 0; k < stride; k++) {
      const j = inOrder[k] ?? k;
      const at = leaf * stride + k;
      dimensions[at] = j;
      boxes[2 * at] = j < width ? (least[j]! + most[j]!) / 2 : 0;
      boxes[2 * at + 1] = j < width ? (most[j]! - least[j]!) / 2 : 0;
    }
    let first = this.starts[leaf]! * stride;
    let others = first + rows.length * BLOCK;
    for (const row of rows) {
      for (let k = 0; k < BLOCK && k < width; k++) cells[first + k] = from[row * width + inOrder[k]!]!;
      for (let k = BLOCK; k < width; k++) cells[others + k - BLOCK] = from[row * width + inOrder[k]!]!;
      first += BLOCK;
      others += stride - BLOCK;
    }
  }
}

const capped = (gap: number): number => Math.min(Math.abs(gap), 1);

/** Avoids a branch. */
const outside = (gap: number): number => Math.min((gap + Math.abs(gap)) / 2, 1);

function rangesOf(cells: Float32Array, width: number, rows: Uint32Array) {
  const first = (rows[0] ?? 0) * width;
  const least = cells.slice(first, first + width);
  const most = least.slice();
  const gaps = new Float64Array(width);
  for (let place = 1; place < rows.length; place++) {
    const [here, before] = [rows[place]! * width, rows[place - 1]! * width];
    for (let j = 0; j < width; j++) {
      const value = cells[here + j]!;
      if (value < least[j]!) least[j] = value;
      if (value > most[j]!) most[j] = value;
      gaps[j]! += capped(value - cells[before + j]!);
    }
  }
  return { least, most, gaps };
}
