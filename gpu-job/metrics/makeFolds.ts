/** Cross-fitting: models fitted to most of the rows, and what they make, beside the rows that they did not see. */
import type { RandomStream } from '../../numerics/random/stream.ts';
import type { ModelTable, Report } from '../models/model.ts';
import { takeRows } from './columns.ts';
import { dealFolds } from './sampleRows.ts';

/** Parts that a table too small for a holdout is dealt into. */
export const FOLDS = 5;

/** Below these rows a fifth of them says nothing. */
export const MIN_CROSS_FIT_ROWS = 25;

export type CrossFit = (trainRows: ModelTable, rows: number, fold: number) => Promise<ModelTable>;

export interface Fold {
  train: ModelTable;
  holdout: ModelTable;
  synthetic: ModelTable;
}

/** Fits the models FOLDS times, each time without one part of the rows; `rows` synthetic rows a fold. */
export async function makeFolds(
  train: ModelTable,
  rows: number,
  crossFit: CrossFit,
  random: RandomStream,
  report: Report,
): Promise<Fold[]> {
  const parts = dealFolds(train.rows, FOLDS, random);
  const folds: Fold[] = [];
  for (const [fold, held] of parts.entries()) {
    const others = Int32Array.from(parts.flatMap((part, at) => (at === fold ? [] : [...part]))).sort();
    const own = takeRows(train, others);
    folds.push({ train: own, holdout: takeRows(train, held), synthetic: await crossFit(own, rows, fold) });
    await report(`Metrics: fold ${fold + 1} of ${FOLDS} modelled without its ${held.length} rows`);
  }
  return folds;
}
