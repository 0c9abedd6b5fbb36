/** Searches of ascending numbers, by halves. NaN stands behind all others, as a typed array's sort puts it. */

/** The first index from `from` whose entry is at least `x`; `to` where there is none before it. */
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

/** The first index whose entry is above `x`; the length where there is none. */
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

/** Whether one of the entries is `x`. */
export const contains = (sorted: Float64Array, x: number): boolean => sorted[firstAtLeast(sorted, x)] === x;
