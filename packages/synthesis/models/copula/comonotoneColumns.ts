/** Numbers that rise, or fall, with another column's in every row: their u are the other's, or 1 less those. n = rows. */
import type { Steps } from '../../../numerics/steps.ts';

export interface Following {
  /** Index of the column that is followed. */
  of: number;
  falls: boolean;
}

/** Rows that both columns need, at least: two rows are always in order. */
const MIN_ROWS = 20;
/** Two columns that some of the rows, about so many, show to be out of order need no sorting. */
const GLANCED_ROWS = 256;

/**
 * For each column the one it follows, or null. A follower is missing where the other is, and a function of it that never
 * turns; so it has at most as many numbers. No column is followed that follows another one itself. `columns`: of n numbers
 * each, NaN where the cell is missing. Steps: a column each.
 */
export function* findFollowers(columns: readonly Float64Array[]): Steps<(Following | null)[]> {
  const found: (Following | null)[] = columns.map(() => null);
  const distinct: number[] = [];
  for (const column of columns) {
    distinct.push(countNumbers(column));
    yield;
  }
  const byNumbers = [...columns.keys()].sort((a, b) => distinct[b]! - distinct[a]! || a - b);
  for (const [rank, of] of byNumbers.entries()) {
    if (found[of] || distinct[of]! < 3) continue;
    const left = byNumbers.slice(rank + 1).filter((column) => !found[column] && distinct[column]! >= 3);
    for (const { column, falls } of yield* comonotoneColumnsOf(columns, of, left)) found[column] = { of, falls };
    yield;
  }
  return found;
}

/** Those of `others` that follow column `of`. */
function* comonotoneColumnsOf(
  columns: readonly Float64Array[],
  of: number,
  others: readonly number[],
): Steps<{ column: number; falls: boolean }[]> {
  const values = columns[of]!;
  const glance = ascending(values, Math.ceil(values.length / GLANCED_ROWS));
  const likely = others.flatMap((column) =>
    [false, true]
      .filter((falls) => keepsOrder(values, columns[column]!, glance, falls))
      .map((falls) => ({ column, falls })),
  );
  if (likely.length === 0) return [];
  const order = ascending(values, 1);
  if (order.length < MIN_ROWS) return [];
  const out: { column: number; falls: boolean }[] = [];
  for (const one of likely) {
    const column = columns[one.column]!;
    if (keepsOrder(values, column, order, one.falls) && sameMissing(values, column)) out.push(one);
    yield;
  }
  return out;
}

/** Different numbers, all missing cells together counted as one. */
function countNumbers(values: Float64Array): number {
  const sorted = values.slice().sort();
  let count = 0;
  for (let i = 0; i < sorted.length; i++) {
    if (i === 0 || (sorted[i] !== sorted[i - 1] && !Number.isNaN(sorted[i - 1]!))) count++;
  }
  return count;
}

/** Every so many of the rows with a number, by their numbers. */
function ascending(values: Float64Array, stride: number): Int32Array {
  const rows: number[] = [];
  for (let row = 0; row < values.length; row += stride) if (!Number.isNaN(values[row]!)) rows.push(row);
  return Int32Array.from(rows).sort((a, b) => values[a]! - values[b]!);
}

/** Whether `column` never turns in the rows of `order`, in which `of` ascends. */
function keepsOrder(of: Float64Array, column: Float64Array, order: Int32Array, falls: boolean): boolean {
  if (of.length !== column.length) return false;
  for (let i = 0; i < order.length; i++) {
    const value = column[order[i]!]!;
    if (Number.isNaN(value)) return false;
    if (i === 0) continue;
    const before = column[order[i - 1]!]!;
    const isEqual = of[order[i]!] === of[order[i - 1]!];
    if (isEqual ? value !== before : falls ? value > before : value < before) return false;
  }
  return true;
}

const sameMissing = (of: Float64Array, column: Float64Array): boolean =>
  column.every((value, row) => Number.isNaN(value) === Number.isNaN(of[row]!));
