/** Excess success of an attack on training over held-out rows (Giomi et al., 2023), with a 95 % upper bound. */
import type { MeasuredFigure } from '../../../contract/measuredFigure.ts';
import { type Mean, ONE_SIDED_Z, shareDifference, Z } from '../intervals.ts';
import { type Count, judgeLeak, toMeasured } from '../measured.ts';

export function excessOfShares(train: Count, holdout: Count, reason: string): MeasuredFigure {
  const rows = train.of + holdout.of;
  if (train.of === 0 || holdout.of === 0) return toMeasured({ value: undefined, rows, reason });
  const bounds = (z: number) => shareDifference(train.hits, train.of, holdout.hits, holdout.of, z);
  const value = train.hits / train.of - holdout.hits / holdout.of;
  const [interval, [, upper]] = [bounds(Z), bounds(ONE_SIDED_Z)];
  return toMeasured({ value, interval, upper, rows, reason, ideal: 0, verdict: judgeLeak(value, interval, 0) });
}

/** Excess of mean success per person. */
export function excessOfMeans(train: Mean, holdout: Mean, rows: number, reason: string): MeasuredFigure {
  const value = train.mean - holdout.mean;
  const error = Math.hypot(train.error, holdout.error);
  if (!Number.isFinite(error)) return toMeasured({ value: undefined, rows, reason });
  // Without variation the error is 0, so the bound is 3/n.
  const unseen = 3 / rows;
  const bounds = (z: number): [number, number] => [
    value - Math.max(z * error, unseen),
    value + Math.max(z * error, unseen),
  ];
  const [interval, [, upper]] = [bounds(Z), bounds(ONE_SIDED_Z)];
  return toMeasured({ value, interval, upper, rows, reason, ideal: 0, verdict: judgeLeak(value, interval, 0) });
}
