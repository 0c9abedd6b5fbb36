/**
 * Bayesian regression (spline bases, NUTS). Posterior predictive draws are mapped by rank to the margin, which restores
 * repeated values and caps but releases no one's extreme number. `calibrate: false` keeps the draws.
 */
import { z } from 'zod';
import { isOfNumbers } from '../../../contract/families.ts';
import { cdf, fitReference } from '../../../numerics/distributions/empirical.ts';
import { familyOf } from '../../../numerics/distributions/families.ts';
import { rakeLeaves } from '../../../numerics/raking/raking.ts';
import { stratifiedMargin } from '../../../numerics/random/draws.ts';
import type { RandomStream } from '../../../numerics/random/stream.ts';
import { slicePredictors } from '../../../numerics/regression/design/applyDesign.ts';
import type { Predictor } from '../../../numerics/regression/design/design.ts';
import { predictResponse, stratifiedDraws, stratifiedRanks } from '../../../numerics/regression/predict.ts';
import { fromScale, type ResponseScale } from '../../../numerics/regression/responseScale.ts';
import { counted, quoted } from '../../../words/wording.ts';
import { CODED_NOTE, drawNumber, fitMargin } from '../../disclosure/margin.ts';
import { SURE_ROWS } from '../../disclosure/thresholds.ts';
import { featuresOf } from '../categorical/features.ts';
import { densityDraw } from '../copula/columnDensity.ts';
import { drawInThreads } from '../copula/drawInThreads.ts';
import {
  chunks,
  type FitTask,
  type FittedModel,
  type Model,
  type ModelTable,
  type NumericColumn,
  type SampleTask,
} from '../model.ts';
import { asJson, rakeByLevels } from '../shared/savedArrays.ts';
import { describeRegression, finite, fittedEvent, rareColumns } from './describeRegression.ts';
import {
  type FittedTarget,
  fitTarget,
  predictorsOf,
  readTarget,
  type Target,
  type TargetModel,
  targetSchema,
} from './fitTarget.ts';

const savedSchema = z.object({ targets: z.array(targetSchema) });

export const bayesianRegression: Model = {
  name: 'Bayesian regression by NUTS',
  async fit(task) {
    const targets: FittedTarget[] = [];
    for (const name of task.columns) targets.push(await fitAndDescribe(task, name));
    return fitted(targets);
  },
  restore: (saved) => fitted(savedSchema.parse(saved).targets),
};

async function fitAndDescribe(task: FitTask, name: string): Promise<FittedTarget> {
  const { draws, family, keepRare } = task.settings;
  const target = readTarget(task.table, name, family && isOfNumbers(family) ? family : 'gaussian');
  const [value] = target.values;
  if (target.values.every((other) => other === value)) {
    await task.onProgress({ stage: 'fit', fact: 'target_constant', column: name, value: finite(value!) });
    return constantTarget(target);
  }
  const { model, sampled } = await fitTarget(task, target);
  await task.onProgress(fittedEvent(name, sampled, draws));
  const unnamed = keepRare ? undefined : rareColumns(predictorsOf(task.table, model.given), SURE_ROWS);
  return { ...model, metrics: describeRegression(name, sampled, task.settings, unnamed) };
}

const fitted = (targets: FittedTarget[]): FittedModel => ({
  async sample(task) {
    const out: NumericColumn[] = [];
    for (const target of targets) out.push(await sampleTarget(target, task));
    return out;
  },
  save: () => savedSchema.encode({ targets }),
  diagnostics: () => ({ regression: asJson(targets[0]?.metrics), notes: targets.map(noteOf) }),
});

const DENSE_NOTE =
  ' Its numbers are calibrated to a boosted density given the other columns, which predicts rows that it has not seen better than the regression does.';

function noteOf({ name, metrics, margin, bare, density }: FittedTarget): string {
  const { family, parameters, rows, summary } = metrics;
  const coded = margin.coded === 0 ? '' : ` Its largest and smallest numbers ${CODED_NOTE}`;
  const calibrated = density ? DENSE_NOTE : '';
  const written = bare
    ? ' Its numbers are posterior predictive draws that were not calibrated to the column.'
    : `${calibrated}${coded}`;
  return `Target ${quoted(name)}: ${family}, ${counted(parameters, 'parameter')} from ${counted(rows, 'row')}. ${summary}${written}`;
}

const CHUNK_ROWS = 20_000;

async function sampleTarget(target: TargetModel, task: SampleTask): Promise<NumericColumn> {
  const random = task.random.child(target.name);
  return target.bare ? drawBare(target, target.bare, task, random) : drawCalibrated(target, task, random);
}

/** Draws each row under its own posterior draw, in units of the target. */
async function drawBare(
  target: TargetModel,
  scale: ResponseScale,
  task: SampleTask,
  random: RandomStream,
): Promise<NumericColumn> {
  const values = await drawInChunks(target, task, (predictors, rows) => {
    return fromScale(predictResponse(target, predictors, rows, random), scale);
  });
  return { kind: 'numeric', name: target.name, values };
}

async function drawCalibrated(target: TargetModel, task: SampleTask, random: RandomStream): Promise<NumericColumn> {
  const { name, reference, margin, density } = target;
  const u = await drawInChunks(target, task, (predictors, rows) => {
    if (density) return stratifiedRanks(target, predictors, rows, random);
    return stratifiedDraws(target, predictors, rows, random).map((draw) => cdf(reference, draw));
  });
  const own = await calibrated(target, u, task, random);
  const lattice = random.child('lattice');
  return { kind: 'numeric', name, values: own.map((each) => drawNumber(margin, each, lattice)) };
}

async function drawInChunks(
  { name, given }: TargetModel,
  task: SampleTask,
  draw: (predictors: Predictor[], rows: number) => Float64Array,
): Promise<Float64Array> {
  const predictors = predictorsOf(task.made, given);
  const out = new Float64Array(task.rows);
  for (const { from, to } of chunks(task.rows, CHUNK_ROWS)) {
    out.set(draw(slicePredictors(predictors, from, to), to - from), from);
    await task.onProgress({ stage: 'generate', fact: 'target_drawn', column: name, done: to, total: task.rows });
  }
  return out;
}

/** @param u ranks; given a density, within each row's own distribution. */
async function calibrated(
  target: TargetModel,
  u: Float64Array,
  { made, representative, threads, yieldToEventLoop = async () => {} }: SampleTask,
  random: RandomStream,
): Promise<Float64Array> {
  const { density, levels } = target;
  if (!density) return representative ? raked(u, target, made) : u;
  const drawn = await drawInThreads(densityDraw(density, u, made, new Map()), yieldToEventLoop, threads);
  return representative ? stratifiedMargin(rakeByLevels(drawn, levels, made), random.child('margin')) : drawn;
}

/** Rakes by leaves last, since they are most informative. */
function raked(u: Float64Array, { levels, leaves }: TargetModel, made: ModelTable): Float64Array {
  const out = rakeByLevels(u, levels, made);
  if (leaves) rakeLeaves(out, leaves, featuresOf(leaves.given, made));
  return out;
}

/** The margin maps any draw to its one value. */
function constantTarget({ name, family, values }: Target): FittedTarget {
  const { parameters } = familyOf(family);
  return {
    name,
    family,
    given: [],
    designs: parameters.map(() => null),
    scale: null,
    draws: new Float32Array(parameters.length),
    width: parameters.length,
    reference: fitReference(Float64Array.of(0)),
    margin: fitMargin(values, 1),
    levels: [],
    leaves: null,
    density: null,
    bare: null,
    metrics: {
      target: name,
      family,
      rows: values.length,
      method: 'none: the target has only one value',
      chains: 0,
      draws: 0,
      tune: 0,
      worst_r_hat: null,
      least_bulk_ess: null,
      least_tail_ess: null,
      divergences: 0,
      depth_exceeded: 0,
      least_e_bfmi: null,
      pareto_k: null,
      converged: true,
      summary: summaryOf(values),
      parameters: 0,
      left_out: [],
      coefficients: [],
      loo: null,
      calibrated: true,
      predictive_p_values: { mean: null, sd: null, zeros: null, least: null, greatest: null },
      label: null,
    },
  };
}

const summaryOf = (values: Float64Array): string =>
  `${values.length === 1 ? 'Its only number is' : `All of its ${counted(values.length, 'number')} are`} ${values[0]}: every synthetic row gets this value, and no model was fitted. Upload rows with other values to have it vary.`;
