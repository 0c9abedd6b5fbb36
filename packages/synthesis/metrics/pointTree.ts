/**
 * Exact nearest neighbours in capped city-block distance Σ min(|a − b|, 1), by branch and bound in a k-d tree
 * (Friedman, Bentley and Finkel, 1977). The cap makes a whole-numbered category count 0 or 1, so numbers and categories
 * live in one space. m = points of the tree, p = their width. Nodes are told apart by the plane that halves them,
 * leaves by the box of their points, points by a few dimensions first (`pointLeaves.ts`).
 */
import { type GrownTree, growTree, type Points } from './growTree.ts';
import { PointLeaves } from './pointLeaves.ts';

export type { Points } from './growTree.ts';

export class PointTree {
  private readonly points: Points;
  private readonly width: number;
  private readonly tree: GrownTree;
  private readonly leaves: PointLeaves;
  /** Coordinates of the queried point, and in each dimension its distance from the current node. */
  private readonly queried: Float64Array;
  private readonly gaps: Float64Array;
  /** For the nodes on the way to the current one: at most the distance from the queried point to any of their points. */
  private readonly bounds: Float64Array;
  private best = Number.POSITIVE_INFINITY;
  private second = Number.POSITIVE_INFINITY;
  private bestPlace = -1;
  private secondPlace = -1;
  private wantsTwo = false;

  /** @param points are kept, and must not change. */
  constructor(points: Points, width: number) {
    this.points = points;
    this.width = width;
    this.tree = growTree(points, width);
    this.leaves = new PointLeaves(points, width, this.tree);
    this.queried = this.leaves.queried;
    this.gaps = new Float64Array(width);
    this.bounds = new Float64Array(this.tree.right.length);
  }

  /** Distance of one point to its nearest in the tree, 0 to p; Infinity where the tree is empty. */
  nearest(points: Points, row: number): number {
    this.ask(points, row, false);
    return this.distanceTo(this.bestPlace);
  }

  /** The nearest with its row in the tree's points, one of them where several are as near; -1 where the tree is empty. */
  nearestRow(points: Points, row: number): { row: number; distance: number } {
    this.ask(points, row, false);
    return { row: this.tree.order[this.bestPlace] ?? -1, distance: this.distanceTo(this.bestPlace) };
  }

  /** The nearest with its row, and the distance to the second nearest; Infinity where there are too few. */
  nearestTwo(points: Points, row: number): { row: number; distance: number; second: number } {
    this.ask(points, row, true);
    const [distance, second] = [this.distanceTo(this.bestPlace), this.distanceTo(this.secondPlace)];
    return { row: this.tree.order[this.bestPlace] ?? -1, distance, second: Math.max(distance, second) };
  }

  private ask(points: Points, row: number, wantsTwo: boolean): void {
    for (let j = 0; j < this.width; j++) this.queried[j] = points.cells[row * this.width + j]!;
    this.gaps.fill(0);
    this.wantsTwo = wantsTwo;
    this.best = Number.POSITIVE_INFINITY;
    this.second = Number.POSITIVE_INFINITY;
    this.leaves.limit = Number.POSITIVE_INFINITY;
    this.bestPlace = -1;
    this.secondPlace = -1;
    this.visit(0);
  }

  private visit(node: number): void {
    const { tree, gaps } = this;
    const dimension = tree.dimension[node]!;
    const right = tree.right[node]!;
    if (dimension < 0) {
      this.search(right);
      return;
    }
    const x = this.queried[dimension]!;
    const before = gaps[dimension]!;
    const toLeft = x - tree.leftMax[node]!;
    const toRight = tree.rightMin[node]! - x;
    const others = this.bounds[node]! - before;
    const gapLeft = Math.max(before, Math.min(1, toLeft));
    const gapRight = Math.max(before, Math.min(1, toRight));
    if (toLeft < toRight) {
      this.enter(node + 1, dimension, gapLeft, others);
      this.enter(right, dimension, gapRight, others);
    } else {
      this.enter(right, dimension, gapRight, others);
      this.enter(node + 1, dimension, gapLeft, others);
    }
    gaps[dimension] = before;
  }

  private enter(child: number, dimension: number, gap: number, others: number): void {
    if (others + gap >= this.leaves.limit) return;
    this.gaps[dimension] = gap;
    this.bounds[child] = others + gap;
    this.visit(child);
  }

  private search(leaf: number): void {
    const { leaves } = this;
    const count = leaves.sift(leaf);
    let point = leaves.nextNearer(leaf, 0, count);
    while (point < count) {
      this.take(leaves.place(leaf, point), leaves.distance(point));
      point = leaves.nextNearer(leaf, point + 1, count);
    }
  }

  /** Notes a point that is near enough. */
  private take(place: number, distance: number): void {
    if (distance < this.best) {
      this.second = this.best;
      this.secondPlace = this.bestPlace;
      this.best = distance;
      this.bestPlace = place;
    } else {
      this.second = distance;
      this.secondPlace = place;
    }
    this.leaves.limit = this.wantsTwo ? this.second : this.best;
  }

  /** Summed in the order of the columns, whatever the leaf. */
  private distanceTo(place: number): number {
    if (place < 0) return Number.POSITIVE_INFINITY;
    const { queried, width } = this;
    const { cells } = this.points;
    let at = this.tree.order[place]! * width;
    let distance = 0;
    for (let j = 0; j < width; j++) distance += Math.min(Math.abs(queried[j]! - cells[at++]!), 1);
    return distance;
  }
}
