/** The rows that a design is learnt from: all of them, or as many as are enough, drawn in proportion to their weights. */
import type { RandomStream } from '../../random/stream.ts';

/**
 * Ascending rows. Without weights and where n ≤ limit: each once. Otherwise a systematic sample of min(n, limit) rows
 * (one uniform draw; a row of weight w comes about w/Σw of the time, possibly more than once).
 */
export function learningRows(n: number, weights: Float64Array | null, limit: number, random: RandomStream): Int32Array {
  if (!weights && n <= limit) return Int32Array.from({ length: n }, (_, row) => row);
  const size = Math.min(n, limit);
  const weightOf = (row: number) => (weights ? weights[row]! : 1);
  let total = 0;
  for (let row = 0; row < n; row++) total += weightOf(row);
  if (!(total > 0 && Number.isFinite(total))) throw new RangeError(`weights sum to ${total}, not to a positive number`);
  const rows = new Int32Array(size);
  let next = random.uniform();
  let row = 0;
  let passed = weightOf(0);
  for (let i = 0; i < size; i++, next++) {
    while (passed / total <= next / size && row < n - 1) passed += weightOf(++row);
    rows[i] = row;
  }
  return rows;
}
