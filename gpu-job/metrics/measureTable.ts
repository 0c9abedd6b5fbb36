/** Measures a synthetic table: the eight keys of `metrics.numeric`, and the same for real rows that no model saw. */
import type { NumericMetrics } from '../../domain/schema/metrics.ts';
import type { RandomStream } from '../../numerics/random/stream.ts';
import type { ModelTable, Report } from '../models/model.ts';
import { type MeasuredColumns, type MeasureRoles, measuredColumns } from './columns.ts';
import {
  closestRecordFigure,
  correlationFigure,
  duplicateFigure,
  ksFigure,
  wassersteinFigure,
} from './compareTables.ts';
import type { Figure } from './figure.ts';
import type { CrossFit, Fold } from './makeFolds.ts';
import { measureRealUtility, measureUtility, type Utility } from './measureUtility.ts';

export interface MeasureTask {
  /** Real rows that the models were fitted to. */
  train: ModelTable;
  /** Real rows kept from the models; null where there were too few. */
  holdout: ModelTable | null;
  synthetic: ModelTable;
  roles: MeasureRoles;
  family: string | null;
  /** Fits the models to some of the rows and makes `rows` synthetic ones; null where it cannot be done. */
  crossFit: CrossFit | null;
  /** The parts of cross-fitting, where they are made already. */
  folds?: readonly Fold[] | undefined;
  random: RandomStream;
  report: Report;
}

/** The figures alone. */
export type RealFigures = Omit<NumericMetrics, 'family'>;

export interface Measures {
  numeric: NumericMetrics;
  /**
   * Holdout rows in place of the synthetic ones; for TSTR, trees trained on as many of the models' own rows as there are
   * synthetic ones and tested on the holdout.
   */
  holdout: RealFigures | null;
  sample_sizes: Record<string, number>;
  notes: string[];
}

/** All figures of a task. A figure that cannot be had is null, and `notes` says why. */
export async function measureTable(task: MeasureTask): Promise<Measures> {
  const columns = measuredColumns(task.roles, task.train);
  const sizes: Record<string, number> = { train: task.train.rows, synthetic: task.synthetic.rows };
  const synthetic = await compare(task, task.synthetic, 'synthetic', columns, sizes);
  const utilityTask = { ...task, columns, target: task.roles.target, random: task.random.child('TSTR') };
  const utility = await measureUtility(utilityTask);
  sizes.tstr_train = utility.trained;
  sizes.tstr_test = utility.tested;
  if (utility.tested > 0) {
    await task.report(`Metrics: ${utility.tested} real rows predicted by trees trained on synthetic rows`);
  }
  const found = gather(synthetic, utility);
  const numeric = { ...found.numbers, family: task.family };
  if (!task.holdout) return { numeric, holdout: null, sample_sizes: sizes, notes: found.notes };

  sizes.holdout = task.holdout.rows;
  const holdout = await compare(task, task.holdout, 'holdout', columns, sizes);
  const real = measureRealUtility({ ...utilityTask, holdout: task.holdout, random: task.random.child('TSTR real') });
  sizes.tstr_train_holdout = real.trained;
  const ceiling = gather(holdout, real);
  const notes = [...found.notes, ...ceiling.notes.map((note) => `Holdout: ${note}`)];
  return { numeric, holdout: ceiling.numbers, sample_sizes: sizes, notes };
}

type Comparison = Record<'ks' | 'wasserstein' | 'correlation' | 'closest' | 'duplicates', Figure>;

async function compare(
  task: MeasureTask,
  other: ModelTable,
  name: 'synthetic' | 'holdout',
  columns: MeasuredColumns,
  sizes: Record<string, number>,
): Promise<Comparison> {
  const { train, report } = task;
  const ks = ksFigure(train, other, columns);
  const wasserstein = wassersteinFigure(train, other, columns);
  const correlation = correlationFigure(train, other, columns);
  await report(`Metrics: ${columns.numeric.length} numeric columns of ${other.rows} ${name} rows compared`);
  const closest = closestRecordFigure(train, other, columns, task.random.child(`DCR ${name}`));
  sizes[`dcr_${name}`] = closest.rows;
  const duplicates = duplicateFigure(train, other, columns);
  await report(`Metrics: closest real rows of ${closest.rows} ${name} rows found`);
  return { ks, wasserstein, correlation, closest, duplicates };
}

function gather(found: Comparison, utility: Utility): { numbers: RealFigures; notes: string[] } {
  const numbers = {
    'KS (Avg)': found.ks.value,
    'WD (Avg)': found.wasserstein.value,
    'Corr Diff (F-Norm)': found.correlation.value,
    'DCR (Avg)': found.closest.value,
    'Duplicate Rate (%)': found.duplicates.value,
    'TSTR R²': utility.r2.value,
    'TSTR RMSE': utility.rmse.value,
  };
  const figures = [found.ks, found.wasserstein, found.correlation, found.closest, found.duplicates];
  return { numbers, notes: [...figures, utility.r2, utility.rmse].flatMap((figure) => figure.notes) };
}
