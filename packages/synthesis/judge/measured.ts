/** Builds figures with baselines and verdicts, never NaN or infinite. */
import type { MeasuredFigure, Verdict } from '../../contract/measuredFigure.ts';
import { meanWithError } from '../../numerics/moments.ts';
import {
  type Interval,
  shareDifference,
  studentQuantile,
  studentVerdictQuantile,
  widened,
  wilson,
} from './intervals.ts';

/** Undefined or not finite if unavailable. */
export type Baselines = Partial<Record<'holdout' | 'independent' | 'swapped', number | undefined>>;

export interface Estimate extends Baselines {
  value: number | undefined;
  interval?: Interval | undefined;
  /** One-sided 95 % bound. */
  upper?: number | undefined;
  rows: number;
  reason?: string;
  ideal?: number;
  verdict?: Verdict | null;
}

const TOO_LARGE = 'the numbers are too large to compute it';

export function toMeasured(of: Estimate): MeasuredFigure {
  const value = finite(of.value);
  const baselines = {
    ideal: finite(of.ideal),
    holdout: finite(of.holdout),
    independent: finite(of.independent),
    swapped: finite(of.swapped),
  };
  if (value === null) {
    const reason = of.value === undefined ? (of.reason ?? 'it is not defined on these rows') : TOO_LARGE;
    return { value, low: null, high: null, rows: of.rows, reason, ...baselines, verdict: null };
  }
  const [low, high] = [finite(of.interval?.[0]), finite(of.interval?.[1])];
  const both = low === null || high === null ? { low: null, high: null } : { low, high };
  const upper = finite(of.upper);
  const bound = upper === null ? {} : { upper };
  return { value, ...both, ...bound, rows: of.rows, reason: null, ...baselines, verdict: of.verdict ?? null };
}

export const notMeasured = (reason: string): MeasuredFigure => toMeasured({ value: undefined, rows: 0, reason });

const finite = (value: number | undefined): number | null =>
  value !== undefined && Number.isFinite(value) ? value : null;

/** Distances between real samples. A table may lack the sampling error of the `reference` rows. */
export interface RealBand {
  distances: readonly number[];
  compared: number;
  reference: number;
  /** Chance distance for features too rare to show otherwise. */
  chance?: number;
}

/**
 * Judges a distance by a 99.9 % prediction interval of real ones. Worse ones also exceed all real ones, since distances
 * are skewed. Without the error of N reference rows, distances shrink by √(N / (N + n)), which is not suspicious.
 */
export function judgeDistance(distance: number | undefined, { distances, compared, reference, chance = 0 }: RealBand) {
  const known = distances.filter(Number.isFinite);
  if (distance === undefined || !Number.isFinite(distance) || known.length < 2) return null;
  const { mean, error } = meanWithError(known);
  const half = studentVerdictQuantile(known.length - 1) * error * Math.sqrt(known.length + 1);
  const slack = 1e-12;
  if (distance > Math.max(mean + half, chance || skewedBound(known), ...known) + slack) return 'worse';
  const expected = mean * Math.sqrt(reference / (reference + compared));
  const isEqual = chance === 0 && distance <= slack && known.every((real) => real > slack);
  return isEqual || distance < expected - half - slack ? 'suspiciously better' : 'as good';
}

const SKEW_SHOWN = 8;

/** Upper bound for lognormal distances. */
function skewedBound(known: readonly number[]): number {
  const logs = known.filter((real) => real > 0).map(Math.log);
  if (logs.length < SKEW_SHOWN) return 0;
  const { mean, error } = meanWithError(logs);
  return Math.exp(mean + studentVerdictQuantile(logs.length - 1) * error * Math.sqrt(logs.length + 1));
}

/** 95 % interval with the error of real distances; undefined if too few. */
export function bandInterval(distance: number | undefined, { distances }: RealBand): Interval | undefined {
  const known = distances.filter(Number.isFinite);
  if (distance === undefined || known.length < 2) return undefined;
  const { error } = meanWithError(known);
  const half = studentQuantile(known.length - 1) * error * Math.sqrt(known.length);
  return [Math.max(0, distance - half), distance + half];
}

/** Judges leakage: 'worse' if the widened interval lies above the score of real rows. */
export function judgeLeak(value: number | undefined, interval: Interval | undefined, real: number): Verdict | null {
  if (value === undefined || !interval || !Number.isFinite(interval[0])) return null;
  return widened(value, interval)[0] > real ? 'worse' : 'as good';
}

/**
 * Judges a score (more is better) by its difference from real rows, which counts beyond `margin` and if its widened
 * interval excludes 0.
 */
export function judgeDifference(difference: number, interval: Interval, margin: number): Verdict | null {
  const [low, high] = widened(difference, interval);
  if (!Number.isFinite(low) || !Number.isFinite(high)) return null;
  if (high < 0 && difference < -margin) return 'worse';
  return low > 0 && difference > margin ? 'suspiciously better' : 'as good';
}

export interface Count {
  hits: number;
  of: number;
}

interface ShareTask {
  synthetic: Count;
  holdout: Count | null;
  independent: Count;
  swapped: Count;
  reason: string;
}

const hitShare = (count: Count | null): number | undefined =>
  count && count.of > 0 ? count.hits / count.of : undefined;

/** 'worse' if significantly above held-out rows. */
export function shareFigure({ synthetic, holdout, independent, swapped, reason }: ShareTask): MeasuredFigure {
  const gap =
    holdout && holdout.of > 0 && synthetic.of > 0
      ? shareDifference(synthetic.hits, synthetic.of, holdout.hits, holdout.of)
      : undefined;
  return toMeasured({
    value: hitShare(synthetic),
    interval: synthetic.of > 0 ? wilson(synthetic.hits, synthetic.of) : undefined,
    rows: synthetic.of,
    reason,
    holdout: hitShare(holdout),
    independent: hitShare(independent),
    swapped: hitShare(swapped),
    verdict: judgeLeak(gap && (hitShare(synthetic) ?? 0) - (hitShare(holdout) ?? 0), gap, 0),
  });
}

export const addCounts = (counts: readonly Count[]): Count => ({
  hits: counts.reduce((sum, { hits }) => sum + hits, 0),
  of: counts.reduce((sum, count) => sum + count.of, 0),
});
