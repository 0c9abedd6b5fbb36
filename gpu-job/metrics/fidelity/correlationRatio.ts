/**
 * The correlation ratio η of a number and a category: η² = Σ n_k (ȳ_k − ȳ)² / Σ (y − ȳ)², the share of the number's
 * variance that the levels explain (Pearson, 1905), over the rows in which both have a value. 0 to 1.
 */
import { isConstant, magnitude, scaledMean } from '../spread.ts';

/** Undefined below two rows, or where the number or the category is constant on them. */
export function correlationRatio(values: Float64Array, codes: Int32Array, levels: number): number | undefined {
  const both = (value: number, row: number): boolean => Number.isFinite(value) && codes[row]! >= 0;
  const known = values.filter(both);
  if (known.length < 2 || isConstant(known)) return undefined;
  const scale = magnitude(known);
  const mean = scaledMean(known, scale);
  const sums = new Float64Array(levels);
  const counts = new Int32Array(levels);
  let total = 0;
  for (let row = 0; row < values.length; row++) {
    if (!both(values[row]!, row)) continue;
    const gap = values[row]! / scale - mean;
    sums[codes[row]!]! += gap;
    counts[codes[row]!]!++;
    total += gap * gap;
  }
  let between = 0;
  let kinds = 0;
  for (let level = 0; level < levels; level++) {
    if (counts[level] === 0) continue;
    kinds++;
    between += sums[level]! ** 2 / counts[level]!;
  }
  return kinds > 1 && total > 0 ? Math.sqrt(Math.min(1, between / total)) : undefined;
}
