/** A residual scale that differs between groups of rows, where residuals fan out: learnt from a first fit of the location. */

import type { RandomStream } from '../../../numerics/random/stream.ts';
import type { Predictor } from '../../../numerics/regression/design/predictors.ts';
import {
  applyScaleGroups,
  learnScaleGroups,
  type ScaleGroups,
  scalePredictor,
} from '../../../numerics/regression/design/scaleGroups.ts';
import type { PredictorSpec } from '../../../numerics/regression/spec.ts';
import { etaOf } from './linearPredictors.ts';
import type { RegressionPlan } from './planRegression.ts';
import { locationResponse, momentsOf } from './workingResponse.ts';

/** How a row's scale follows from its predictors and its fitted mean. */
export interface FittedScale {
  groups: ScaleGroups;
  /** Coefficients of the location at the mode: they give the fitted mean that groups may ask for. */
  location: Float64Array;
  /** The name that the fitted mean has among the predictors. */
  meanName: string;
}

/** The plan with a scale by groups, or as it was where one scale is enough. `theta`: a first fit, location first. */
export function withScaleGroups(
  plan: RegressionPlan,
  theta: Float64Array,
  predictors: readonly Predictor[],
  random: RandomStream,
): RegressionPlan {
  const { family, y } = plan.spec;
  const first = plan.predictors[0]!;
  if (!first.design || y.length === 0) return plan;
  const location = theta.slice(0, first.design.columns.length);
  const mean = fittedMeans(plan, location, predictors, y.length);
  const response = locationResponse(family, y);
  const residuals = response.values.map((value, row) => value - mean[row]!);
  if (!residuals.every(Number.isFinite)) return plan;
  const meanName = freeName(predictors);
  const asked = [...predictors, { kind: 'numeric' as const, name: meanName, values: mean }];
  const groups = learnScaleGroups(residuals, asked, {}, random);
  if (groups.groups < 2) return plan;
  const codes = applyScaleGroups(groups, asked, y.length);
  const at = plan.predictors.findIndex(({ parameter }) => parameter.name === 'sigma');
  const spec: PredictorSpec = scalePredictor(codes, groups.groups, momentsOf(response).sd);
  return {
    spec: { ...plan.spec, predictors: plan.spec.predictors.map((own, k) => (k === at ? spec : own)) },
    predictors: plan.predictors,
    scale: { groups, location, meanName },
  };
}

/** Group of each of n rows. */
export function groupsOf(
  scale: FittedScale,
  plan: Pick<RegressionPlan, 'predictors'>,
  predictors: readonly Predictor[],
  n: number,
): Int32Array {
  const values = fittedMeans(plan, scale.location, predictors, n);
  return applyScaleGroups(scale.groups, [...predictors, { kind: 'numeric', name: scale.meanName, values }], n);
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
