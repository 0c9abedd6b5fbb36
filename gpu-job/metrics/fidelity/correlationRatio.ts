/**
 * The correlation ratio η of a number and a category: η² = Σ n_k (ȳ_k − ȳ)² / Σ (y − ȳ)², the share of the number's
 * variance that the levels explain (Pearson, 1905), over the rows in which both have a value. 0 to 1.
 */
import { isConstant, magnitude, scaledMean } from '../spread.ts';

/** Undefined below two rows, or where the number or the category is constant on them. */
export function correlationRatio(values: Float64Array, codes: Int32Array, levels: number): number | undefined {
  const known = new Float64Array(values.length);
  const level = new Int32Array(values.length);
  let n = 0;
  for (let row = 0; row < values.length; row++) {
    if (!Number.isFinite(values[row]!) || codes[row]! < 0) continue;
    known[n] = values[row]!;
    level[n++] = codes[row]!;
  }
  const there = known.subarray(0, n);
  if (n < 2 || isConstant(there)) return undefined;
  const scale = magnitude(there);
  const mean = scaledMean(there, scale);
  const sums = new Float64Array(levels);
  const counts = new Int32Array(levels);
  let total = 0;
  for (let row = 0; row < n; row++) {
    const gap = there[row]! / scale - mean;
    sums[level[row]!]! += gap;
    counts[level[row]!]!++;
    total += gap * gap;
  }
  let between = 0;
  let kinds = 0;
  for (let k = 0; k < levels; k++) {
    if (counts[k] === 0) continue;
    kinds++;
    between += sums[k]! ** 2 / counts[k]!;
  }
  return kinds > 1 && total > 0 ? Math.sqrt(Math.min(1, between / total)) : undefined;
}
