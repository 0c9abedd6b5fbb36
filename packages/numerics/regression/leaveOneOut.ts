/** Pareto-smoothed leave-one-out cross-validation (Vehtari, Gelman and Gabry 2017). n rows, S draws. */

import { type FamilyName, familyOf } from '../distributions/families.ts';
import { isAtom } from '../distributions/family.ts';
import { mean, variance } from '../moments.ts';
import { drawRows } from '../random/draws.ts';
import type { RandomStream } from '../random/stream.ts';
import { slicePredictors, takePredictors } from './design/applyDesign.ts';
import type { Predictor } from './design/design.ts';
import { BLOCK_ROWS, linearPredictors, type PredictiveModel } from './predict.ts';
import { paretoSmooth, USABLE_SHAPE } from './sampleLaplace.ts';

/** Predictive accuracy on new rows, with its reliability. */
export interface LeaveOneOut {
  /** Expected log predictive density: sum over n rows, in units of the response. */
  elpd: number;
  /** Standard error of `elpd`, including row sampling. */
  se: number;
  /** Effective number of parameters, p_loo. */
  parameters: number;
  /** Rows with a Pareto k too high for S draws. */
  badShapes: number;
  /** Rows left out. */
  rows: number;
}

interface LooTask {
  model: PredictiveModel;
  predictors: readonly Predictor[];
  /** Response (n) on the model's scale; the original is `factor` times it, shifted. */
  y: Float64Array;
  factor: number;
  /** Half of each row (n). */
  halves?: Uint8Array | null;
  random: RandomStream;
  /** Throws to stop; called every few tens of milliseconds. */
  yieldToEventLoop(): Promise<void>;
}

/** Maximum rows left out; sampling then adds less to the standard error than rows vary. */
const MAX_ROWS = 500;
const ROWS_A_TURN = 40;

/**
 * Leaves out at most `maxRows` random rows, which correct the sum of the others' densities at the mean draw (difference
 * estimator, Magnusson et al. 2020). Null if a density is not finite.
 */
export async function leaveOneOut(task: LooTask, maxRows = MAX_ROWS): Promise<LeaveOneOut | null> {
  const { model, y } = task;
  const n = y.length;
  const isWhole = n <= maxRows;
  const chosen = drawRows(n, Math.min(n, maxRows), task.random);
  const rows = await pointwise(task, chosen);
  const elpds = Float64Array.from(rows, ({ elpd }) => elpd);
  const optimism = rows.reduce((sum, { lpd, elpd }) => sum + lpd - elpd, 0);
  const limit = shapeLimit(model.draws.length / model.width);
  const spread = n * varianceOf(elpds);
  const known = {
    parameters: (optimism * n) / rows.length,
    badShapes: rows.filter(({ shape }) => !(shape <= limit)).length,
    rows: rows.length,
  };
  if (isWhole) return finiteOr({ elpd: sum(elpds), se: Math.sqrt(spread), ...known });
  const rough = await atMean(task);
  const differences = elpds.map((elpd, at) => elpd - rough[chosen[at]!]!);
  const ofSample = (n * (n - rows.length) * varianceOf(differences)) / rows.length;
  const elpd = sum(rough) + (n * sum(differences)) / rows.length;
  return finiteOr({ elpd, se: Math.sqrt(spread + ofSample), ...known });
}

const finiteOr = (loo: LeaveOneOut): LeaveOneOut | null => (Object.values(loo).every(Number.isFinite) ? loo : null);

/** Maximum Pareto k for S draws (Vehtari et al. 2024). */
const shapeLimit = (draws: number): number => Math.min(USABLE_SHAPE, 1 - 1 / Math.log10(draws));

interface RowLoo {
  elpd: number;
  lpd: number;
  shape: number;
}

/** Needs thinned, nearly independent draws. */
export function smoothedLoo(logDensities: Float64Array): RowLoo {
  const { logWeights, shape } = paretoSmooth(logDensities.map((value) => -value));
  return {
    elpd: logSumExp(logDensities.map((value, s) => value + logWeights[s]!)),
    lpd: logSumExp(logDensities) - Math.log(logDensities.length),
    shape,
  };
}

async function pointwise(task: LooTask, chosen: Int32Array): Promise<RowLoo[]> {
  const { model, predictors, y, factor, halves = null } = task;
  const chosenHalves = halves && Uint8Array.from(chosen, (row) => halves[row]!);
  const fill = linearPredictors(model, takePredictors(predictors, chosen), chosen.length, chosenHalves);
  const densityOf = logDensityIn(model.family, factor);
  const logDensities = new Float64Array(model.draws.length / model.width);
  const eta = new Float64Array(model.designs.length);
  const out: RowLoo[] = [];
  for (const [at, row] of chosen.entries()) {
    if (at % ROWS_A_TURN === 0) await task.yieldToEventLoop();
    for (let s = 0; s < logDensities.length; s++) {
      fill(at, s * model.width, eta);
      logDensities[s] = densityOf(y[row]!, eta);
    }
    out.push(smoothedLoo(logDensities));
  }
  return out;
}

async function atMean({
  model,
  predictors,
  y,
  factor,
  halves = null,
  yieldToEventLoop,
}: LooTask): Promise<Float64Array> {
  const { draws, width } = model;
  const centre = new Float32Array(width);
  for (let i = 0; i < draws.length; i++) centre[i % width]! += draws[i]! / (draws.length / width);
  const densityOf = logDensityIn(model.family, factor);
  const eta = new Float64Array(model.designs.length);
  const out = new Float64Array(y.length);
  for (let from = 0; from < y.length; from += BLOCK_ROWS) {
    await yieldToEventLoop();
    const to = Math.min(y.length, from + BLOCK_ROWS);
    const own = halves?.subarray(from, to);
    const fill = linearPredictors({ ...model, draws: centre }, slicePredictors(predictors, from, to), to - from, own);
    for (let row = from; row < to; row++) {
      fill(row - from, 0, eta);
      out[row] = densityOf(y[row]!, eta);
    }
  }
  return out;
}

/** Probabilities have no unit. */
function logDensityIn(name: FamilyName, factor: number): (y: number, eta: Float64Array) => number {
  const family = familyOf(name);
  const unit = Math.log(factor);
  if (family.measure === 'counts' || unit === 0) return family.logDensity;
  const atoms = family.parameters.filter(isAtom).map((parameter) => (parameter.name === 'zero' ? 0 : 1));
  return (y, eta) => family.logDensity(y, eta) - (atoms.some((atom) => atom === y) ? 0 : unit);
}

function logSumExp(x: Float64Array): number {
  const largest = x.reduce((most, value) => Math.max(most, value), Number.NEGATIVE_INFINITY);
  return largest + Math.log(x.reduce((total, value) => total + Math.exp(value - largest), 0));
}

const sum = (x: Float64Array): number => x.length * mean(x);

const varianceOf = (x: Float64Array): number => (x.length > 1 ? variance(x) : 0);
