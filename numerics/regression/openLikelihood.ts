/** From prepared data to the functions that a sampler calls. */
import { familyOf } from '../distributions/families.ts';
import { blockedLikelihood } from './blockedLikelihood.ts';
import type { Coordinates } from './coordinates.ts';
import { gaussianLikelihood } from './gaussianLikelihood.ts';
import type { GaussianStatistics } from './gaussianStatistics.ts';
import { joinedLikelihood } from './joinedLikelihood.ts';
import { kernelOf } from './kernels/kernelOf.ts';
import { placePredictors } from './layout.ts';
import type { Likelihood } from './likelihood.ts';
import type { Posterior } from './posterior.ts';
import type { RowKernel } from './rowKernel.ts';
import type { RegressionSpec } from './spec.ts';

/** What the likelihood needs of the data. */
export type LikelihoodData =
  | { kind: 'gaussian'; statistics: GaussianStatistics }
  | { kind: 'rows'; spec: RegressionSpec }
  | { kind: 'parts'; parts: { data: LikelihoodData; entries: Int32Array }[] };

export function openLikelihood(data: LikelihoodData): Likelihood {
  switch (data.kind) {
    case 'gaussian':
      return gaussianLikelihood(data.statistics);
    case 'rows':
      return rowLikelihood(data.spec);
    case 'parts':
      return joinedLikelihood(
        data.parts.map(({ data: part, entries }) => ({ likelihood: openLikelihood(part), entries })),
      );
  }
}

/** Rows, and their entries in all designs, that one evaluation reads. */
export function costOf(data: LikelihoodData): { rows: number; entries: number } {
  if (data.kind === 'gaussian') {
    const { centre, groups } = data.statistics;
    return { rows: 0, entries: (groups.length * centre.length ** 2) / 2 };
  }
  if (data.kind === 'rows') {
    const entries = data.spec.predictors.map((p) => (p.kind === 'linear' ? p.design.values.length : 0));
    return { rows: data.spec.y.length, entries: entries.reduce((sum, count) => sum + count, 0) };
  }
  return data.parts
    .map((part) => costOf(part.data))
    .reduce((a, b) => ({ rows: a.rows + b.rows, entries: a.entries + b.entries }), { rows: 0, entries: 0 });
}

/** Any family and structure, row by row. */
export function rowLikelihood(spec: RegressionSpec, kernel: RowKernel = kernelOf(spec)): Likelihood {
  return blockedLikelihood(spec.y.length, placePredictors(familyOf(spec.family), spec.predictors), kernel);
}

/** A likelihood of θ seen through coordinates. `start`: where a search for the mode may begin. */
export function assemble(
  likelihood: Likelihood,
  coordinates: Coordinates,
  names: readonly string[],
  start: Float64Array = new Float64Array(coordinates.dimension),
): Posterior {
  const { dimension } = coordinates;
  const theta = new Float64Array(likelihood.size);
  const gradientTheta = new Float64Array(likelihood.size);
  return {
    dimension,
    names,
    start,
    evaluate(position, gradient) {
      coordinates.toTheta(position, theta);
      const value = likelihood.evaluate(theta, gradientTheta);
      return value + coordinates.pullBack(position, theta, gradientTheta, gradient);
    },
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
