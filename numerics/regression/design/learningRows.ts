/** The rows that a design is learnt from: all of them, or as many as are enough, drawn in proportion to their weights. */
import type { RandomStream } from '../../random/stream.ts';

/**
 * Ascending rows. Those that count (weight above 0) once each, where they all count alike and are at most `limit`. Otherwise a
 * systematic sample of as many as count, `limit` at most (one uniform draw; a row of weight w comes about w/Σw of the time,
 * possibly more than once).
 */
export function learningRows(n: number, weights: Float64Array | null, limit: number, random: RandomStream): Int32Array {
  const counting = rowsThatCount(n, weights);
  const first = weights?.[counting[0]!] ?? 1;
  const isEven = !weights || counting.every((row) => weights[row] === first);
  if (isEven && counting.length <= limit) return counting;
  const size = Math.min(counting.length, limit);
  const weightOf = (row: number) => (weights ? weights[row]! : 1);
  const total = counting.reduce((sum, row) => sum + weightOf(row), 0);
  const rows = new Int32Array(size);
  let next = random.uniform();
  let at = 0;
  let passed = weightOf(counting[0]!);
  for (let i = 0; i < size; i++, next++) {
    while (passed / total <= next / size && at < counting.length - 1) passed += weightOf(counting[++at]!);
    rows[i] = counting[at]!;
  }
  return rows;
}

/** Throws RangeError where weights are none, or sum to what is no finite number. */
function rowsThatCount(n: number, weights: Float64Array | null): Int32Array {
  const all = Int32Array.from({ length: n }, (_, row) => row);
  if (!weights) return all;
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  if (!(total > 0 && Number.isFinite(total))) throw new RangeError(`weights sum to ${total}, not to a positive number`);
  return all.filter((row) => weights[row]! > 0);
}
