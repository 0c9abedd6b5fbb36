/** Mean and variance of numbers, added up in their order. */

/** NaN of none. */
export function mean(x: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < x.length; i++) sum += x[i]!;
  return sum / x.length;
}

/** With divisor n - 1. */
export function variance(x: ArrayLike<number>): number {
  const centre = mean(x);
  let sum = 0;
  for (let i = 0; i < x.length; i++) sum += (x[i]! - centre) ** 2;
  return sum / (x.length - 1);
}

/** The mean of independent numbers, and its standard error: NaN of a single one. */
export function meanWithError(x: ArrayLike<number>): { mean: number; error: number } {
  return { mean: mean(x), error: Math.sqrt(variance(x) / x.length) };
}

/** Whether numbers are above 0 by no more than one standard error of their mean: the rule of Breiman and others (1984). */
export function isWithinError(x: ArrayLike<number>): boolean {
  const { mean: centre, error } = meanWithError(x);
  return !(centre > error);
}
