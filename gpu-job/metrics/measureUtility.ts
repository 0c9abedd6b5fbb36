/** TSTR of a task: on the holdout where there is one, else by cross-fitting; and the same for real rows. */
import type { RandomStream } from '../../numerics/random/stream.ts';
import type { ModelTable, Report } from '../models/model.ts';
import { type MeasuredColumns, takeRows } from './columns.ts';
import { type Figure, noFigure, toFigure } from './figure.ts';
import { type CrossFit, FOLDS, type Fold, MIN_CROSS_FIT_ROWS, makeFolds } from './makeFolds.ts';
import { sampleRows } from './sampleRows.ts';
import { type Predictions, scorePredictions, trainAndTest } from './trainSyntheticTestReal.ts';

/** Rows that trees are trained on, at most. */
export const TSTR_ROWS = 50_000;

/** Cells that trees are trained on, at most, in tables of more than a hundred columns: fewer rows are taken of those. */
const TSTR_CELLS = 1_500_000;
const WIDE = 100;

function mostRows({ numeric, categorical }: MeasuredColumns): number {
  const width = numeric.length + categorical.length;
  return width > WIDE ? Math.min(TSTR_ROWS, Math.max(1_000, Math.floor(TSTR_CELLS / width))) : TSTR_ROWS;
}

export interface UtilityTask {
  train: ModelTable;
  holdout: ModelTable | null;
  synthetic: ModelTable;
  target: string | null;
  columns: MeasuredColumns;
  crossFit: CrossFit | null;
  /** The parts of cross-fitting, where they are made already. */
  folds?: readonly Fold[] | undefined;
  random: RandomStream;
  report: Report;
}

export interface Utility {
  r2: Figure;
  rmse: Figure;
  /** Rows trained on (in cross-fitting, in each fold) and rows predicted. */
  trained: number;
  tested: number;
}

/** The utility of the synthetic rows. */
export async function measureUtility(task: UtilityTask): Promise<Utility> {
  const { columns, holdout, target } = task;
  const reason = whyNone(target, columns);
  if (target === null || reason) return noUtility(reason ?? 'there is no target column');
  if (holdout) {
    const train = atMost(task.synthetic, mostRows(columns), task.random);
    return toUtility(trainAndTest(train, holdout, target, columns), train.rows, sampledNote(train, task.synthetic));
  }
  if (!task.crossFit) return noUtility('there are no real rows that the models did not see');
  if (task.train.rows < MIN_CROSS_FIT_ROWS) {
    return noUtility(
      `${task.train.rows} real rows are too few to keep a fifth of them apart (${MIN_CROSS_FIT_ROWS} needed)`,
    );
  }
  return crossFitUtility(task, task.crossFit, target);
}

/** The same for real rows: trees trained on as many of the models' own rows, tested on the same holdout. */
export function measureRealUtility(task: UtilityTask & { holdout: ModelTable }): Utility {
  const { columns, target } = task;
  const reason = whyNone(target, columns);
  if (target === null || reason) return noUtility(reason ?? 'there is no target column');
  const train = atMost(task.train, Math.min(mostRows(columns), task.synthetic.rows), task.random);
  return toUtility(trainAndTest(train, task.holdout, target, columns), train.rows, []);
}

/** Every row is predicted by trees trained on a synthetic table whose models did not see the row's fold. */
async function crossFitUtility(task: UtilityTask, crossFit: CrossFit, target: string): Promise<Utility> {
  const { train, columns, random, report } = task;
  const rows = Math.min(TSTR_ROWS, task.synthetic.rows);
  const folds = task.folds ?? (await makeFolds(train, rows, crossFit, random, report));
  const parts = folds.map((fold): Predictions => trainAndTest(fold.synthetic, fold.holdout, target, columns));
  const join = (side: keyof Predictions) => Float64Array.from(parts.flatMap((part) => [...part[side]]));
  const note = `TSTR is by ${FOLDS}-fold cross-fitting: too few rows to keep some from the models for good.`;
  return toUtility({ actual: join('actual'), predicted: join('predicted') }, rows, [note]);
}

function whyNone(target: string | null, columns: MeasuredColumns): string | undefined {
  if (target === null) return 'there is no target column';
  if (!columns.numeric.includes(target)) return 'the target column is not numeric';
  if (columns.numeric.length + columns.categorical.length < 2) {
    return 'there is no other numeric or categorical column to predict the target from';
  }
  return undefined;
}

function noUtility(reason: string): Utility {
  return { r2: noFigure('TSTR R²', reason), rmse: noFigure('TSTR RMSE', reason), trained: 0, tested: 0 };
}

function toUtility(predictions: Predictions, trained: number, notes: string[]): Utility {
  const { r2, rmse } = scorePredictions(predictions);
  if (rmse === undefined) return noUtility('no row has a target, on the one side or the other');
  const constant = 'the target does not vary over the real rows tested on';
  return {
    r2: r2 === undefined ? noFigure('TSTR R²', constant) : toFigure('TSTR R²', r2, notes),
    rmse: toFigure('TSTR RMSE', rmse),
    trained,
    tested: predictions.actual.length,
  };
}

const atMost = (table: ModelTable, rows: number, random: RandomStream): ModelTable =>
  table.rows > rows ? takeRows(table, sampleRows(table.rows, rows, random)) : table;

const sampledNote = (used: ModelTable, all: ModelTable): string[] =>
  used.rows < all.rows ? [`TSTR trains on ${used.rows} of ${all.rows} synthetic rows, drawn at random.`] : [];
