/** Rows of each class in each leaf of a tree, and the probabilities that follow from them. */

/** Leaf l has the entries `from[l]` … `from[l + 1] - 1` of `classes` (ascending) with their `counts`. */
export interface LeafCounts {
  from: Int32Array;
  classes: Int32Array;
  counts: Int32Array;
  /** Rows of each class in all leaves. */
  margin: Int32Array;
}

/**
 * Rows' worth of the margin in each leaf: P(c | leaf) = (n_lc + w P(c)) / (n_l + w). What never stood together comes out
 * with a chance below w / n_l: one in 500 in a leaf of 50 rows.
 */
export const SMOOTHING_ROWS = 0.1;

export function countLeaves(leaves: Int32Array, leafCount: number, classes: Int32Array, kinds: number): LeafCounts {
  const margin = new Int32Array(kinds);
  const cells = Float64Array.from(leaves, (leaf, row) => leaf * kinds + classes[row]!).sort();
  const from = new Int32Array(leafCount + 1);
  const found: number[] = [];
  const counts: number[] = [];
  let last = -1;
  for (const cell of cells) {
    const one = cell % kinds;
    margin[one]!++;
    if (cell === last) counts[counts.length - 1]!++;
    else {
      found.push(one);
      counts.push(1);
      from[Math.floor(cell / kinds) + 1]!++;
    }
    last = cell;
  }
  for (let leaf = 0; leaf < leafCount; leaf++) from[leaf + 1]! += from[leaf]!;
  return { from, classes: Int32Array.from(found), counts: Int32Array.from(counts), margin };
}

/** Smoothed probability of a class in a leaf; above 0 for every class, one that was never seen too. */
export function probabilityIn({ from, classes, counts, margin }: LeafCounts, leaf: number, one: number): number {
  let rows = 0;
  let own = 0;
  for (let k = from[leaf]!; k < from[leaf + 1]!; k++) {
    rows += counts[k]!;
    if (classes[k] === one) own = counts[k]!;
  }
  const all = margin.reduce((sum, count) => sum + count, 0);
  const share = (margin[one]! + 0.5) / (all + 0.5 * margin.length);
  return (own + SMOOTHING_ROWS * share) / (rows + SMOOTHING_ROWS);
}
