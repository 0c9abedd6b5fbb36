/**
 * Distance to the closest record (Park et al., 2018), by Gower's (1971) distance of rows: 0 for a copy, at most 1. It
 * averages over columns:
 *   numbers     |a − b| / range of the real column, at most 1;
 *   categories  0 if equal, else 1;
 *   missing     0 if both cells are missing, 1 if one is.
 */
import { firstAbove, firstAtLeast } from '../../numerics/search.ts';
import type { ModelColumn, ModelTable } from '../models/model.ts';
import { categoryNamed, jointCodes, type MeasuredColumns, numericNamed, present } from './columns.ts';
import { type GrownTree, growTree, type Points } from './growTree.ts';
import { PointLeaves } from './pointLeaves.ts';

/** More than 1 from scaled numbers, which lie within -1 … 2. */
const MISSING_NUMBER = 4;

/** Distances of queried rows to the nearest real row (n), 0 to 1, in single precision. */
export function distancesToClosest(queried: ModelTable, real: ModelTable, columns: MeasuredColumns): Float64Array {
  const placed = placeRows(queried, real, columns);
  const tree = new PointTree(placed.real, placed.width);
  return Float64Array.from({ length: queried.rows }, (_, row) => tree.nearest(placed.queried, row) / placed.width);
}

export function placeRows(queried: ModelTable, real: ModelTable, columns: MeasuredColumns): PlacedRows {
  return layOut(queried.rows, real.rows, [
    ...columns.numeric.map((name) => placeNumbers(numericNamed(queried, name).values, numericNamed(real, name).values)),
    ...columns.categorical.map((name) => jointCodes([categoryNamed(queried, name), categoryNamed(real, name)]).codes),
  ]);
}

export interface PlacedRows {
  queried: Points;
  real: Points;
  width: number;
}

export type PlacedColumn = readonly (Float64Array | Int32Array)[];

function layOut(queriedRows: number, realRows: number, columns: readonly PlacedColumn[]): PlacedRows {
  const order = columns.map((column) => ({ column, spread: meanGap(column[1]!) }));
  order.sort((a, b) => b.spread - a.spread);
  const interleave = (rows: number, side: 0 | 1): Points => {
    const cells = new Float32Array(rows * order.length);
    for (const [j, { column }] of order.entries()) {
      for (let row = 0; row < rows; row++) cells[row * order.length + j] = column[side]![row]!;
    }
    return { rows, cells };
  };
  return { queried: interleave(queriedRows, 0), real: interleave(realRows, 1), width: order.length };
}

/** Halves avoid overflow. */
function placeNumbers(queried: Float64Array, real: Float64Array): [Float64Array, Float64Array] {
  let min = Number.POSITIVE_INFINITY;
  let max = Number.NEGATIVE_INFINITY;
  for (const value of real) {
    if (!Number.isFinite(value)) continue;
    min = Math.min(min, value);
    max = Math.max(max, value);
  }
  const range = max / 2 - min / 2;
  const place = (value: number): number => {
    if (!Number.isFinite(value)) return MISSING_NUMBER;
    if (!(range > 0)) return value === min ? 0 : 2;
    return Math.min(2, Math.max(-1, (value / 2 - min / 2) / range));
  };
  return [queried.map(place), real.map(place)];
}

/** Estimates how well a column separates rows, deterministically. */
function meanGap(column: Float64Array | Int32Array): number {
  const half = column.length >> 1;
  let sum = 0;
  for (let row = 0; row < half; row++) sum += Math.min(1, Math.abs(column[row]! - column[row + half]!));
  return half > 0 ? sum / half : 0;
}

// Privacy measures use ranks among real rows (0 to 1), so that no tail or unit dominates.

export function rankTables(
  reference: readonly ModelTable[],
  tables: readonly ModelTable[],
  columns: MeasuredColumns,
): ModelTable[] {
  const sorted = new Map(columns.numeric.map((name) => [name, sortedReal(reference, name)]));
  const ranked = (table: ModelTable): ModelTable => {
    const out = new Map<string, ModelColumn>(columns.categorical.map((name) => [name, table.columns.get(name)!]));
    for (const name of columns.numeric) {
      const values = ranksIn(sorted.get(name)!, numericNamed(table, name).values);
      out.set(name, { kind: 'numeric', name, values });
    }
    return { rows: table.rows, columns: out };
  };
  return tables.map(ranked);
}

/** Uses the range of `reference`. */
export function rangeTables(
  reference: readonly ModelTable[],
  tables: readonly ModelTable[],
  columns: MeasuredColumns,
): ModelTable[] {
  const places = new Map(
    columns.numeric.map((name) => {
      const sorted = sortedReal(reference, name);
      const [least, most] = [sorted[0] ?? 0, sorted.at(-1) ?? 0];
      // Halves avoid overflow.
      const range = most / 2 - least / 2;
      return [name, (value: number) => (range > 0 ? (value / 2 - least / 2) / range : value === least ? 0 : 1)];
    }),
  );
  return tables.map((table) => {
    const out = new Map<string, ModelColumn>(columns.categorical.map((name) => [name, table.columns.get(name)!]));
    for (const name of columns.numeric) {
      const place = (value: number): number =>
        Number.isFinite(value) ? Math.min(2, Math.max(-1, places.get(name)!(value))) : Number.NaN;
      out.set(name, { kind: 'numeric', name, values: numericNamed(table, name).values.map(place) });
    }
    return { rows: table.rows, columns: out };
  });
}

function sortedReal(reference: readonly ModelTable[], name: string): Float64Array {
  const parts = reference.map((table) => present(numericNamed(table, name).values));
  const out = new Float64Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out.sort();
}

/** Mid-ranks as shares; just outside 0 … 1 beyond all. NaN is missing. */
function ranksIn(sorted: Float64Array, values: Float64Array): Float64Array {
  const n = sorted.length;
  const [least, most] = [sorted[0] ?? 0, sorted[n - 1] ?? 0];
  return values.map((value) => {
    if (!Number.isFinite(value)) return Number.NaN;
    if (value < least || value > most || n === 0) return value < least ? -0.01 : 1.01;
    return (firstAtLeast(sorted, value) + firstAbove(sorted, value)) / (2 * n);
  });
}

interface Neighbours {
  nearest(row: number): number;
  nearestRow(row: number): { row: number; distance: number };
  nearestTwo(row: number): { row: number; distance: number; second: number };
}

/** Takes ranked tables. Distances are means over columns (0 to 1); Infinity if `real` is empty. */
export function neighboursOf(queried: ModelTable, real: ModelTable, columns: MeasuredColumns): Neighbours {
  const coordinates = (table: ModelTable, name: string): Float64Array =>
    numericNamed(table, name).values.map((rank) => (Number.isNaN(rank) ? MISSING_NUMBER : rank));
  const placed = layOut(queried.rows, real.rows, [
    ...columns.numeric.map((name) => [coordinates(queried, name), coordinates(real, name)]),
    ...columns.categorical.map((name) => jointCodes([categoryNamed(queried, name), categoryNamed(real, name)]).codes),
  ]);
  const { queried: questions, real: points, width } = placed;
  return asking(new PointTree(points, width), questions, width);
}

function asking(tree: PointTree, questions: Points, width: number): Neighbours {
  return {
    nearest: (row) => tree.nearest(questions, row) / width,
    nearestRow: (row) => {
      const found = tree.nearestRow(questions, row);
      return { row: found.row, distance: found.distance / width };
    },
    nearestTwo: (row) => {
      const found = tree.nearestTwo(questions, row);
      return { row: found.row, distance: found.distance / width, second: found.second / width };
    },
  };
}

export const widthOf = ({ numeric, categorical }: MeasuredColumns): number => numeric.length + categorical.length;

// Exact nearest neighbours by Σ min(|a − b|, 1), by branch and bound in a k-d tree (Friedman, Bentley and Finkel,
// 1977). The cap makes category codes differ by 0 or 1.

export type { Points } from './growTree.ts';

export class PointTree {
  private readonly points: Points;
  private readonly width: number;
  private readonly tree: GrownTree;
  private readonly leaves: PointLeaves;
  private readonly queried: Float64Array;
  private readonly gaps: Float64Array;
  /** Lower bounds on distances to nodes of the path. */
  private readonly bounds: Float64Array;
  private best = Number.POSITIVE_INFINITY;
  private second = Number.POSITIVE_INFINITY;
  private bestPlace = -1;
  private secondPlace = -1;
  private wantsTwo = false;

  /** @param points must not change. */
  constructor(points: Points, width: number) {
    this.points = points;
    this.width = width;
    this.tree = growTree(points, width);
    this.leaves = new PointLeaves(points, width, this.tree);
    this.queried = this.leaves.queried;
    this.gaps = new Float64Array(width);
    this.bounds = new Float64Array(this.tree.right.length);
  }

  /** Returns 0 to p; Infinity for an empty tree. */
  nearest(points: Points, row: number): number {
    this.ask(points, row, 1);
    return this.distanceTo(this.bestPlace);
  }

  /** Returns any of the nearest rows; -1 for an empty tree. */
  nearestRow(points: Points, row: number): { row: number; distance: number } {
    this.ask(points, row, 1);
    return { row: this.tree.order[this.bestPlace] ?? -1, distance: this.distanceTo(this.bestPlace) };
  }

  /** Distances are Infinity if there are too few points. */
  nearestTwo(points: Points, row: number): { row: number; distance: number; second: number } {
    this.ask(points, row, 2);
    const [distance, second] = [this.distanceTo(this.bestPlace), this.distanceTo(this.secondPlace)];
    return { row: this.tree.order[this.bestPlace] ?? -1, distance, second: Math.max(distance, second) };
  }

  private ask(points: Points, row: number, wanted: 1 | 2): void {
    for (let j = 0; j < this.width; j++) this.queried[j] = points.cells[row * this.width + j]!;
    this.gaps.fill(0);
    this.wantsTwo = wanted === 2;
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

  /** Column order makes sums independent of the leaf. */
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
