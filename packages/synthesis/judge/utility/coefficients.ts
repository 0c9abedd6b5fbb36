import type { MeasuredFigure } from '../../../contract/measuredFigure.ts';
import type { UtilityMetrics } from '../../../contract/metrics.ts';
import { cholesky, solveCholesky } from '../../../numerics/linalg/dense.ts';
import type { RandomStream } from '../../../numerics/random/stream.ts';
import type { ModelTable } from '../../models/model.ts';
import { takeRows } from '../../table/takeRows.ts';
import { categoryNamed, levelsByCount, type MeasuredColumns, numericNamed, present } from '../columns.ts';
import { magnitude, scaledDeviation, scaledMean } from '../distances.ts';
import { meanDefined } from '../fidelity/summarise.ts';
import { Z } from '../intervals.ts';
import type { Measure } from '../measure.ts';
import { bandInterval, judgeDistance, notMeasured, toMeasured } from '../measured.ts';
import { dealFolds, MADE, type Part, type Parts, sampleRows } from '../parts.ts';
import { UTILITY_ROWS } from './targetUtility.ts';

const REAL_PAIRS = 8;

interface PartOverlaps {
  made: (number | undefined)[];
  real: number[];
  rows: number;
}

export const coefficients: Measure<Pick<UtilityMetrics, 'coefficients'>> = ({ measured, random }) => ({
  coefficients: coefficientsFigure(measured, random.child('coefficients')),
});

function coefficientsFigure({ parts, columns, target }: Parts, random: RandomStream): MeasuredFigure {
  if (target === null || !columns.numeric.includes(target)) return notMeasured('there is no numeric target column');
  const pairs = parts.length === 1 ? REAL_PAIRS : 1;
  const found = parts.flatMap((part, at): PartOverlaps[] => {
    const plan = planRegression(part.train, columns, target);
    if (!plan) return [];
    const most = parts.length === 1 ? part.train.rows >> 1 : part.train.rows;
    const rows = Math.min(UTILITY_ROWS, part.synthetic.rows, part.holdout?.rows ?? UTILITY_ROWS, most);
    const estimate = (table: ModelTable, name: string) =>
      regress(takeRows(table, sampleRows(table.rows, rows, random.child(`${at} ${name}`))), plan);
    const own = estimate(part.train, 'train');
    const against = (other: Coefficients | undefined) => (own && other ? overlap(own, other) : undefined);
    const made = MADE.map((name) => against(estimate(part[name], name)));
    return [{ made, real: realOverlaps(part, rows, pairs, random.child(`real ${at}`), estimate), rows }];
  });
  const mean = (at: number) => meanDefined(found.map(({ made }) => made[at]));
  const [value, independent, swapped] = [mean(0), mean(1), mean(2)];
  const real = found.flatMap((part) => part.real);
  // Both sides have equal rows, so nothing is corrected.
  const band = { distances: real.map((share) => 1 - share), compared: 0, reference: 1 };
  const distance = value === undefined ? undefined : 1 - value;
  const interval = bandInterval(distance, band);
  return toMeasured({
    value,
    interval: interval && [Math.max(0, 1 - interval[1]), Math.min(1, 1 - interval[0])],
    rows: found.reduce((sum, { rows }) => sum + rows, 0),
    reason: 'the target or every other column does not vary, or there are fewer rows than coefficients',
    ideal: 1,
    holdout: meanDefined(found.map((part) => part.real[0])),
    independent,
    swapped,
    verdict: judgeDistance(distance, band),
  });
}

function realOverlaps(
  { train, holdout }: Part,
  rows: number,
  pairs: number,
  random: RandomStream,
  estimate: (table: ModelTable, name: string) => Coefficients | undefined,
): number[] {
  const out: (number | undefined)[] = [];
  const compare = (a: ModelTable, b: ModelTable, name: string): void => {
    const [own, other] = [estimate(a, `${name} a`), estimate(b, `${name} b`)];
    out.push(own && other && overlap(own, other));
  };
  if (holdout) compare(train, holdout, 'holdout');
  for (let pair = 1; holdout && pair < pairs && train.rows >= 2 * rows; pair++) {
    const drawn = sampleRows(train.rows, 2 * rows, random.child(`pair ${pair}`));
    const halves = dealFolds(drawn.length, 2, random.child(`halves ${pair}`));
    const [a, b] = halves.map((half) =>
      takeRows(
        train,
        half.map((at) => drawn[at]!),
      ),
    );
    compare(a!, b!, `pair ${pair}`);
  }
  return out.filter((share) => share !== undefined);
}

// Interval overlap (Karr et al., 2006) of 95 % intervals of regression coefficients: mean of ½ (o / l₁ + o / l₂), with
// shared length o ≥ 0 and lengths l₁, l₂. Predictors are numbers, standardised by training rows, and frequent levels.

/** The most frequent level is the reference. */
const LEVELS = 5;

const MAX_COEFFICIENTS = 60;

interface NumberPredictor {
  kind: 'numeric';
  name: string;
  scale: number;
  mean: number;
  deviation: number;
}

type Predictor = NumberPredictor | { kind: 'level'; name: string; level: string };

interface RegressionPlan {
  target: NumberPredictor;
  predictors: readonly Predictor[];
}

/** Undefined if the target or all else is constant. */
export function planRegression(
  train: ModelTable,
  columns: MeasuredColumns,
  target: string,
): RegressionPlan | undefined {
  const response = numberPredictor(train, target);
  const numbers = columns.numeric.flatMap((name) => (name === target ? [] : (numberPredictor(train, name) ?? [])));
  const levels = columns.categorical.flatMap((name) => levelPredictors(train, name));
  const predictors = [...numbers, ...levels].slice(0, MAX_COEFFICIENTS);
  return response && predictors.length > 0 ? { target: response, predictors } : undefined;
}

function numberPredictor(table: ModelTable, name: string): NumberPredictor | undefined {
  const values = present(numericNamed(table, name).values);
  const scale = magnitude(values);
  const deviation = scaledDeviation(values, scale);
  return deviation > 0 ? { kind: 'numeric', name, scale, mean: scaledMean(values, scale), deviation } : undefined;
}

function levelPredictors(table: ModelTable, name: string): Predictor[] {
  const byCount = levelsByCount(categoryNamed(table, name));
  return byCount.slice(1, LEVELS + 1).map((level) => ({ kind: 'level', name, level }));
}

interface Coefficients {
  estimate: Float64Array;
  error: Float64Array;
}

/** Least squares with intercept first and a minimal ridge. Undefined below p + 2 rows. */
export function regress(table: ModelTable, { target, predictors }: RegressionPlan): Coefficients | undefined {
  const p = predictors.length + 1;
  const readers = [() => 1, ...predictors.map((own) => readerOf(table, own))];
  const response = readerOf(table, target);
  const gram = new Float64Array(p * p);
  const product = new Float64Array(p);
  const x = new Float64Array(p);
  let [n, yy] = [0, 0];
  for (let row = 0; row < table.rows; row++) {
    const y = response(row);
    for (let j = 0; j < p; j++) x[j] = readers[j]!(row);
    if (!Number.isFinite(y) || !x.every(Number.isFinite)) continue;
    n++;
    yy += y * y;
    for (let i = 0; i < p; i++) {
      if (x[i] === 0) continue;
      product[i]! += x[i]! * y;
      for (let j = 0; j <= i; j++) gram[i * p + j]! += x[i]! * x[j]!;
    }
  }
  return n > p + 1 ? solve(gram, product, yy, n, p) : undefined;
}

const RIDGE = 1e-6;

function solve(gram: Float64Array, product: Float64Array, yy: number, n: number, p: number): Coefficients | undefined {
  for (let i = 0; i < p; i++) gram[i * p + i]! += RIDGE * n;
  const factor = cholesky(gram, p);
  if (!factor) return undefined;
  const estimate = solveCholesky(factor, p, product);
  const explained = estimate.reduce((sum, b, j) => sum + b * product[j]!, 0);
  const variance = Math.max(yy - explained, 1e-12 * yy) / (n - p);
  const error = Float64Array.from({ length: p }, (_, j) => {
    const unit = new Float64Array(p);
    unit[j] = 1;
    return Math.sqrt(variance * solveCholesky(factor, p, unit)[j]!);
  });
  return estimate.every(Number.isFinite) && error.every(Number.isFinite) ? { estimate, error } : undefined;
}

function readerOf(table: ModelTable, own: Predictor): (row: number) => number {
  if (own.kind === 'numeric') {
    const { values } = numericNamed(table, own.name);
    return (row) => (values[row]! / own.scale - own.mean) / own.deviation;
  }
  const { codes, levels } = categoryNamed(table, own.name);
  const code = levels.indexOf(own.level);
  return (row) => (codes[row] === code && code >= 0 ? 1 : 0);
}

/** Omits the intercept; 0 to 1. */
export function overlap(a: Coefficients, b: Coefficients): number {
  let sum = 0;
  for (let j = 1; j < a.estimate.length; j++) {
    const low = Math.max(a.estimate[j]! - Z * a.error[j]!, b.estimate[j]! - Z * b.error[j]!);
    const high = Math.min(a.estimate[j]! + Z * a.error[j]!, b.estimate[j]! + Z * b.error[j]!);
    const shared = Math.max(0, high - low);
    const of = (error: number): number => (error > 0 ? shared / (2 * Z * error) : high >= low ? 1 : 0);
    sum += (of(a.error[j]!) + of(b.error[j]!)) / 2;
  }
  return sum / (a.estimate.length - 1);
}
