/** A column of numbers as the trees and the vine see it: each cell's place in its margin. n = rows looked at. */
import type { RandomStream } from '../../../numerics/random/stream.ts';
import type { NumericColumn } from '../model.ts';
import { type Margin, placesOf } from '../shared/margin.ts';

/** n entries each, NaN where the cell is missing: P(X < x) and P(X ≤ x) of a heap, twice the same place of the line. */
export interface NumberColumn {
  name: string;
  from: Float64Array;
  upTo: Float64Array;
}

/** The given rows of a column. */
export function placeColumn(column: NumericColumn, margin: Margin, rows: Int32Array): NumberColumn {
  const from = new Float64Array(rows.length).fill(Number.NaN);
  const upTo = from.slice();
  rows.forEach((row, i) => {
    const value = column.values[row]!;
    if (!Number.isNaN(value)) ({ from: from[i], upTo: upTo[i] } = placesOf(margin, value));
  });
  return { name: column.name, from, upTo };
}

/** A place for each row, those of a heap at random over its width; NaN where the cell is missing. */
export const spreadCells = ({ from, upTo }: NumberColumn, random: RandomStream): Float64Array =>
  from.map((place, row) => place + random.uniform() * (upTo[row]! - place));
