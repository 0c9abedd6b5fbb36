/** Regressions of one target on small tables, as a job fits them. */

import type { ProgressEvent } from '../../../../packages/contract/events.ts';
import type { Family } from '../../../../packages/contract/families.ts';
import { type RegressionMetrics, regressionMetricsSchema } from '../../../../packages/contract/regressionMetrics.ts';
import { createStream } from '../../../../packages/numerics/random/createStream.ts';
import type { FitSettings, FittedModel, ModelColumn } from '../../../../packages/synthesis/models/model.ts';
import { bayesianRegression } from '../../../../packages/synthesis/models/regression/bayesianRegression.ts';
import { fitTask, numbersOf, numeric, silent, tableOf } from '../tables.ts';

const DRAWS = 100;
const TUNE = 200;

export interface Regressed {
  fitted: FittedModel;
  metrics: RegressionMetrics;
  /** Progress of the fit. */
  events: ProgressEvent[];
  /** Synthetic targets of `made`, or of the predictors that the model was fitted with, `times` over. */
  sample(times?: number, made?: readonly ModelColumn[]): Promise<Float64Array>;
}

/** Fits `y` on the other columns. Checks that its metrics fit their schema, and are JSON. */
export async function fitOne(
  family: Family,
  y: ArrayLike<number>,
  given: readonly ModelColumn[] = [],
  settings: Partial<FitSettings> & { seed?: number } = {},
): Promise<Regressed> {
  const { seed = 1, ...asked } = settings;
  const events: ProgressEvent[] = [];
  const names = given.map(({ name }) => name);
  const task = fitTask(tableOf(numeric('y', y), ...given), ['y'], names, seed);
  const fitted = await bayesianRegression.fit({
    ...task,
    settings: { ...task.settings, draws: DRAWS, tune: TUNE, family, ...asked },
    onProgress: async (event) => void events.push(event),
  });
  const said = JSON.parse(JSON.stringify(fitted.diagnostics().regression));
  const metrics = regressionMetricsSchema.strict().parse(said);
  const sample = async (times = 1, made = given): Promise<Float64Array> => {
    const rows = made.length > 0 ? tableOf(...made).rows : y.length;
    const table = { ...tableOf(...made), rows };
    const parts: number[] = [];
    for (let i = 0; i < times; i++) {
      const random = createStream(7 + i, 'sample');
      parts.push(...numbersOf(await fitted.sample({ rows, made: table, random, onProgress: silent }), 'y'));
    }
    return Float64Array.from(parts);
  };
  return { fitted, metrics, events, sample };
}

export const times = (n: number, make: (i: number) => number): number[] => Array.from({ length: n }, (_, i) => make(i));

/** Mean, standard deviation and share of zeros. */
export function momentsOf(values: ArrayLike<number>): { mean: number; sd: number; zeros: number } {
  const all = Array.from(values);
  const mean = all.reduce((sum, value) => sum + value / all.length, 0);
  const sd = Math.sqrt(all.reduce((sum, value) => sum + (value - mean) ** 2 / all.length, 0));
  return { mean, sd, zeros: all.filter((value) => value === 0).length / all.length };
}
