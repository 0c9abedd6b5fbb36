/**
 * Exact nearest neighbours in capped city-block distance Σ min(|a − b|, 1), by branch and bound in a k-d tree
 * (Friedman, Bentley and Finkel, 1977). The cap makes a whole-numbered category count 0 or 1, so numbers and categories
 * live in one space. m = points of the tree, p = their width.
 */

/** Points row after row, in single precision. */
export interface Points {
  rows: number;
  /** rows × p. */
  cells: Float32Array;
}

/** Points of a leaf, at most (more only where they are all equal). */
const LEAF_POINTS = 24;

/** Points of a node that the choice of its dimension looks at, at most. */
const LOOKED_AT = 256;

/** Inner nodes have a dimension; leaves have -1 and the points start … end-1. */
interface Node {
  dimension: number;
  start: number;
  end: number;
  /** Largest coordinate on the left, smallest on the right. */
  leftMax: number;
  rightMin: number;
  left: Node | undefined;
  right: Node | undefined;
}

export class PointTree {
  private readonly width: number;
  /** The points in the order of the leaves, so that a leaf is one stretch of memory. */
  private readonly cells: Float32Array;
  private readonly root: Node;
  /** Of the point asked about: its coordinates, and in each dimension its distance from the node in hand. */
  private readonly asked: Float64Array;
  private readonly gaps: Float64Array;
  /** Row of the table at each place of the leaves. */
  private readonly order: Uint32Array;
  private best = Number.POSITIVE_INFINITY;
  private second = Number.POSITIVE_INFINITY;
  private bestPlace = -1;
  private wantsTwo = false;
  /** What a point must be nearer than to matter: the best, or the second where two are wanted. */
  private limit = Number.POSITIVE_INFINITY;

  constructor(points: Points, width: number) {
    this.width = width;
    const order = Uint32Array.from({ length: points.rows }, (_, row) => row);
    this.order = order;
    this.root = growNode(points.cells, width, order, 0, points.rows);
    this.cells = new Float32Array(points.rows * width);
    for (const [at, row] of order.entries()) {
      this.cells.set(points.cells.subarray(row * width, (row + 1) * width), at * width);
    }
    this.asked = new Float64Array(width);
    this.gaps = new Float64Array(width);
  }

  /** Distance of one point to its nearest in the tree, 0 to p; Infinity where the tree is empty. */
  nearest(points: Points, row: number): number {
    return this.ask(points, row, false).distance;
  }

  /** The nearest with its row in the tree's points, one of them where several are as near; -1 where the tree is empty. */
  nearestRow(points: Points, row: number): { row: number; distance: number } {
    const { distance } = this.ask(points, row, false);
    return { row: this.order[this.bestPlace] ?? -1, distance };
  }

  /** The nearest with its row, and the distance to the second nearest; Infinity where there are too few. */
  nearestTwo(points: Points, row: number): { row: number; distance: number; second: number } {
    const found = this.ask(points, row, true);
    return { row: this.order[this.bestPlace] ?? -1, ...found };
  }

  private ask(points: Points, row: number, wantsTwo: boolean): { distance: number; second: number } {
    for (let j = 0; j < this.width; j++) this.asked[j] = points.cells[row * this.width + j]!;
    this.gaps.fill(0);
    this.wantsTwo = wantsTwo;
    this.best = Number.POSITIVE_INFINITY;
    this.second = Number.POSITIVE_INFINITY;
    this.limit = Number.POSITIVE_INFINITY;
    this.bestPlace = -1;
    this.visit(this.root, 0);
    return { distance: this.best, second: this.second };
  }

  /** @param bound at most the distance from the point asked about to any point of the node. */
  private visit(node: Node, bound: number): void {
    const { dimension, left, right } = node;
    if (!left || !right) {
      this.scanLeaf(node.start, node.end);
      return;
    }
    const x = this.asked[dimension]!;
    const before = this.gaps[dimension]!;
    const toLeft = Math.max(before, Math.min(1, x - node.leftMax));
    const toRight = Math.max(before, Math.min(1, node.rightMin - x));
    const leftFirst = toLeft < toRight || (toLeft === toRight && x - node.leftMax < node.rightMin - x);
    this.enter(leftFirst ? left : right, dimension, leftFirst ? toLeft : toRight, bound - before);
    this.enter(leftFirst ? right : left, dimension, leftFirst ? toRight : toLeft, bound - before);
    this.gaps[dimension] = before;
  }

  private enter(child: Node, dimension: number, gap: number, others: number): void {
    if (others + gap >= this.limit) return;
    this.gaps[dimension] = gap;
    this.visit(child, others + gap);
  }

  private scanLeaf(start: number, end: number): void {
    const { asked, cells, width } = this;
    let limit = this.limit;
    for (let place = start, at = start * width; place < end; place++, at += width) {
      let distance = 0;
      for (let j = 0; j < width && distance < limit; j++) distance += Math.min(Math.abs(asked[j]! - cells[at + j]!), 1);
      if (distance < limit) limit = this.take(place, distance);
    }
  }

  /** Notes a point that is near enough and returns the new limit. */
  private take(place: number, distance: number): number {
    if (distance < this.best) {
      this.second = this.best;
      this.best = distance;
      this.bestPlace = place;
    } else this.second = distance;
    this.limit = this.wantsTwo ? this.second : this.best;
    return this.limit;
  }
}

/** Grows the node of order[start … end-1], bringing that stretch into the order of its leaves. */
function growNode(cells: Float32Array, width: number, order: Uint32Array, start: number, end: number): Node {
  const leaf: Node = { dimension: -1, start, end, leftMax: 0, rightMin: 0, left: undefined, right: undefined };
  if (end - start <= LEAF_POINTS) return leaf;
  const dimension = widestDimension(cells, width, order, start, end);
  const coordinate = (row: number): number => cells[row * width + dimension]!;
  const sorted = Float32Array.from(order.subarray(start, end), coordinate).sort();
  const cut = middleCut(sorted);
  if (cut < 0) return leaf;
  const [leftMax, rightMin] = [sorted[cut - 1]!, sorted[cut]!];
  const stretch = order.slice(start, end);
  order.set(
    stretch.filter((row) => coordinate(row) <= leftMax),
    start,
  );
  order.set(
    stretch.filter((row) => coordinate(row) > leftMax),
    start + cut,
  );
  const left = growNode(cells, width, order, start, start + cut);
  const right = growNode(cells, width, order, start + cut, end);
  return { dimension, start, end, leftMax, rightMin, left, right };
}

/** The place nearest the middle of sorted values where they change; -1 where they are all equal. */
function middleCut(sorted: Float32Array): number {
  const middle = sorted.length >> 1;
  for (let step = 0; step <= middle; step++) {
    const down = middle - step;
    const up = middle + step;
    if (down > 0 && sorted[down - 1]! < sorted[down]!) return down;
    if (up < sorted.length && sorted[up - 1]! < sorted[up]!) return up;
  }
  return -1;
}

/** The dimension in which the node's points are furthest apart on average, from a few of them where that tells. */
function widestDimension(cells: Float32Array, width: number, order: Uint32Array, start: number, end: number): number {
  const step = Math.max(1, Math.floor((end - start) / LOOKED_AT));
  const few = sumGaps(cells, width, order, start, end, step);
  const gaps = Math.max(...few) > 0 ? few : sumGaps(cells, width, order, start, end, 1);
  return gaps.indexOf(Math.max(...gaps));
}

/** Summed distances, dimension by dimension, of each `step`-th point from the one looked at before. */
function sumGaps(
  cells: Float32Array,
  width: number,
  order: Uint32Array,
  start: number,
  end: number,
  step: number,
): number[] {
  const gaps: number[] = new Array(width).fill(0);
  for (let at = start + step; at < end; at += step) {
    const [here, before] = [order[at]! * width, order[at - step]! * width];
    for (let j = 0; j < width; j++) gaps[j]! += Math.min(1, Math.abs(cells[here + j]! - cells[before + j]!));
  }
  return gaps;
}
