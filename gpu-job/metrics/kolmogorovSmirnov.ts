/**
 * The two-sample Kolmogorov-Smirnov statistic (Smirnov, 1939): D = sup |F(x) − G(x)| over the empirical distribution
 * functions, exact on the merged samples, ties and all. 0 to 1; 0 where the two are alike.
 */

/** @param a, b finite numbers, at least one each, in any order. Throws RangeError where one is empty. */
export function kolmogorovSmirnov(a: Float64Array, b: Float64Array): number {
  if (a.length === 0 || b.length === 0) throw new RangeError('a sample is empty');
  const left = a.toSorted();
  const right = b.toSorted();
  let i = 0;
  let j = 0;
  let largest = 0;
  while (i < left.length && j < right.length) {
    const at = Math.min(left[i]!, right[j]!);
    while (i < left.length && left[i]! <= at) i++;
    while (j < right.length && right[j]! <= at) j++;
    largest = Math.max(largest, Math.abs(i / left.length - j / right.length));
  }
  return largest;
}
