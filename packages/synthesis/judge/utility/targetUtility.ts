/**
 * R² on held-out rows of trees trained on the synthetic table, beside trees trained on as many real rows. Shares
 * predictions with `TSTR R²`.
 */
import type { MeasuredFigure } from '../../../contract/measuredFigure.ts';
import type { UtilityMetrics } from '../../../contract/metrics.ts';
import { meanWithError } from '../../../numerics/moments.ts';
import type { RandomStream } from '../../../numerics/random/stream.ts';
import type { ModelTable } from '../../models/model.ts';
import { takeRows } from '../../table/takeRows.ts';
import type { MeasuredColumns } from '../columns.ts';
import { around, type Interval } from '../intervals.ts';
import type { Measure, Predictions, TargetPredictions, TargetTask } from '../measure.ts';
import { judgeDifference, notMeasured, toMeasured } from '../measured.ts';
import { type Part, type Parts, sampleRows } from '../parts.ts';
import { scorePredictions, trainAndTest } from '../trainSyntheticTestReal.ts';

export const UTILITY_ROWS = 10_000;

/** Typical difference of real samples. */
export const MARGIN = 0.02;

export const targetUtility: Measure<Pick<UtilityMetrics, 'target'>, TargetTask> = async ({
  measured,
  predictions,
  random,
  onProgress,
}) => {
  const target = targetFigure(measured, predictions, random.child('target'));
  await onProgress({ stage: 'measure', fact: 'targets_predicted', rows: target.rows });
  return { target };
};

function targetFigure(
  { parts, columns, target }: Parts,
  predictions: TargetPredictions,
  random: RandomStream,
): MeasuredFigure {
  if (target === null) return notMeasured('there is no target column');
  if (!columns.numeric.includes(target))
    return notMeasured('the target has labels, whose AUC is among those of the categories');
  if (columns.numeric.length + columns.categorical.length < 2)
    return notMeasured('there is no other column to predict it from');
  if (parts.every(({ holdout }) => holdout === null)) return notMeasured('there are no held-out real rows');
  const of = (name: keyof Part) => predictAll(parts, name, target, columns, random);
  const [own, real] = [predictions.own ?? of('synthetic'), predictions.real ?? of('train')];
  const r2 = (found: Predictions): number | undefined => scorePredictions(found).r2;
  const [value, holdout] = [r2(own), r2(real)];
  const gap = value === undefined || holdout === undefined ? Number.NaN : value - holdout;
  return toMeasured({
    value,
    interval: value === undefined ? undefined : centred(value, lossErrors(own, null)),
    rows: own.actual.length,
    reason: 'no row of one of the tables has a target value, or the target does not vary in the test rows',
    ideal: 1,
    holdout,
    independent: r2(of('independent')),
    swapped: r2(of('swapped')),
    verdict: Number.isFinite(gap) ? judgeDifference(gap, centred(gap, lossErrors(own, real)), MARGIN) : null,
  });
}

/** Limited to the number of real rows. */
export function rowsToTrain(part: Part, name: keyof Part, random: RandomStream): ModelTable {
  const table = part[name] ?? part.train;
  const rows = Math.min(UTILITY_ROWS, part.train.rows, part.synthetic.rows);
  return takeRows(table, sampleRows(table.rows, rows, random.child(`learn ${name}`)));
}

export function rowsToTest(holdout: ModelTable, random: RandomStream): ModelTable {
  return takeRows(holdout, sampleRows(holdout.rows, UTILITY_ROWS, random.child('test')));
}

function predictAll(
  parts: readonly Part[],
  name: keyof Part,
  target: string,
  columns: MeasuredColumns,
  random: RandomStream,
): Predictions {
  const found = parts.flatMap((part, at): Predictions[] => {
    if (!part.holdout) return [];
    const stream = random.child(`part ${at}`);
    return [trainAndTest(rowsToTrain(part, name, stream), rowsToTest(part.holdout, stream), target, columns)];
  });
  const join = (side: keyof Predictions) => Float64Array.from(found.flatMap((part) => [...part[side]]));
  return { actual: join('actual'), predicted: join('predicted') };
}

/** Standard error of R² or a difference on the same rows, by the delta method for l = (y − ŷ)² / mean (y − ȳ)². */
function lossErrors(own: Predictions, other: Predictions | null): number {
  const { actual } = own;
  const unit = actual.reduce((most, y) => Math.max(most, Math.abs(y)), 0) || 1;
  const mean = actual.reduce((sum, y) => sum + y / unit / actual.length, 0);
  const spread = actual.map((y) => (y / unit - mean) ** 2);
  const variance = spread.reduce((sum, square) => sum + square / actual.length, 0);
  const loss = (found: Predictions) =>
    found.predicted.map((p, row) => (actual[row]! / unit - p / unit) ** 2 / variance);
  const [a, b] = [loss(own), other && other.predicted.length === actual.length ? loss(other) : null];
  const gap = a.map((value, row) => value - (b ? b[row]! : 0));
  const total = gap.reduce((sum, value) => sum + value / gap.length, 0);
  return meanWithError(gap.map((value, row) => value - (total * spread[row]!) / variance)).error;
}

const centred = (mean: number, error: number): Interval => around({ mean, error });
