/**
 * How much oftener an attack is right about training rows than about held-out ones (Giomi et al., 2023): the excess, with the
 * 95 % upper bound that a release may be bound to. 0 where the table gives nothing away of its training rows in particular.
 */
import type { MeasuredFigure } from '../../../contract/measuredFigure.ts';
import { type Mean, ONE_SIDED_Z, shareDifference, Z } from '../intervals.ts';
import { type Count, judgeLeak, toMeasured } from '../measured.ts';

/** Of attacks that are right or wrong. */
export function excessOfShares(train: Count, holdout: Count, reason: string): MeasuredFigure {
  const rows = train.of + holdout.of;
  if (train.of === 0 || holdout.of === 0) return toMeasured({ value: undefined, rows, reason });
  const bounds = (z: number) => shareDifference(train.hits, train.of, holdout.hits, holdout.of, z);
  const value = train.hits / train.of - holdout.hits / holdout.of;
  const [interval, [, upper]] = [bounds(Z), bounds(ONE_SIDED_Z)];
  return toMeasured({ value, interval, upper, rows, reason, ideal: 0, verdict: judgeLeak(value, interval, 0) });
}

/** Of attacks that are right in a share of what they guess of each person: means over persons, of which there are `rows` in all. */
export function excessOfMeans(train: Mean, holdout: Mean, rows: number, reason: string): MeasuredFigure {
  const value = train.mean - holdout.mean;
  const error = Math.hypot(train.error, holdout.error);
  if (!Number.isFinite(error)) return toMeasured({ value: undefined, rows, reason });
  // Where no guess differs from another the error is 0, and what is not seen in n persons may still be there (3/n).
  const unseen = 3 / rows;
  const bounds = (z: number): [number, number] => [
    value - Math.max(z * error, unseen),
    value + Math.max(z * error, unseen),
  ];
  const [interval, [, upper]] = [bounds(Z), bounds(ONE_SIDED_Z)];
  return toMeasured({ value, interval, upper, rows, reason, ideal: 0, verdict: judgeLeak(value, interval, 0) });
}
