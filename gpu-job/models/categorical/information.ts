/** How much one column tells of another: the gain in predictive log probability that the chain itself would have. */
import { type CountTable, countPairs } from './countTable.ts';

/** Rows' worth of the child's margin in each conditional distribution: P(l | p) = (n_pl + w P(l)) / (n_p + w). */
export const SMOOTHING = 1;

/**
 * Mean gain per row, in nats, of P(child | parent) over P(child), each row predicted from the others: a parent whose
 * levels stand once each (an identifier) tells nothing, although it "determines" every column. May be negative.
 */
export function informationGain(table: CountTable, childCounts: Int32Array, rows: number): number {
  let gain = 0;
  for (let p = 0; p + 1 < table.from.length; p++) {
    let rowsOfParent = 0;
    for (let k = table.from[p]!; k < table.from[p + 1]!; k++) rowsOfParent += table.counts[k]!;
    for (let k = table.from[p]!; k < table.from[p + 1]!; k++) {
      const count = table.counts[k]!;
      const margin = childCounts[table.levels[k]!]! / rows;
      gain += count * Math.log((count - 1 + SMOOTHING * margin) / ((rowsOfParent - 1 + SMOOTHING) * margin));
    }
  }
  return gain / rows;
}

/** A column as levels 0 … kinds-1. */
export interface Levels {
  levels: Int32Array;
  kinds: number;
  counts: Int32Array;
}

/** Pairs of columns that are looked at, at most: of very wide tables only the first columns can be parents. */
const MAX_PAIRS = 400_000;

/** gain[i][j]: what column i tells of column j, in nats per row; empty for a column i that cannot be a parent. */
export const allGains = (columns: readonly Levels[]): number[][] => columns.map((_, i) => gainsOf(columns, i));

/** What column i tells of each: a row of `allGains`. */
export function gainsOf(columns: readonly Levels[], i: number): number[] {
  const parents = Math.floor(MAX_PAIRS / columns.length);
  const parent = columns[i]!;
  return (i < parents ? columns : []).map((child, j) => {
    if (i === j) return 0;
    const table = countPairs(parent.levels, parent.kinds, child.levels, child.kinds);
    return informationGain(table, child.counts, child.levels.length);
  });
}
