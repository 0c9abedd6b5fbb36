/**
 * Distance to the closest record (Park et al., 2018, "Data Synthesis based on GANs"), on Gower's (1971) scale: for each
 * row the distance to the nearest real row, and the mean of it over rows. The distance of two rows is the mean over
 * columns of
 *   numbers     |a − b| / range of the real column, at most 1; in a constant column 0 where equal, else 1;
 *   categories  0 where equal, else 1;
 *   missing     0 where both cells are missing, 1 where one is.
 * 0 for a copy, at most 1. n = rows asked about, m = real rows, p = columns.
 */
import type { ModelTable } from '../models/model.ts';
import { categoryNamed, jointCodes, type MeasuredColumns, numericNamed } from './columns.ts';
import { type Points, PointTree } from './nearestPoint.ts';

/** Stands for a missing number: further than 1 from every scaled number, which are kept within -1 … 2. */
export const MISSING_NUMBER = 4;

/** Nearest real row of each row asked about: n distances, 0 to 1. Exact up to single precision. */
export function distancesToClosest(asked: ModelTable, real: ModelTable, columns: MeasuredColumns): Float64Array {
  const placed = placeRows(asked, real, columns);
  const tree = new PointTree(placed.real, placed.width);
  return Float64Array.from({ length: asked.rows }, (_, row) => tree.nearest(placed.asked, row) / placed.width);
}

/** Puts two tables into one space, scaled by the real one. */
export function placeRows(asked: ModelTable, real: ModelTable, columns: MeasuredColumns): PlacedRows {
  return layOut(asked.rows, real.rows, [
    ...columns.numeric.map((name) => placeNumbers(numericNamed(asked, name).values, numericNamed(real, name).values)),
    ...columns.categorical.map((name) => jointCodes([categoryNamed(asked, name), categoryNamed(real, name)]).codes),
  ]);
}

export interface PlacedRows {
  asked: Points;
  real: Points;
  width: number;
}

/** Coordinates of a column, in the table asked about and in the real one. */
export type PlacedColumn = readonly (Float64Array | Int32Array)[];

/** Columns of coordinates as points; those that tell rows apart best come first. */
export function layOut(askedRows: number, realRows: number, columns: readonly PlacedColumn[]): PlacedRows {
  const order = columns.map((column) => ({ column, spread: meanGap(column[1]!) }));
  order.sort((a, b) => b.spread - a.spread);
  const interleave = (rows: number, side: 0 | 1): Points => {
    const cells = new Float32Array(rows * order.length);
    for (const [j, { column }] of order.entries()) {
      for (let row = 0; row < rows; row++) cells[row * order.length + j] = column[side]![row]!;
    }
    return { rows, cells };
  };
  return { asked: interleave(askedRows, 0), real: interleave(realRows, 1), width: order.length };
}

/** Scaled numbers of the two tables; halves keep the range from overflowing. */
function placeNumbers(asked: Float64Array, real: Float64Array): [Float64Array, Float64Array] {
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
  return [asked.map(place), real.map(place)];
}

/** Mean distance in this column between rows that are half a table apart: a deterministic guess of its power to tell. */
function meanGap(column: Float64Array | Int32Array): number {
  const half = column.length >> 1;
  let sum = 0;
  for (let row = 0; row < half; row++) sum += Math.min(1, Math.abs(column[row]! - column[row + half]!));
  return half > 0 ? sum / half : 0;
}
