/** Binary search in ascending numbers. NaN sorts last, as in typed arrays. */

/** Returns the first index in [from, to) whose entry is at least `x`, or `to`. */
export function firstAtLeast(sorted: Float64Array, x: number, from = 0, to = sorted.length): number {
  let low = from;
  let high = to;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (sorted[middle]! < x) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Returns the first index whose entry exceeds `x`, or the length. */
export function firstAbove(sorted: Float64Array, x: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (sorted[middle]! <= x) low = middle + 1;
    else high = middle;
  }
  return low;
}

export const contains = (sorted: Float64Array, x: number): boolean => sorted[firstAtLeast(sorted, x)] === x;
