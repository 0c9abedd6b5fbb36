/** NaN for an empty array. */
export function mean(x: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < x.length; i++) sum += x[i]!;
  return sum / x.length;
}

/** Divisor n - 1. */
export function variance(x: ArrayLike<number>): number {
  const centre = mean(x);
  let sum = 0;
  for (let i = 0; i < x.length; i++) sum += (x[i]! - centre) ** 2;
  return sum / (x.length - 1);
}

/** The error of a single number is NaN. */
export function meanWithError(x: ArrayLike<number>): { mean: number; error: number } {
  return { mean: mean(x), error: Math.sqrt(variance(x) / x.length) };
}

/** Whether the mean exceeds 0 by at most one standard error (Breiman et al. 1984). */
export function isWithinError(x: ArrayLike<number>): boolean {
  const { mean: centre, error } = meanWithError(x);
  return !(centre > error);
}
