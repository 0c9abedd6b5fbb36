/** 95 % intervals of shares, means, differences and areas under a curve. Each is [low, high]. */

export type Interval = readonly [number, number];

/** The 97.5 % quantile of the standard normal. */
export const Z = 1.959963984540054;

/**
 * The 99.5 % quantile: verdicts are at 99 %, since a job has some thirty of them, and one in twenty wrong would be one or
 * two a job.
 */
export const VERDICT_Z = 2.5758293035489004;

/** The 97.5 % and 99.5 % quantiles of Student's t by degrees of freedom, 1 to 10; the normal's beyond. */
const T975 = [Number.NaN, 12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228];
const T995 = [Number.NaN, 63.657, 9.925, 5.841, 4.604, 4.032, 3.707, 3.499, 3.355, 3.25, 3.169];

export const studentQuantile = (degrees: number): number => T975[degrees] ?? Z;
export const studentVerdictQuantile = (degrees: number): number => T995[degrees] ?? VERDICT_Z;

/** A 95 % interval about a value, as wide as verdicts ask for. */
export function widened(value: number, [low, high]: Interval): Interval {
  const factor = VERDICT_Z / Z;
  return [value - (value - low) * factor, value + (high - value) * factor];
}

/** Wilson (1927): a share of `hits` in n, within 0 … 1 and of use at its ends. NaN where n is 0. */
export function wilson(hits: number, n: number, z = Z): Interval {
  const p = hits / n;
  const centre = (p + (z * z) / (2 * n)) / (1 + (z * z) / n);
  const half = (z / (1 + (z * z) / n)) * Math.sqrt((p * (1 - p)) / n + (z * z) / (4 * n * n));
  return [Math.max(0, centre - half), Math.min(1, centre + half)];
}

/** Newcombe (1998, method 10): a/n − b/m from the two Wilson intervals. */
export function shareDifference(a: number, n: number, b: number, m: number): Interval {
  const [p, q] = [a / n, b / m];
  const [pLow, pHigh] = wilson(a, n);
  const [qLow, qHigh] = wilson(b, m);
  const gap = p - q;
  return [gap - Math.hypot(p - pLow, qHigh - q), gap + Math.hypot(pHigh - p, q - qLow)];
}

export interface Mean {
  mean: number;
  /** Of the mean; NaN below two values. */
  error: number;
}

export function meanOf(values: ArrayLike<number>): Mean {
  const n = values.length;
  let sum = 0;
  for (let i = 0; i < n; i++) sum += values[i]!;
  const mean = sum / n;
  let squares = 0;
  for (let i = 0; i < n; i++) squares += (values[i]! - mean) ** 2;
  return { mean, error: n > 1 ? Math.sqrt(squares / (n - 1) / n) : Number.NaN };
}

export const around = ({ mean, error }: Mean, z = Z): Interval => [mean - z * error, mean + z * error];

/** Keeps an interval within bounds. */
export const clipped = ([low, high]: Interval, least: number, most: number): Interval => [
  Math.max(least, low),
  Math.min(most, high),
];
