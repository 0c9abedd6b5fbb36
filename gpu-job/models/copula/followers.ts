/** Numbers that rise, or fall, with another column's in every row: their places are the other's. n = rows. */

export interface Following {
  /** Index of the column that is followed. */
  of: number;
  falls: boolean;
}

/** Rows that both columns need, at least: two rows are always in order. */
const LEAST_ROWS = 20;
/** Numbers that the followed column has at least as many of. */
interface Numbers {
  values: Float64Array;
  distinct: number;
}

/**
 * For each column the one it follows, or null. A follower is missing where the other is, and a function of it that never
 * turns; so it has at most as many numbers. No column is followed that follows another one itself.
 */
export function findFollowers(columns: readonly Numbers[]): (Following | null)[] {
  const found: (Following | null)[] = columns.map(() => null);
  const byNumbers = [...columns.keys()].sort((a, b) => columns[b]!.distinct - columns[a]!.distinct || a - b);
  byNumbers.forEach((of, rank) => {
    if (found[of] || columns[of]!.distinct < 3) return;
    const order = ascending(columns[of]!.values);
    if (order.length < LEAST_ROWS) return;
    for (const column of byNumbers.slice(rank + 1)) {
      if (found[column] || columns[column]!.distinct < 3) continue;
      for (const falls of [false, true]) {
        if (follows(columns[of]!.values, columns[column]!.values, order, falls)) found[column] = { of, falls };
      }
    }
  });
  return found;
}

function ascending(values: Float64Array): Int32Array {
  const rows: number[] = [];
  values.forEach((value, row) => {
    if (!Number.isNaN(value)) rows.push(row);
  });
  return Int32Array.from(rows).sort((a, b) => values[a]! - values[b]!);
}

function follows(of: Float64Array, column: Float64Array, order: Int32Array, falls: boolean): boolean {
  if (of.length !== column.length) return false;
  for (let i = 0; i < order.length; i++) {
    const value = column[order[i]!]!;
    if (Number.isNaN(value)) return false;
    if (i === 0) continue;
    const before = column[order[i - 1]!]!;
    const isEqual = of[order[i]!] === of[order[i - 1]!];
    if (isEqual ? value !== before : falls ? value > before : value < before) return false;
  }
  return column.every((value, row) => Number.isNaN(value) === Number.isNaN(of[row]!));
}
