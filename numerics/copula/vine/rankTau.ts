/** Kendall's τ-b of columns whose orders are known: Knight's (1966) count with whole numbers, one merge sort a pair. */
import { type Observed, type Ranking, rankingWithin } from './observed.ts';

/** τ-b of the first `rows` rows, those with a missing value left out; 0 where a column is constant there. */
export function rankTau(a: Observed, b: Observed, rows: number): number {
  const [x, y] = [a.ranking(rows), b.ranking(rows)];
  return tauOfRankings(b.missing ? rankingWithin(x, b) : x, a.missing ? rankingWithin(y, a) : y);
}

/** τ-b of two rankings of the same rows; 0 where one has a single rank. */
export function tauOfRankings(a: Ranking, b: Ranking): number {
  const n = a.order.length;
  const sequence = new Int32Array(n);
  for (let i = 0; i < n; i++) sequence[i] = b.rank[a.order[i]!]!;
  const tiedBoth = a.tied === 0 ? 0 : sortInsideTies(a, sequence);
  const all = 0.5 * n * (n - 1);
  const discordant = countInversions(sequence);
  const tau = (all - a.tied - b.tied + tiedBoth - 2 * discordant) / Math.sqrt(all - a.tied) / Math.sqrt(all - b.tied);
  return Number.isFinite(tau) ? Math.min(1, Math.max(-1, tau)) : 0;
}

/** Sorts `sequence` within runs of equal ranks of `a`; returns the pairs equal in both. */
function sortInsideTies(a: Ranking, sequence: Int32Array): number {
  const n = sequence.length;
  let tied = 0;
  for (let start = 0; start < n; ) {
    const rank = a.rank[a.order[start]!]!;
    let end = start + 1;
    while (end < n && a.rank[a.order[end]!] === rank) end++;
    if (end - start > 1) {
      sequence.subarray(start, end).sort();
      let run = 0;
      for (let i = start + 1; i < end; i++) {
        run = sequence[i] === sequence[i - 1] ? run + 1 : 0;
        tied += run;
      }
    }
    start = end;
  }
  return tied;
}

/** Pairs i < j with x_i > x_j. Sorts `x`. Counted in doubles: n² may pass 2^32. */
export function countInversions(x: Int32Array): number {
  const n = x.length;
  let from: Int32Array = x;
  let to: Int32Array = new Int32Array(n);
  let inversions = 0;
  for (let width = 1; width < n; width *= 2) {
    for (let start = 0; start < n; start += 2 * width) {
      const middle = Math.min(start + width, n);
      const end = Math.min(start + 2 * width, n);
      let a = start;
      let b = middle;
      for (let k = start; k < end; k++) {
        if (b >= end || (a < middle && from[a]! <= from[b]!)) to[k] = from[a++]!;
        else {
          inversions += middle - a;
          to[k] = from[b++]!;
        }
      }
    }
    [from, to] = [to, from];
  }
  if (from !== x) x.set(from);
  return inversions;
}
