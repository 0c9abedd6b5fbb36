/** Counts of pairs of levels. Level 0 stands for a missing cell, level k + 1 for code k. */
import type { CategoryColumn } from '../model.ts';

/** Child levels by parent level: entries `from[p]` … `from[p + 1]` of `levels` with their `counts`. */
export interface CountTable {
  from: Int32Array;
  levels: Int32Array;
  counts: Int32Array;
}

/** Every `stride`-th row of a column as levels. */
export const levelsOf = (column: CategoryColumn, stride = 1): Int32Array =>
  Int32Array.from({ length: Math.ceil(column.codes.length / stride) }, (_, i) => column.codes[i * stride]! + 1);

/** Rows per level, missing first. */
export function levelCounts(levels: Int32Array, kinds: number): Int32Array {
  const counts = new Int32Array(kinds);
  for (const level of levels) counts[level]! += 1;
  return counts;
}

/** Counts the pairs of two columns over the same rows; `parentKinds` and `childKinds` are their numbers of levels. */
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

/** Occupied cells (parent level * childKinds + child level) in order, with their counts. */
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
