import { z } from 'zod';
import { JobError } from '../../../contract/errors.ts';
import { FAMILIES, type Family } from '../../../contract/families.ts';
import { MIN_COUNT } from '../../../contract/problems.ts';
import { regressionMetricsSchema } from '../../../contract/regressionMetrics.ts';
import { type Empirical, fitReference } from '../../../numerics/distributions/empirical.ts';
import { familyOf } from '../../../numerics/distributions/families.ts';
import { fitRaking } from '../../../numerics/raking/raking.ts';
import type { RandomStream } from '../../../numerics/random/stream.ts';
import { takePredictors } from '../../../numerics/regression/design/applyDesign.ts';
import type { Predictor } from '../../../numerics/regression/design/design.ts';
import { restoreDesign, restoreScaleGroups } from '../../../numerics/regression/design/restoreDesign.ts';
import { type PredictiveModel, referenceDraws } from '../../../numerics/regression/predict.ts';
import { supportScale, toScale } from '../../../numerics/regression/responseScale.ts';
import {
  NoDensityError,
  type SampledRegression,
  sampleRegression,
} from '../../../numerics/regression/sampleRegression.ts';
import { takeNumbers } from '../../../numerics/rows.ts';
import { sideBySide } from '../../../numerics/steps.ts';
import { WorkerDiedError } from '../../../numerics/workers.ts';
import { fitMargins, marginSchema } from '../../disclosure/margin.ts';
import { drawThreshold } from '../../disclosure/thresholds.ts';
import { supportName } from '../../family/familySupport.ts';
import { threadFailure } from '../../tasks/threadFailure.ts';
import { featuresOf, seenColumn, seenColumnSchema } from '../categorical/features.ts';
import { columnDensitySchema } from '../copula/columnDensity.ts';
import { type FitTask, type ModelTable, numericColumn } from '../model.ts';
import {
  byColumn,
  empiricalSchema,
  float32Schema,
  float64Schema,
  groupQuantilesSchema,
  levelQuantilesSchema,
  savedBy,
  treeSchema,
} from '../shared/savedArrays.ts';
import { eventOf } from './describeRegression.ts';
import { type DenseTarget, densityIfClearlyBetter, fitTrialDensity, type TrialDensity } from './targetDensity.ts';

const REFERENCE_DRAWS = 20_000;

/** Throws JobError invalid_data if the family's density overflows. */
export async function fitTarget(
  task: FitTask,
  target: Target,
): Promise<{ model: TargetModel; sampled: SampledRegression }> {
  const { name, rows, values } = target;
  const { settings, onProgress } = task;
  const random = task.random.child(name);
  const given = task.given.filter((other) => task.table.columns.get(other)?.kind !== 'text');
  const predictors = predictorsOf(task.table, given);
  const seen = given.map((other) => seenColumn(task.table, other)!);
  const { levels, leaves } = fitRaking(featuresOf(seen, task.table), target, random);
  const { whole, released } = fitMargins(values, drawThreshold(random.child('rare numbers')), settings);
  const { sampled, trial } = await fitBothWays(task, target, predictors, { name, rows, values, whole, seen });
  const reference = referenceOf(sampled.model, predictors, { n: task.table.rows, rows }, random);
  const parameters = sampled.loo?.parameters ?? null;
  const regressed = { values, predictors, model: sampled.model, reference, parameters };
  const density = trial && (await densityIfClearlyBetter(trial, task, regressed));
  if (settings.calibrate) {
    await onProgress({ stage: 'fit', fact: 'target_calibrated', column: name, by: density ? 'density' : 'leaves' });
  }
  const model = {
    ...sampled.model,
    designs: [...sampled.model.designs],
    name,
    given,
    reference,
    margin: released,
    levels: byColumn(levels, seen),
    leaves: leaves && { given: seen, ...leaves },
    density,
    bare: settings.calibrate ? null : sampled.scale,
  };
  return { model, sampled };
}

async function fitBothWays(
  task: FitTask,
  { name, family, rows, values }: Target,
  predictors: readonly Predictor[],
  dense: DenseTarget,
): Promise<{ sampled: SampledRegression; trial: TrialDensity | null }> {
  const { settings, onProgress } = task;
  const { draws, tune, sampler, calibrate } = settings;
  const columns = takePredictors(predictors, rows);
  const random = task.random.child(name);
  const [sampled, trial] = await sideBySide(
    task.yieldToEventLoop,
    (yieldToEventLoop) =>
      sampleRegression(
        { response: values, family, columns, draws, tune, sampler },
        { random, onProgress: (progress) => onProgress(eventOf(name, family, progress)), yieldToEventLoop },
      ).catch((error) => {
        throw failureOf(name, error);
      }),
    async (yieldToEventLoop) => (calibrate ? fitTrialDensity({ ...task, yieldToEventLoop }, dense) : null),
  );
  return { sampled, trial };
}

function referenceOf(
  model: PredictiveModel,
  predictors: readonly Predictor[],
  fitted: { n: number; rows: Int32Array },
  random: RandomStream,
): Empirical {
  const passes = Math.ceil(REFERENCE_DRAWS / fitted.rows.length);
  return fitReference(referenceDraws(model, predictors, fitted, passes, random.child('reference')));
}

export function failureOf(name: string, error: unknown): unknown {
  if (error instanceof WorkerDiedError) return threadFailure(error, 'sampling');
  if (!(error instanceof NoDensityError)) return error;
  return new JobError(
    { reason: 'no_finite_density', column: name, family: error.family },
    { field: 'family', cause: error },
  );
}

export interface Target {
  name: string;
  family: Family;
  /** Indices of rows that have a number (n). */
  rows: Int32Array;
  values: Float64Array;
}

/** Throws JobError invalid_data without numbers, or with one outside the family's support. */
export function readTarget(table: ModelTable, name: string, family: Family): Target {
  const column = numericColumn(table, name);
  const rows = Int32Array.from(column.values.keys()).filter((row) => Number.isFinite(column.values[row]!));
  const values = takeNumbers(column.values, rows);
  if (rows.length === 0) {
    throw new JobError(
      { reason: 'target_without_values', column: name, rows: column.values.length },
      { field: 'target_col' },
    );
  }
  const max = values.reduce((most, value) => Math.max(most, value), Number.NEGATIVE_INFINITY);
  requireSupport(name, family, toScale(values, supportScale(family, max)));
  requireCountable(name, family, max);
  return { name, family, rows, values };
}

function requireSupport(name: string, family: Family, y: Float64Array): void {
  const { support } = familyOf(family);
  const outside = y.reduce((count, value) => count + (support.holds(value) ? 0 : 1), 0);
  if (outside === 0) return;
  const facts = { column: name, family, outside: outside < MIN_COUNT ? null : outside, values: y.length };
  throw new JobError({ reason: 'family_without_support', ...facts, holds: supportName(family) }, { field: 'family' });
}

/** Doubles cannot count beyond 2⁵³. */
function requireCountable(name: string, family: Family, max: number): void {
  if (familyOf(family).measure !== 'counts' || max <= Number.MAX_SAFE_INTEGER) return;
  throw new JobError(
    { reason: 'family_cannot_count', column: name, family, max: Number.MAX_SAFE_INTEGER },
    { field: 'family' },
  );
}

/** Does not copy. Throws RangeError if a column is missing. */
export const predictorsOf = (table: ModelTable, names: readonly string[]): Predictor[] =>
  names.flatMap((name): Predictor[] => {
    const column = table.columns.get(name);
    if (!column) throw new RangeError(`no column ${JSON.stringify(name)}`);
    if (column.kind === 'numeric') return [{ kind: 'numeric', name, values: column.values }];
    if (column.kind === 'text') return [];
    return [{ kind: 'category', name, codes: column.codes, levels: column.levels }];
  });

export const leafQuantilesSchema = z
  .object({ given: z.array(seenColumnSchema), tree: treeSchema, leaves: groupQuantilesSchema })
  .nullable();

export const targetSchema = z.object({
  name: z.string(),
  family: z.enum(FAMILIES),
  given: z.array(z.string()),
  designs: z.array(savedBy(restoreDesign).nullable()),
  scale: z
    .object({
      groups: savedBy(restoreScaleGroups),
      logFactors: float64Schema,
      location: float64Schema,
      meanName: z.string(),
    })
    .nullable(),
  draws: float32Schema,
  width: z.int(),
  /** Predictive draws for the fitted rows, without atoms. */
  reference: empiricalSchema,
  margin: marginSchema,
  levels: levelQuantilesSchema,
  leaves: leafQuantilesSchema,
  /** Density of u, if it predicts better than the regression. */
  density: columnDensitySchema.nullable().default(null),
  /** Units of uncalibrated draws: offset + factor · draw. */
  bare: z.object({ offset: z.number(), factor: z.number() }).nullable().default(null),
  metrics: savedBy((saved) => regressionMetricsSchema.parse(saved)),
});
export type FittedTarget = z.infer<typeof targetSchema>;
export type TargetModel = Omit<FittedTarget, 'metrics'>;
