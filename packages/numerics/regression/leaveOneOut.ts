/**
 * How well a regression predicts a row that it has not seen, without a second fit: leave-one-out cross-validation by
 * Pareto-smoothed importance sampling (Vehtari, Gelman and Gabry, 2017). n rows, S draws.
 */

import { type FamilyName, familyOf } from '../distributions/families.ts';
import { isAtom } from '../distributions/family.ts';
import { mean, variance } from '../moments.ts';
import { drawRows } from '../random/draws.ts';
import type { RandomStream } from '../random/stream.ts';
import { slicePredictors, takePredictors } from './design/applyDesign.ts';
import type { Predictor } from './design/design.ts';
import { BLOCK_ROWS, linearPredictors, type PredictiveModel } from './predict.ts';
import { paretoSmooth, USABLE_SHAPE } from './sampleLaplace.ts';

/** Expected log predictive density of new rows, and how far it can be relied on. */
export interface LeaveOneOut {
  /** Sum over all n rows of the log density of each, given the others, in units of the response. */
  elpd: number;
  /** Standard error of `elpd`; that of looking at some rows alone is in it. */
  se: number;
  /** Effective number of parameters, p_loo: how much better the rows are described than predicted. */
  parameters: number;
  /** Rows whose Pareto k is above what so many draws allow, so that their share of `elpd` is rough. */
  badShapes: number;
  /** Rows that were left out in turn: n, or a random sample of them. */
  rows: number;
}

interface LooTask {
  model: PredictiveModel;
  predictors: readonly Predictor[];
  /** n, as the model was fitted to it; the response is `factor` times that, moved. */
  y: Float64Array;
  factor: number;
  /** The half of each row, n: a row is predicted by the leaves of trees that were not grown on it. */
  halves?: Uint8Array | null;
  random: RandomStream;
  /** Throws where the work is to stop; called every few tens of milliseconds. */
  yieldToEventLoop(): Promise<void>;
}

/** Rows that are left out in turn, at most: of 54,000, they add less to the standard error than the rows differ by. */
const MAX_ROWS = 500;
/** Rows between two turns of others: each takes hundreds of evaluations of a linear predictor. */
const ROWS_A_TURN = 40;

/**
 * Of more than `maxRows` rows a random sample is left out in turn. The others enter by their log density at the mean of the
 * draws, and the sample says what that is off by (the difference estimator of Magnusson et al., 2020). Null where a density is
 * not finite.
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

/** Pareto k up to which S draws are enough (Vehtari et al., 2024). */
const shapeLimit = (draws: number): number => Math.min(USABLE_SHAPE, 1 - 1 / Math.log10(draws));

// One row.

interface RowLoo {
  /** log p(y | the other rows). */
  elpd: number;
  /** log p(y | all rows). */
  lpd: number;
  /** Pareto k. */
  shape: number;
}

/** From the log density of one row under each draw (S, thinned from chains, and so about independent). */
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

/** log density of each row (n) at the mean of the draws. */
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

/** The log density in units of the response; probabilities of counts and atoms have no unit. */
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

/** 0 for one value. */
const varianceOf = (x: Float64Array): number => (x.length > 1 ? variance(x) : 0);
