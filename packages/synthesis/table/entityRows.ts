/** Tables in which each entity's rows are adjacent. */
import { type ModelTable, textColumn } from '../models/model.ts';
import { takeRows } from './takeRows.ts';

/** Entity e has rows starts[e] … starts[e + 1] - 1. */
export interface EntityRows {
  table: ModelTable;
  starts: Int32Array;
}

/** Ends with the row count. */
export function startsOf(table: ModelTable, key: string): Int32Array {
  const { values } = textColumn(table, key);
  const starts: number[] = [];
  values.forEach((value, row) => {
    if (row === 0 || value !== values[row - 1]) starts.push(row);
  });
  return Int32Array.from([...starts, table.rows]);
}

export function takeEntities(table: ModelTable, starts: Int32Array, entities: ArrayLike<number>): ModelTable {
  return takeRows(table, rowsOfEntities(starts, entities));
}

export function rowsOfEntities(starts: Int32Array, entities: ArrayLike<number>): Int32Array {
  const rows: number[] = [];
  for (let i = 0; i < entities.length; i++) {
    for (let row = starts[entities[i]!]!; row < starts[entities[i]! + 1]!; row++) rows.push(row);
  }
  return Int32Array.from(rows);
}
