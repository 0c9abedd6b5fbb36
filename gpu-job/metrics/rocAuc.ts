/**
 * Area under the ROC curve: the probability that a score of a positive is above one of a negative, ties half (the
 * Mann-Whitney statistic), with the 95 % interval of DeLong, DeLong and Clarke-Pearson (1988).
 */
import { clipped, type Interval, Z } from './intervals.ts';

export interface Auc {
  value: number;
  interval: Interval;
}

/** @param positive, negative finite scores. Undefined where one is empty. O(n log n). */
export function rocAuc(positive: Float64Array, negative: Float64Array): Auc | undefined {
  const [m, n] = [positive.length, negative.length];
  if (m === 0 || n === 0) return undefined;
  const [sortedPositive, sortedNegative] = [positive.toSorted(), negative.toSorted()];
  // Of each positive, the share of negatives below it; of each negative, the share of positives above it.
  const above = positive.map((score) => midPlace(sortedNegative, score) / n);
  const below = negative.map((score) => 1 - midPlace(sortedPositive, score) / m);
  const value = above.reduce((sum, share) => sum + share, 0) / m;
  const error = Math.sqrt(variance(above, value) / m + variance(below, value) / n);
  return { value, interval: clipped([value - Z * error, value + Z * error], 0, 1) };
}

/** Scores below, and half of those equal. */
function midPlace(sorted: Float64Array, score: number): number {
  return (countBelow(sorted, score, false) + countBelow(sorted, score, true)) / 2;
}

/** Values of a sorted array below one, or not above it. */
export function countBelow(sorted: Float64Array, value: number, orEqual: boolean): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (sorted[middle]! < value || (orEqual && sorted[middle]! === value)) low = middle + 1;
    else high = middle;
  }
  return low;
}

function variance(values: Float64Array, mean: number): number {
  if (values.length < 2) return 0.25;
  return values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1);
}
