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
