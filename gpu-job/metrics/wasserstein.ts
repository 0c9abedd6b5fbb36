/**
 * The Wasserstein-1 (earth mover's) distance of two samples, W = ∫ |F(x) − G(x)| dx (Vallender, 1974), exact on the
 * merged samples, in units of the real sample's standard deviation (n − 1), so that columns can be averaged.
 */
import { magnitude, scaledDeviation } from './spread.ts';

/**
 * @param real finite numbers, at least two of them different.
 * @param other finite numbers, at least one.
 * @returns 0 or above; Infinity where it overflows. Throws RangeError where `real` has no spread or `other` is empty.
 */
export function wasserstein(real: Float64Array, other: Float64Array): number {
  if (other.length === 0) throw new RangeError('a sample is empty');
  const scale = magnitude(real);
  const deviation = scaledDeviation(real, scale);
  if (!(deviation > 0)) throw new RangeError('the real sample has no spread');
  return areaBetween(real.map((x) => x / scale).sort(), other.map((x) => x / scale).sort()) / deviation;
}

/** ∫ |F − G| of two sorted samples. */
function areaBetween(left: Float64Array, right: Float64Array): number {
  let i = 0;
  let j = 0;
  let previous = Math.min(left[0]!, right[0]!);
  let area = 0;
  while (i < left.length || j < right.length) {
    const at = Math.min(left[i] ?? Number.POSITIVE_INFINITY, right[j] ?? Number.POSITIVE_INFINITY);
    if (at > previous) area += Math.abs(i / left.length - j / right.length) * (at - previous);
    previous = at;
    while (i < left.length && left[i]! <= at) i++;
    while (j < right.length && right[j]! <= at) j++;
  }
  return area;
}
