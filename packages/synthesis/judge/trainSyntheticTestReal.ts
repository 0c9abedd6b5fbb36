/**
 * Train on synthetic, test on real (Esteban, Hyland and Rätsch, 2017): gradient-boosted trees predict unseen real rows.
 *   R² = 1 − Σ (y − ŷ)² / Σ (y − ȳ)², ȳ the mean of the test rows;  RMSE = √(Σ (y − ŷ)² / n), in the target's unit.
 */

import type { RandomStream } from '../../numerics/random/stream.ts';
import { fitBoostedTrees, predict } from '../../numerics/trees/boostedTrees.ts';
import type { FeatureTable } from '../../numerics/trees/features.ts';
import type { ModelTable, OnProgress } from '../models/model.ts';
import { takeRows } from '../table/takeRows.ts';
import { categoryNamed, jointCodes, type MeasuredColumns, numericNamed } from './columns.ts';
import { type Figure, noFigure, toFigure } from './compareTables.ts';
import { isConstant, magnitude } from './distances.ts';
import type { Predictions } from './measure.ts';
import { type CrossFit, FOLDS, type Fold, MIN_CROSS_FIT_ROWS, makeFolds, sampleRows } from './parts.ts';

/** More extreme targets are rescaled, so that squares neither overflow nor vanish. */
const LARGE = 1e100;
const SMALL = 1e-100;

function unitOf(values: Float64Array): number {
  const size = magnitude(values);
  return size > LARGE || size < SMALL ? size : 1;
}

/** Empty if either table has no target values. */
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
  const unit = unitOf(y);
  const model = fitBoostedTrees(
    features,
    y.map((value) => value / unit),
  );
  return { actual, predicted: predict(model, testFeatures).map((value) => value * unit) };
}

/** R² is undefined below two rows or for constants, RMSE without rows. */
export function scorePredictions({ actual, predicted }: Predictions): { r2?: number; rmse?: number } {
  if (actual.length === 0) return {};
  const unit = unitOf(actual);
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

export const TSTR_ROWS = 50_000;

/** Maximum training cells of tables with over WIDE columns. */
const TSTR_CELLS = 1_500_000;
const WIDE = 100;

function mostRows({ numeric, categorical }: MeasuredColumns): number {
  const width = numeric.length + categorical.length;
  return width > WIDE ? Math.min(TSTR_ROWS, Math.max(1_000, Math.floor(TSTR_CELLS / width))) : TSTR_ROWS;
}

interface UtilityTask {
  train: ModelTable;
  holdout: ModelTable | null;
  synthetic: ModelTable;
  target: string | null;
  columns: MeasuredColumns;
  crossFit: CrossFit | null;
  folds?: readonly Fold[] | undefined;
  random: RandomStream;
  onProgress: OnProgress;
}

export interface Utility {
  r2: Figure;
  rmse: Figure;
  predictions: Predictions | null;
  /** Training rows (per fold) and predicted rows. */
  trained: number;
  tested: number;
}

export async function measureUtility(task: UtilityTask): Promise<Utility> {
  const { columns, holdout, target } = task;
  const reason = whyNone(target, columns);
  if (target === null || reason) return noUtility(reason ?? 'there is no target column');
  if (holdout) {
    const train = atMost(task.synthetic, mostRows(columns), task.random);
    return toUtility(trainAndTest(train, holdout, target, columns), train.rows, sampledNote(train, task.synthetic));
  }
  if (!task.crossFit) return noUtility('there are no held-out real rows');
  if (task.train.rows < MIN_CROSS_FIT_ROWS) {
    return noUtility(
      `${task.train.rows} real rows are too few for cross-fitting (at least ${MIN_CROSS_FIT_ROWS} are needed)`,
    );
  }
  return crossFitUtility(task, task.crossFit, target);
}

/** Trains on the same number of real rows. */
export function measureRealUtility(task: UtilityTask & { holdout: ModelTable }): Utility {
  const { columns, target } = task;
  const reason = whyNone(target, columns);
  if (target === null || reason) return noUtility(reason ?? 'there is no target column');
  const train = atMost(task.train, Math.min(mostRows(columns), task.synthetic.rows), task.random);
  return toUtility(trainAndTest(train, task.holdout, target, columns), train.rows, []);
}

/** Predicts each row by a table made without its fold. */
async function crossFitUtility(task: UtilityTask, crossFit: CrossFit, target: string): Promise<Utility> {
  const { train, columns, random, onProgress } = task;
  const rows = Math.min(TSTR_ROWS, task.synthetic.rows);
  const folds = task.folds ?? (await makeFolds({ train, count: FOLDS, rows, crossFit, random, onProgress }));
  const parts = folds.map((fold): Predictions => trainAndTest(fold.synthetic, fold.holdout, target, columns));
  const join = (side: keyof Predictions) => Float64Array.from(parts.flatMap((part) => [...part[side]]));
  const note = `TSTR uses ${FOLDS}-fold cross-fitting, since there are too few rows to hold some out.`;
  return toUtility({ actual: join('actual'), predicted: join('predicted') }, rows, [note]);
}

function whyNone(target: string | null, columns: MeasuredColumns): string | undefined {
  if (target === null) return 'there is no target column';
  if (!columns.numeric.includes(target)) return 'the target has labels: utility.categories has the AUC of trees';
  if (columns.numeric.length + columns.categorical.length < 2) {
    return 'there is no other numeric or categorical column to predict the target from';
  }
  return undefined;
}

function noUtility(reason: string): Utility {
  return {
    r2: noFigure('TSTR R²', reason),
    rmse: noFigure('TSTR RMSE', reason),
    predictions: null,
    trained: 0,
    tested: 0,
  };
}

function toUtility(predictions: Predictions, trained: number, notes: string[]): Utility {
  const { r2, rmse } = scorePredictions(predictions);
  if (rmse === undefined) return noUtility('no row of one of the tables has a target value');
  const constant = 'the target does not vary in the real test rows';
  return {
    r2: r2 === undefined ? noFigure('TSTR R²', constant) : toFigure('TSTR R²', r2, notes),
    rmse: toFigure('TSTR RMSE', rmse),
    predictions,
    trained,
    tested: predictions.actual.length,
  };
}

const atMost = (table: ModelTable, rows: number, random: RandomStream): ModelTable =>
  table.rows > rows ? takeRows(table, sampleRows(table.rows, rows, random)) : table;

const sampledNote = (used: ModelTable, all: ModelTable): string[] =>
  used.rows < all.rows ? [`TSTR trains on ${used.rows} of ${all.rows} synthetic rows, chosen at random.`] : [];
