/**
 * A residual scale that differs between groups of rows, where residuals fan out: σ_i = σ f_g. The factors f come from the
 * residuals of a first fit and are held; σ is sampled. As precision weights they leave one XᵀWX to the posterior.
 */

import type { RandomStream } from '../../../numerics/random/stream.ts';
import type { Predictor } from '../../../numerics/regression/design/predictors.ts';
import {
  applyScaleGroups,
  learnScaleGroups,
  type ScaleGroups,
} from '../../../numerics/regression/design/scaleGroups.ts';
import { etaOf } from './linearPredictors.ts';
import { EXACT, type RegressionPlan } from './planRegression.ts';
import { locationResponse, momentsOf } from './workingResponse.ts';

/** How a row's scale follows from its predictors and its fitted mean. */
export interface FittedScale {
  groups: ScaleGroups;
  /** log f, one a group. */
  logFactors: Float64Array;
  /** Coefficients of the location in the first fit: they give the fitted mean that groups may ask for. */
  location: Float64Array;
  /** The name that the fitted mean has among the predictors. */
  meanName: string;
}

/** A group's scale is at least this share of the largest: what is constant within a group still has some noise. */
const LEAST_FACTOR = 1e-3;

/** The plan with a scale by groups, or as it was where one scale is enough. `start`: a first fit, location first. */
export function withScaleGroups(
  plan: RegressionPlan,
  start: Float64Array,
  predictors: readonly Predictor[],
  random: RandomStream,
): RegressionPlan {
  const { family, spec } = plan;
  const { y } = spec;
  const first = plan.predictors[0]!;
  if (!first.design || y.length === 0) return plan;
  const location = start.slice(0, first.design.columns.length);
  const mean = fittedMeans(plan, location, predictors, y.length);
  const residuals = locationResponse(family, y).values.map((value, row) => value - mean[row]!);
  if (!residuals.every(Number.isFinite) || isExact(plan, residuals)) return plan;
  const meanName = freeName(predictors);
  const asked = [...predictors, { kind: 'numeric' as const, name: meanName, values: mean }];
  const groups = learnScaleGroups(residuals, asked, {}, random);
  if (groups.groups < 2) return plan;
  const codes = applyScaleGroups(groups, asked, y.length);
  const factors = relativeScales(residuals, codes, groups.groups);
  const weights = Float64Array.from(codes, (group) => 1 / factors[group]! ** 2);
  return {
    family,
    spec: { ...spec, weights },
    predictors: plan.predictors,
    scale: { groups, logFactors: factors.map(Math.log), location, meanName },
  };
}

/** What is left of an exact fit is rounding, and has no groups. */
function isExact({ family, spec }: RegressionPlan, residuals: Float64Array): boolean {
  const least = EXACT * momentsOf(locationResponse(family, spec.y)).sd;
  return residuals.every((residual) => Math.abs(residual) < least);
}

/** Root mean squares of the groups' residuals, times what makes the weights 1 / f² have a mean of 1 over rows. */
function relativeScales(residuals: Float64Array, codes: Int32Array, groups: number): Float64Array {
  const rows = new Float64Array(groups);
  const squares = new Float64Array(groups);
  codes.forEach((group, row) => {
    rows[group]!++;
    squares[group]! += residuals[row]! ** 2;
  });
  const scales = squares.map((square, group) => Math.sqrt(square / Math.max(1, rows[group]!)));
  const least = LEAST_FACTOR * scales.reduce((most, scale) => Math.max(most, scale), Number.MIN_VALUE);
  const floored = scales.map((scale) => Math.max(scale, least));
  const meanWeight = floored.reduce((sum, scale, group) => sum + rows[group]! / scale ** 2, 0) / residuals.length;
  return floored.map((scale) => scale * Math.sqrt(meanWeight));
}

/** log f of each of n rows. */
export function logFactorsOf(
  scale: FittedScale,
  plan: Pick<RegressionPlan, 'predictors'>,
  predictors: readonly Predictor[],
  n: number,
): Float64Array {
  const values = fittedMeans(plan, scale.location, predictors, n);
  const asked = [...predictors, { kind: 'numeric' as const, name: scale.meanName, values }];
  return Float64Array.from(applyScaleGroups(scale.groups, asked, n), (group) => scale.logFactors[group]!);
}

function fittedMeans(
  { predictors: planned }: Pick<RegressionPlan, 'predictors'>,
  location: Float64Array,
  predictors: readonly Predictor[],
  n: number,
): Float64Array {
  const eta = new Float64Array(1);
  const fill = etaOf(planned.slice(0, 1), null, predictors, n);
  return Float64Array.from({ length: n }, (_, row) => {
    fill(row, location, 0, eta);
    return eta[0]!;
  });
}

function freeName(predictors: readonly Predictor[]): string {
  let name = 'fitted mean';
  while (predictors.some((predictor) => predictor.name === name)) name += "'";
  return name;
}
