/** Normal scores: the normal quantiles of a column's ranks, ties broken at random. */
import type { RandomStream } from '../../../numerics/random/stream.ts';
import { normalQuantile } from '../../../numerics/special/normal.ts';

/** Scores of `values` (n), NaN where a cell is missing. Rank r of m numbers has the score of (r + ½) / m, r = 0 … m-1. */
export function normalScores(values: Float64Array, random: RandomStream): Float64Array {
  const scores = new Float64Array(values.length).fill(Number.NaN);
  const order = shuffledOrder(values, random);
  order.forEach((row, rank) => {
    scores[row] = normalQuantile((rank + 0.5) / order.length);
  });
  return scores;
}

/** Rows with a number by ascending value, equal ones in random order. */
function shuffledOrder(values: Float64Array, random: RandomStream): Int32Array {
  const rows: number[] = [];
  values.forEach((value, row) => {
    if (!Number.isNaN(value)) rows.push(row);
  });
  for (let i = rows.length - 1; i > 0; i--) {
    const j = random.integer(i + 1);
    [rows[i], rows[j]] = [rows[j]!, rows[i]!];
  }
  return Int32Array.from(rows).sort((a, b) => values[a]! - values[b]!);
}
