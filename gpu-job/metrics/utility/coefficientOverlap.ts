/**
 * Agreement of analyses (Karr et al., 2006): the overlap of the 95 % intervals of a linear regression's coefficients, fitted
 * to one table and to another of as many rows: the mean over coefficients of ½ (o / l₁ + o / l₂), o the length that the two
 * intervals share (negative where they are apart, then counted as 0), l₁ and l₂ their lengths. 1 where they are the same.
 * Predictors are all numbers, centred and scaled by the training rows, and the most frequent levels of categories; rows
 * with a missing number are left out.
 */
import { cholesky, solveCholesky } from '../../../numerics/linalg/cholesky.ts';
import type { ModelTable } from '../../models/model.ts';
import { categoryNamed, type MeasuredColumns, numericNamed, present } from '../columns.ts';
import { Z } from '../intervals.ts';
import { magnitude, scaledDeviation, scaledMean } from '../spread.ts';

/** Levels of a category that have a coefficient, at most, beside the most frequent one, which has none. */
const LEVELS = 5;

/** Coefficients, at most. */
const MOST_COEFFICIENTS = 60;

interface NumberPredictor {
  kind: 'numeric';
  name: string;
  scale: number;
  mean: number;
  deviation: number;
}

type Predictor = NumberPredictor | { kind: 'level'; name: string; level: string };

export interface RegressionPlan {
  target: NumberPredictor;
  predictors: readonly Predictor[];
}

/** What is regressed on what, by the training rows. Undefined where the target, or all else, does not vary. */
export function planRegression(
  train: ModelTable,
  columns: MeasuredColumns,
  target: string,
): RegressionPlan | undefined {
  const response = numberPredictor(train, target);
  const numbers = columns.numeric.flatMap((name) => (name === target ? [] : (numberPredictor(train, name) ?? [])));
  const levels = columns.categorical.flatMap((name) => levelPredictors(train, name));
  const predictors = [...numbers, ...levels].slice(0, MOST_COEFFICIENTS);
  return response && predictors.length > 0 ? { target: response, predictors } : undefined;
}

function numberPredictor(table: ModelTable, name: string): NumberPredictor | undefined {
  const values = present(numericNamed(table, name).values);
  const scale = magnitude(values);
  const deviation = scaledDeviation(values, scale);
  return deviation > 0 ? { kind: 'numeric', name, scale, mean: scaledMean(values, scale), deviation } : undefined;
}

function levelPredictors(table: ModelTable, name: string): Predictor[] {
  const { codes, levels } = categoryNamed(table, name);
  const counts = new Map<number, number>();
  for (const code of codes) if (code >= 0) counts.set(code, (counts.get(code) ?? 0) + 1);
  const byCount = [...counts].sort(([a, m], [b, n]) => n - m || a - b).map(([code]) => levels[code]!);
  return byCount.slice(1, LEVELS + 1).map((level) => ({ kind: 'level', name, level }));
}

export interface Coefficients {
  estimate: Float64Array;
  error: Float64Array;
}

/** Least squares, the intercept first, with the least ridge that keeps an aliased column finite. Undefined below p + 2 rows. */
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

/** Mean overlap over coefficients, the intercept left out; 0 to 1. */
export function overlap(a: Coefficients, b: Coefficients): number {
  let sum = 0;
  for (let j = 1; j < a.estimate.length; j++) {
    const low = Math.max(a.estimate[j]! - Z * a.error[j]!, b.estimate[j]! - Z * b.error[j]!);
    const high = Math.min(a.estimate[j]! + Z * a.error[j]!, b.estimate[j]! + Z * b.error[j]!);
    const shared = Math.max(0, high - low);
    // Intervals of no length overlap where they are the same.
    const of = (error: number): number => (error > 0 ? shared / (2 * Z * error) : high >= low ? 1 : 0);
    sum += (of(a.error[j]!) + of(b.error[j]!)) / 2;
  }
  return sum / (a.estimate.length - 1);
}
