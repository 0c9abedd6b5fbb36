/** Fits the regression of one target: response, design, posterior, checks. */
import { JobError } from '../../../domain/errors.ts';
import { counted, quoted } from '../../../domain/table/wording.ts';
import { fitReference } from '../../../numerics/distributions/empirical.ts';
import { familyOf } from '../../../numerics/distributions/families.ts';
import type { FamilyName } from '../../../numerics/distributions/family.ts';
import { NoStartError } from '../../../numerics/mcmc/findStart.ts';
import type { RandomStream } from '../../../numerics/random/stream.ts';
import type { Predictor } from '../../../numerics/regression/design/predictors.ts';
import { seenColumn } from '../categorical/features.ts';
import { drawThreshold } from '../categorical/rareLevels.ts';
import type { FitTask, ModelTable } from '../model.ts';
import { fitLevelQuantiles } from '../shared/levelQuantiles.ts';
import { fitMargin } from '../shared/margin.ts';
import type { FittedTarget } from './bayesianRegression.ts';
import { checkPredictive } from './checkPredictive.ts';
import { constantTarget } from './constantTarget.ts';
import { describeRegression } from './describeRegression.ts';
import { drawPosterior } from './drawPosterior.ts';
import { bySums, fixPools } from './fixPools.ts';
import { fitLeafQuantiles } from './leafQuantiles.ts';
import { onLink } from './linearPredictors.ts';
import { planRegression, type RegressionPlan } from './planRegression.ts';
import type { PosteriorDraws } from './posteriorTask.ts';
import { eachPredictive, type PredictiveModel, withoutAtoms } from './predictive.ts';
import { predictorsAt } from './predictorsOf.ts';
import { isConstant, type Response, responseOf } from './responseOf.ts';
import { withScaleGroups } from './scaleByGroups.ts';

/** Predictive draws behind the calibration, at least. */
const REFERENCE_DRAWS = 20_000;
/** Posterior draws that are kept to predict from, at most, and numbers in them. */
const KEPT_DRAWS = 500;
const KEPT_NUMBERS = 400_000;

/** Throws JobError invalid_data where the family cannot hold the target's numbers, or its density overflows on them. */
export async function fitTarget(task: FitTask, name: string): Promise<FittedTarget> {
  const { settings, report, breathe } = task;
  const random = task.random.child(name);
  const response = responseOf(task, name);
  if (isConstant(response)) {
    const constant = constantTarget(name, response);
    await report(`Target ${quoted(name)}: ${constant.metrics.summary}`);
    return constant;
  }
  const { family, rows, values, y } = response;
  const given = task.given.filter((other) => task.table.columns.get(other)?.kind !== 'text');
  const predictors = predictorsAt(task.table, given, rows);
  await breathe();
  const { plan, start } = await planOf(family, y, predictors, random, breathe);
  await report(
    `Regression of ${quoted(name)}: ${family}, ${counted(columnsOf(plan), 'column')} from ${counted(rows.length, 'row')}`,
  );
  const { draws, tune } = settings;
  const sample = await drawPosterior({ spec: plan.spec, start, draws, tune, random, report, breathe }).catch(
    (error) => {
      throw error instanceof NoStartError ? notSampled(name, response, error) : error;
    },
  );
  const model = predictiveModel(plan, sample, given);
  const reference = fitReference(referenceDraws(model, task.table, rows, random.child('reference')));
  const seen = given.map((other) => seenColumn(task.table, other)!);
  const places = placesOf(values, random.child('levels'));
  const levels = fitLevelQuantiles(atRows(places, rows, task.table.rows), seen, task.table);
  const leaves = fitLeafQuantiles(task.table, seen, { rows, values, places }, random.child('leaves'));
  const checks = checkPredictive(model, task.table, rows, response, random.child('checks'));
  const metrics = describeRegression({ target: name, response, plan, sample, draws, checks });
  await report(`Regression of ${quoted(name)}: ${metrics.summary}`);
  return {
    ...model,
    name,
    given,
    reference,
    margin: fitMargin(values, drawThreshold(random.child('rare numbers')), settings.keepRare),
    levels,
    leaves,
    metrics,
    designs: [...model.designs],
  };
}

/** Each value's place in [0, 1) among the others, equal ones at random. */
function placesOf(values: Float64Array, random: RandomStream): Float64Array {
  const tie = values.map(() => random.uniform());
  const order = Int32Array.from(values, (_, i) => i).sort((a, b) => values[a]! - values[b]! || tie[a]! - tie[b]!);
  const places = new Float64Array(values.length);
  order.forEach((i, rank) => {
    places[i] = (rank + tie[i]!) / values.length;
  });
  return places;
}

/** NaN in the other rows of n. */
function atRows(places: Float64Array, rows: Int32Array, n: number): Float64Array {
  const out = new Float64Array(n).fill(Number.NaN);
  rows.forEach((row, i) => {
    out[row] = places[i]!;
  });
  return out;
}

function notSampled(name: string, { family, values }: Response, cause: NoStartError): JobError {
  const [least, most] = [Math.min, Math.max].map((pick) => values.reduce((a, b) => pick(a, b)));
  return new JobError(
    'invalid_data',
    `The regression of ${quoted(name)} under the family ${family} has no finite density to begin from: its values go from ${least} to ${most}. Look in it and in the other columns for values that overflow, such as 1e300, or send POST /generate again with family "auto".`,
    { cause },
  );
}

async function planOf(
  family: FamilyName,
  y: Float64Array,
  predictors: readonly Predictor[],
  random: RandomStream,
  breathe: () => Promise<void>,
): Promise<{ plan: RegressionPlan; start: Float64Array }> {
  const pooled = await planRegression(family, y, predictors, random.child('design'), breathe);
  const { spec, start } = await fixPools(pooled.spec, breathe);
  const plan = { ...pooled, spec };
  return { plan: bySums(family) ? withScaleGroups(plan, start, predictors, random.child('scale')) : plan, start };
}

const columnsOf = (plan: RegressionPlan): number =>
  plan.predictors.reduce((sum, { design }) => sum + (design ? design.columns.length : 0), 0);

/** Evenly thinned draws of θ, constants back on their links. */
function predictiveModel(plan: RegressionPlan, sample: PosteriorDraws, given: readonly string[]): PredictiveModel {
  const d = sample.posterior.dimension;
  const width = plan.spec.predictors.reduce((sum, own) => sum + (own.kind === 'linear' ? own.design.cols : 1), 0);
  const { parameters } = familyOf(plan.family);
  const links = plan.spec.predictors.flatMap((own, k) =>
    own.kind === 'linear' ? Array.from({ length: own.design.cols }, () => null) : [parameters[k]!.link],
  );
  const all = sample.chains.reduce((sum, chain) => sum + chain.length / d, 0);
  const count = Math.max(1, Math.min(all, KEPT_DRAWS, Math.floor(KEPT_NUMBERS / width)));
  const draws = new Float32Array(count * width);
  const perChain = all / sample.chains.length;
  for (let i = 0; i < count; i++) {
    const at = Math.floor((i * all) / count);
    const chain = sample.chains[Math.floor(at / perChain)]!;
    const from = (at % perChain) * d;
    links.forEach((link, j) => {
      const value = chain[from + j]!;
      draws[i * width + j] = link === null ? value : onLink(link, value);
    });
  }
  return {
    family: plan.family,
    given,
    designs: plan.predictors.map(({ design }) => design),
    scale: plan.scale,
    draws,
    width,
  };
}

/** Predictive draws over the fitted rows, over and over until there are enough. */
function referenceDraws(
  model: PredictiveModel,
  table: ModelTable,
  rows: Int32Array,
  random: RandomStream,
): Float64Array {
  const family = familyOf(model.family);
  const isFitted = new Uint8Array(table.rows);
  for (const row of rows) isFitted[row] = 1;
  const passes = Math.ceil(REFERENCE_DRAWS / rows.length);
  const out: number[] = [];
  for (let pass = 0; pass < passes; pass++) {
    eachPredictive(model, table, 0, table.rows, random, (row, eta) => {
      if (isFitted[row]) out.push(withoutAtoms(family, family.draw(eta, random), random));
    });
  }
  return Float64Array.from(out);
}
