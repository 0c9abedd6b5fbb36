/**
 * Utility by "train on synthetic, test on real" (Esteban, Hyland and Rätsch, 2017): gradient-boosted trees learn the
 * target from the synthetic rows and predict it for real rows that no model saw.
 *   R² = 1 − Σ (y − ŷ)² / Σ (y − ȳ)²,  ȳ the mean of the test rows;  RMSE = √(Σ (y − ŷ)² / n), in the target's unit.
 * Rows without a target are left out on both sides.
 */
import { fitBoostedTrees, predict } from '../../numerics/trees/boostedTrees.ts';
import type { FeatureTable } from '../../numerics/trees/features.ts';
import type { ModelTable } from '../models/model.ts';
import { categoryNamed, jointCodes, type MeasuredColumns, numericNamed, takeRows } from './columns.ts';
import { isConstant, magnitude } from './spread.ts';

export interface Predictions {
  actual: Float64Array;
  predicted: Float64Array;
}

/** Above this size targets are divided by their magnitude, so that sums of squares stay finite. */
const LARGE = 1e100;

/** Learns `target` from `train` and predicts it for `test`. Empty where either has no row with a target. */
export function trainAndTest(
  train: ModelTable,
  test: ModelTable,
  target: string,
  columns: MeasuredColumns,
): Predictions {
  const known = [withTarget(train, target), withTarget(test, target)] as const;
  const actual = numericNamed(known[1], target).values;
  if (known[0].rows === 0 || known[1].rows === 0) return { actual: new Float64Array(), predicted: new Float64Array() };
  const [features, testFeatures] = featureTables(known[0], known[1], target, columns);
  const y = numericNamed(known[0], target).values;
  const unit = magnitude(y) > LARGE ? magnitude(y) : 1;
  const model = fitBoostedTrees(
    features,
    y.map((value) => value / unit),
  );
  return { actual, predicted: predict(model, testFeatures).map((value) => value * unit) };
}

/** R² is undefined below two rows or where the actual values are all equal; RMSE where there is no row. */
export function scorePredictions({ actual, predicted }: Predictions): { r2?: number; rmse?: number } {
  if (actual.length === 0) return {};
  const unit = magnitude(actual) > LARGE ? magnitude(actual) : 1;
  const mean = actual.reduce((sum, value) => sum + value / unit / actual.length, 0);
  let residual = 0;
  let total = 0;
  for (let row = 0; row < actual.length; row++) {
    residual += (actual[row]! / unit - predicted[row]! / unit) ** 2;
    total += (actual[row]! / unit - mean) ** 2;
  }
  const rmse = Math.sqrt(residual / actual.length) * unit;
  return actual.length < 2 || isConstant(actual) ? { rmse } : { r2: 1 - residual / total, rmse };
}

function withTarget(table: ModelTable, target: string): ModelTable {
  const { values } = numericNamed(table, target);
  const rows: number[] = [];
  for (let row = 0; row < table.rows; row++) if (Number.isFinite(values[row]!)) rows.push(row);
  return rows.length === table.rows ? table : takeRows(table, Int32Array.from(rows));
}

/** The other numeric and categorical columns of both tables, categories under one dictionary. */
function featureTables(
  train: ModelTable,
  test: ModelTable,
  target: string,
  columns: MeasuredColumns,
): [FeatureTable, FeatureTable] {
  const tables = [train, test] as const;
  const numeric = columns.numeric
    .filter((name) => name !== target)
    .map((name) => tables.map((table) => ({ kind: 'numeric' as const, values: numericNamed(table, name).values })));
  const categorical = columns.categorical.map((name) => {
    const joint = jointCodes(tables.map((table) => categoryNamed(table, name)));
    return joint.codes.map((codes) => ({ kind: 'category' as const, codes, levels: joint.levels }));
  });
  const side = (index: 0 | 1): FeatureTable => ({
    rows: tables[index].rows,
    features: [...numeric, ...categorical].map((pair) => pair[index]!),
  });
  return [side(0), side(1)];
}
