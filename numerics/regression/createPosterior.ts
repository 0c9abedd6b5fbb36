/** From a regression's specification to its posterior density. */
import { familyOf } from '../distributions/families.ts';
import { blockedLikelihood } from './blockedLikelihood.ts';
import { type Coordinates, coordinatesOf } from './coordinates.ts';
import { gaussianLikelihood } from './gaussianLikelihood.ts';
import { gaussianStatistics } from './gaussianStatistics.ts';
import { kernelOf } from './kernels/kernelOf.ts';
import { layOut, placePredictors } from './layout.ts';
import type { Likelihood } from './likelihood.ts';
import type { Posterior } from './posterior.ts';
import type { RowKernel } from './rowKernel.ts';
import type { RegressionSpec } from './spec.ts';

/** The posterior of `spec` on unconstrained space: coefficients, constants on link scales, then log scales of pools. */
export function createPosterior(spec: RegressionSpec): Posterior {
  const family = familyOf(spec.family);
  const layout = layOut(family, spec.predictors);
  return assemble(likelihoodOf(spec), coordinatesOf(layout, null), layout.names);
}

function likelihoodOf(spec: RegressionSpec): Likelihood {
  const statistics = gaussianStatistics(spec);
  return statistics ? gaussianLikelihood(statistics) : rowLikelihood(spec);
}

/** Any family and structure, row by row. */
export function rowLikelihood(spec: RegressionSpec, kernel: RowKernel = kernelOf(spec)): Likelihood {
  return blockedLikelihood(spec.y.length, placePredictors(familyOf(spec.family), spec.predictors), kernel);
}

/** A likelihood of θ seen through coordinates. */
export function assemble(likelihood: Likelihood, coordinates: Coordinates, names: readonly string[]): Posterior {
  const { dimension } = coordinates;
  const theta = new Float64Array(likelihood.size);
  const gradientTheta = new Float64Array(likelihood.size);
  return {
    dimension,
    names,
    evaluate(position, gradient) {
      coordinates.toTheta(position, theta);
      const value = likelihood.evaluate(theta, gradientTheta);
      return value + coordinates.pullBack(position, theta, gradientTheta, gradient);
    },
    start: new Float64Array(dimension),
    scales: dimension - likelihood.size,
    scaleSlopes: coordinates.scaleSlopes,
    constrain: coordinates.constrain,
    hessian(position) {
      const hessian = new Float64Array(dimension * dimension);
      coordinates.toTheta(position, theta);
      likelihood.evaluate(theta, gradientTheta);
      likelihood.subtractCurvature(theta, hessian, dimension);
      coordinates.pullBackHessian(position, theta, gradientTheta, hessian);
      return hessian;
    },
  };
}
