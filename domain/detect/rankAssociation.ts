/** How much groups of rows tell of a target, by ranks: whatever its scale, and whatever its outliers. */

/** Ranks from 1, the mean rank for equal values. */
export function ranksOf(values: readonly number[]): Float64Array {
  const order = values.map((_, i) => i).sort((a, b) => values[a]! - values[b]!);
  const ranks = new Float64Array(values.length);
  for (let from = 0; from < order.length; ) {
    let to = from + 1;
    while (to < order.length && values[order[to]!] === values[order[from]!]) to++;
    for (let k = from; k < to; k++) ranks[order[k]!] = (from + 1 + to) / 2;
    from = to;
  }
  return ranks;
}

/** Share of the ranks' variance between the groups, less what groups by chance would have; 0 at the least. */
export function explainedShare(ranks: Float64Array, groups: readonly number[]): number {
  const n = ranks.length;
  const sums = new Map<number, { count: number; sum: number }>();
  let total = 0;
  for (let i = 0; i < n; i++) {
    const group = sums.get(groups[i]!) ?? { count: 0, sum: 0 };
    group.count++;
    group.sum += ranks[i]! - (n + 1) / 2;
    sums.set(groups[i]!, group);
    total += (ranks[i]! - (n + 1) / 2) ** 2;
  }
  if (!(total > 0) || sums.size < 2 || n <= sums.size) return 0;
  let between = 0;
  for (const { count, sum } of sums.values()) between += (sum * sum) / count;
  return Math.max(0, 1 - ((1 - between / total) * (n - 1)) / (n - sums.size));
}

/** Rank correlation from which a column is the target once more: its logarithm, its copy, its price in another currency. */
const SAME_ORDER = 0.9999;

/** True where the values that are there stand in the order of the ranks, or in the reverse. */
export function isSameOrder(ranks: Float64Array, values: readonly number[]): boolean {
  const known = values.flatMap((value, i) => (Number.isNaN(value) ? [] : [i]));
  if (known.length < 3) return false;
  const a = ranksOf(known.map((i) => ranks[i]!));
  const b = ranksOf(known.map((i) => values[i]!));
  const mean = (known.length + 1) / 2;
  let [ab, aa, bb] = [0, 0, 0];
  for (let i = 0; i < a.length; i++) {
    ab += (a[i]! - mean) * (b[i]! - mean);
    aa += (a[i]! - mean) ** 2;
    bb += (b[i]! - mean) ** 2;
  }
  return aa > 0 && bb > 0 && Math.abs(ab) >= SAME_ORDER * Math.sqrt(aa * bb);
}
