/** 95 % intervals, each [low, high]. */
import { mean } from '../../numerics/moments.ts';
import { firstAbove, firstAtLeast } from '../../numerics/search.ts';

export type Interval = readonly [number, number];

/** 97.5 % standard normal quantile. */
export const Z = 1.959963984540054;

/**
 * 99.9 % quantile for verdicts. With ten figures per area, chance makes one area in a hundred worse, instead of every
 * second one at 95 %.
 */
export const VERDICT_Z = 3.090232306167813;

/** One-sided error rate of a verdict. */
export const VERDICT_LEVEL = 0.001;

/** Quantiles of Student's t for 1 to 10 degrees of freedom. */
const T975 = [Number.NaN, 12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228];
const T999 = [Number.NaN, 318.309, 22.327, 10.215, 7.173, 5.893, 5.208, 4.785, 4.501, 4.297, 4.144];

export const studentQuantile = (degrees: number): number => T975[degrees] ?? cornishFisher(Z, degrees);
export const studentVerdictQuantile = (degrees: number): number => T999[degrees] ?? cornishFisher(VERDICT_Z, degrees);

/** Within 1 % from eleven degrees on (Abramowitz and Stegun, 26.7.5). */
const cornishFisher = (z: number, degrees: number): number =>
  z + (z ** 3 + z) / (4 * degrees) + (5 * z ** 5 + 16 * z ** 3 + 3 * z) / (96 * degrees ** 2);

/** Widens a 95 % interval to the level of verdicts. */
export function widened(value: number, [low, high]: Interval): Interval {
  const factor = VERDICT_Z / Z;
  return [value - (value - low) * factor, value + (high - value) * factor];
}

/** Wilson (1927) interval of a share; NaN for n = 0. */
export function wilson(hits: number, n: number, z = Z): Interval {
  const p = hits / n;
  const centre = (p + (z * z) / (2 * n)) / (1 + (z * z) / n);
  const half = (z / (1 + (z * z) / n)) * Math.sqrt((p * (1 - p)) / n + (z * z) / (4 * n * n));
  return [hits === 0 && n > 0 ? 0 : Math.max(0, centre - half), hits === n && n > 0 ? 1 : Math.min(1, centre + half)];
}

/** One-sided 95 % standard normal quantile. */
export const ONE_SIDED_Z = 1.6448536269514722;

/** Interval of a/n − b/m (Newcombe, 1998, method 10). */
export function shareDifference(a: number, n: number, b: number, m: number, z = Z): Interval {
  const [p, q] = [a / n, b / m];
  const [pLow, pHigh] = wilson(a, n, z);
  const [qLow, qHigh] = wilson(b, m, z);
  const gap = p - q;
  return [gap - Math.hypot(p - pLow, qHigh - q), gap + Math.hypot(pHigh - p, q - qLow)];
}

export interface Mean {
  mean: number;
  /** Standard error; NaN below two values. */
  error: number;
}

export const around = ({ mean, error }: Mean, z = Z): Interval => [mean - z * error, mean + z * error];

export const clipped = ([low, high]: Interval, least: number, most: number): Interval => [
  Math.max(least, low),
  Math.min(most, high),
];

// ROC AUC with ties half (Mann-Whitney) and the interval of DeLong, DeLong and Clarke-Pearson (1988).

export interface Auc {
  value: number;
  interval: Interval;
}

/** Takes finite scores. Undefined if either is empty. O(n log n). */
export function rocAuc(positive: Float64Array, negative: Float64Array): Auc | undefined {
  const [m, n] = [positive.length, negative.length];
  if (m === 0 || n === 0) return undefined;
  const { above, below } = placements(positive, negative);
  const value = above.reduce((sum, share) => sum + share, 0) / m;
  const error = Math.sqrt(variance(above, value) / m + variance(below, value) / n);
  return { value, interval: clipped([value - Z * error, value + Z * error], 0, 1) };
}

/**
 * AUC within cross-validation folds, weighted by negatives. Fold errors correlate by 1 / K (Nadeau and Bengio, 2003),
 * which widens the interval by √(1 + (K − 1) / K).
 * @param folds [positive, negative] scores; one-sided folds are ignored. Undefined if all are.
 */
export function stratifiedAuc(
  folds: readonly (readonly [Float64Array, Float64Array])[],
  ofOneValidation: number,
): Auc | undefined {
  const known = folds.filter(([positive, negative]) => positive.length > 0 && negative.length > 0);
  if (known.length === 0) return undefined;
  const places = known.map(([positive, negative]) => placements(positive, negative));
  const above = Float64Array.from(places.flatMap((own) => [...own.above]));
  const below = Float64Array.from(places.flatMap((own) => [...own.below]));
  const value = mean(below);
  const withinFolds = variance(above, value) / above.length + variance(below, value) / below.length;
  const half = Z * Math.sqrt(withinFolds * (2 - 1 / ofOneValidation));
  return { value, interval: clipped([value - half, value + half], 0, 1) };
}

/** Shares of negatives below each positive, and of positives above each negative. */
function placements(positive: Float64Array, negative: Float64Array): { above: Float64Array; below: Float64Array } {
  const [sortedPositive, sortedNegative] = [positive.toSorted(), negative.toSorted()];
  return {
    above: positive.map((score) => midPlace(sortedNegative, score) / negative.length),
    below: negative.map((score) => 1 - midPlace(sortedPositive, score) / positive.length),
  };
}

function midPlace(sorted: Float64Array, score: number): number {
  return (firstAtLeast(sorted, score) + firstAbove(sorted, score)) / 2;
}

function variance(values: Float64Array, mean: number): number {
  if (values.length < 2) return 0.25;
  return values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1);
}
