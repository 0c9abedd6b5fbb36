import type { CategoryColumn } from '../model.ts';

/** Grows a directed tree of columns greedily by information (after Prim, 1957). */

export interface ChainEntry {
  column: number;
  /** Most informative earlier column, or null. */
  parent: number | null;
}

/**
 * Orders columns after the first `given`. Ties go to the earlier column.
 * @param gains `gains[i][j]` is the information of i on j.
 */
export function chainOrder(gains: readonly (readonly number[])[], given: number): ChainEntry[] {
  const count = gains.length;
  const best: ChainEntry[] = gains.map((_, column) => ({ column, parent: null }));
  const bestGain = new Float64Array(count);
  const ordered = new Set<number>();
  const order: ChainEntry[] = [];
  const add = (column: number): void => {
    ordered.add(column);
    gains[column]!.forEach((gain, other) => {
      if (ordered.has(other) || gain <= bestGain[other]!) return;
      bestGain[other] = gain;
      best[other] = { column: other, parent: column };
    });
  };
  for (let column = 0; column < given; column++) add(column);
  while (ordered.size < count) {
    const next = ordered.size === 0 ? mostInformative(gains) : bestPredicted(bestGain, ordered);
    order.push(best[next]!);
    add(next);
  }
  return order;
}

function mostInformative(gains: readonly (readonly number[])[]): number {
  const totals = gains.map((row) => row.reduce((sum, gain) => sum + Math.max(0, gain), 0));
  return totals.indexOf(Math.max(...totals));
}

function bestPredicted(gain: Float64Array, ordered: ReadonlySet<number>): number {
  let best = -1;
  gain.forEach((value, column) => {
    if (!ordered.has(column) && (best < 0 || value > gain[best]!)) best = column;
  });
  return best;
}

/** Rows w of the margin: P(l | p) = (n_pl + w P(l)) / (n_p + w). */
const SMOOTHING = 1;

/**
 * Returns the mean gain (nats per row) of P(child | parent) over P(child). Leaving each row out makes identifiers
 * uninformative.
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

/** Levels 0 … kinds - 1. */
export interface Levels {
  levels: Int32Array;
  kinds: number;
  counts: Int32Array;
}

/** In wide tables only the first columns can be parents. */
const MAX_PAIRS = 400_000;

/** Information of i on j (nats per row); empty if i cannot be a parent. */
export const allGains = (columns: readonly Levels[]): number[][] => columns.map((_, i) => gainsOf(columns, i));

export function gainsOf(columns: readonly Levels[], i: number): number[] {
  const parents = Math.floor(MAX_PAIRS / columns.length);
  const parent = columns[i]!;
  return (i < parents ? columns : []).map((child, j) => {
    if (i === j) return 0;
    const table = countPairs(parent.levels, parent.kinds, child.levels, child.kinds);
    return informationGain(table, child.counts, child.levels.length);
  });
}

// Level 0 is a missing cell, level k + 1 is code k.

/** Child levels of parent p: entries `from[p]` … `from[p + 1]`. */
interface CountTable {
  from: Int32Array;
  levels: Int32Array;
  counts: Int32Array;
}

export const levelsOf = (column: CategoryColumn, stride = 1): Int32Array =>
  Int32Array.from({ length: Math.ceil(column.codes.length / stride) }, (_, i) => column.codes[i * stride]! + 1);

export function levelCounts(levels: Int32Array, kinds: number): Int32Array {
  const counts = new Int32Array(kinds);
  for (const level of levels) counts[level]! += 1;
  return counts;
}

export function countPairs(parent: Int32Array, parentKinds: number, child: Int32Array, childKinds: number): CountTable {
  const cells = parentKinds * childKinds;
  const pairs =
    cells <= 4 * parent.length + 1000
      ? densePairs(parent, child, childKinds, cells)
      : sortedPairs(parent, child, childKinds);
  const from = new Int32Array(parentKinds + 1);
  const levels = new Int32Array(pairs.length);
  const counts = new Int32Array(pairs.length);
  pairs.forEach(([cell, count], k) => {
    from[Math.floor(cell / childKinds) + 1]! += 1;
    levels[k] = cell % childKinds;
    counts[k] = count;
  });
  for (let p = 0; p < parentKinds; p++) from[p + 1]! += from[p]!;
  return { from, levels, counts };
}

/** Cells are parent level * childKinds + child level. */
type Pairs = [cell: number, count: number][];

function densePairs(parent: Int32Array, child: Int32Array, childKinds: number, cells: number): Pairs {
  const dense = new Int32Array(cells);
  for (let row = 0; row < parent.length; row++) dense[parent[row]! * childKinds + child[row]!]! += 1;
  const pairs: Pairs = [];
  dense.forEach((count, cell) => {
    if (count > 0) pairs.push([cell, count]);
  });
  return pairs;
}

function sortedPairs(parent: Int32Array, child: Int32Array, childKinds: number): Pairs {
  const cells = Float64Array.from(parent, (level, row) => level * childKinds + child[row]!).sort();
  const pairs: Pairs = [];
  for (const cell of cells) {
    const last = pairs.at(-1);
    if (last?.[0] === cell) last[1]++;
    else pairs.push([cell, 1]);
  }
  return pairs;
}
