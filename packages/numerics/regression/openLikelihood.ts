import { familyOf, type ResponseName } from '../distributions/families.ts';
import { blockedLikelihood, familyKernel, type RowKernel } from './blockedLikelihood.ts';
import type { Coordinates } from './coordinates.ts';
import { gaussianLikelihood, multiplySymmetric } from './gaussianLikelihood.ts';
import type { GaussianStatistics } from './gaussianStatistics.ts';
import { bernoulliKernel, betaKernel, gammaKernel, gaussianKernel, studentTKernel } from './kernels/continuous.ts';
import {
  negativeBinomialKernel,
  poissonKernel,
  truncatedNegativeBinomialKernel,
  truncatedPoissonKernel,
  zeroInflatedNegativeBinomialKernel,
  zeroInflatedPoissonKernel,
} from './kernels/counts.ts';
import { weightedSum } from './kernels/fastMath.ts';
import { openDesign } from './packed/openDesign.ts';
import type { PackedMatrix } from './packed/packDesign.ts';
import { type Likelihood, layOutPredictors, type Posterior } from './posterior.ts';
import type { RegressionSpec } from './spec.ts';

export type LikelihoodData =
  | { kind: 'gaussian'; statistics: GaussianStatistics }
  | { kind: 'rows'; spec: RegressionSpec }
  | { kind: 'packed'; rows: PackedRows }
  | { kind: 'subsample'; data: LikelihoodData; control: ControlVariate }
  | { kind: 'parts'; parts: { data: LikelihoodData; entries: Int32Array }[] };

/** Null for constants. */
export interface PackedRows extends Pick<RegressionSpec, 'family' | 'y' | 'weights'> {
  predictors: { parameter: string; design: PackedMatrix | null }[];
}

/** c + a·δ - δᵀBδ / 2, δ = θ - `centre`, plus `scale` times a subsample's likelihood. */
export interface ControlVariate {
  scale: number;
  centre: Float64Array;
  value: number;
  /** a (p). */
  slope: Float64Array;
  /** B, p × p. */
  curvature: Float64Array;
}

export function openLikelihood(data: LikelihoodData): Likelihood {
  switch (data.kind) {
    case 'gaussian':
      return gaussianLikelihood(data.statistics);
    case 'rows':
      return rowLikelihood(data.spec);
    case 'packed':
      return packedLikelihood(data.rows);
    case 'subsample':
      return controlledLikelihood(openLikelihood(data.data), data.control);
    case 'parts':
      return joinedLikelihood(
        data.parts.map(({ data: part, entries }) => ({ likelihood: openLikelihood(part), entries })),
      );
  }
}

export function costOf(data: LikelihoodData): { rows: number; entries: number } {
  if (data.kind === 'gaussian') {
    const { centre, groups } = data.statistics;
    return { rows: 0, entries: (groups.length * centre.length ** 2) / 2 };
  }
  if (data.kind === 'rows') {
    const entries = data.spec.predictors.map((p) => (p.kind === 'linear' ? p.design.values.length : 0));
    return { rows: data.spec.y.length, entries: entries.reduce((sum, count) => sum + count, 0) };
  }
  if (data.kind === 'packed') {
    const { y, predictors } = data.rows;
    return { rows: y.length, entries: predictors.reduce((sum, { design }) => sum + (design?.entries ?? 0), 0) };
  }
  if (data.kind === 'subsample') {
    const { rows, entries } = costOf(data.data);
    return { rows, entries: entries + data.control.curvature.length / 2 };
  }
  return data.parts
    .map((part) => costOf(part.data))
    .reduce((a, b) => ({ rows: a.rows + b.rows, entries: a.entries + b.entries }), { rows: 0, entries: 0 });
}

export const flopsOf = ({ rows, entries }: { rows: number; entries: number }): number => 4 * entries + 60 * rows;

export function rowLikelihood(spec: RegressionSpec, kernel: RowKernel = kernelOf(spec, designsOf(spec))): Likelihood {
  return blockedLikelihood(spec.y.length, layOutPredictors(familyOf(spec.family), designsOf(spec)), kernel);
}

const designsOf = ({ predictors }: RegressionSpec) =>
  predictors.map((own) => ({ parameter: own.parameter, design: own.kind === 'linear' ? own.design : null }));

function packedLikelihood(rows: PackedRows): Likelihood {
  const opened = rows.predictors.map((own) => ({ ...own, design: own.design && openDesign(own.design) }));
  const layouts = layOutPredictors(familyOf(rows.family), opened);
  return blockedLikelihood(rows.y.length, layouts, kernelOf(rows, rows.predictors));
}

/** `start`: where to search for the mode. */
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

interface LikelihoodPart {
  likelihood: Likelihood;
  entries: Int32Array;
}

function joinedLikelihood(parts: readonly LikelihoodPart[]): Likelihood {
  const size = parts.reduce((sum, { entries }) => sum + entries.length, 0);
  const buffers = parts.map(({ entries }) => ({
    theta: new Float64Array(entries.length),
    gradient: new Float64Array(entries.length),
  }));

  function gather(k: number, theta: Float64Array): Float64Array {
    const own = buffers[k]!.theta;
    const { entries } = parts[k]!;
    for (let i = 0; i < entries.length; i++) own[i] = theta[entries[i]!]!;
    return own;
  }

  return {
    size,
    evaluate(theta, gradient) {
      let value = 0;
      for (let k = 0; k < parts.length; k++) {
        const { likelihood, entries } = parts[k]!;
        const own = buffers[k]!.gradient;
        value += likelihood.evaluate(gather(k, theta), own);
        for (let i = 0; i < entries.length; i++) gradient[entries[i]!] = own[i]!;
      }
      return value;
    },
    subtractCurvature(theta, hessian, stride) {
      parts.forEach(({ likelihood, entries }, k) => {
        const p = entries.length;
        const own = new Float64Array(p * p);
        likelihood.subtractCurvature(gather(k, theta), own, p);
        for (let i = 0; i < p; i++) {
          for (let j = 0; j < p; j++) hessian[entries[i]! * stride + entries[j]!]! += own[i * p + j]!;
        }
      });
    },
  };
}

function controlledLikelihood(part: Likelihood, control: ControlVariate): Likelihood {
  const { scale, centre, value, slope, curvature } = control;
  const p = part.size;
  const delta = new Float64Array(p);
  const pull = new Float64Array(p);
  return {
    size: p,
    evaluate(theta, gradient) {
      for (let j = 0; j < p; j++) delta[j] = theta[j]! - centre[j]!;
      multiplySymmetric(curvature, p, delta, pull);
      let sum = value + scale * part.evaluate(theta, gradient);
      for (let j = 0; j < p; j++) {
        sum += delta[j]! * (slope[j]! - 0.5 * pull[j]!);
        gradient[j] = scale * gradient[j]! + slope[j]! - pull[j]!;
      }
      return sum;
    },
    subtractCurvature(theta, hessian, stride) {
      const own = new Float64Array(p * p);
      part.subtractCurvature(theta, own, p);
      for (let i = 0; i < p; i++)
        for (let j = 0; j < p; j++) hessian[i * stride + j]! += scale * own[i * p + j]! + curvature[i * p + j]!;
    },
  };
}

// Other combinations use the family's own row function.

type Maker = (y: Float64Array, w: Float64Array, slow: RowKernel) => RowKernel;

const LOCATION: Partial<Record<ResponseName, Maker>> = {
  bernoulli: bernoulliKernel,
  poisson: poissonKernel,
  negative_binomial: negativeBinomialKernel,
  gamma: gammaKernel,
  beta: betaKernel,
  student_t: studentTKernel,
  zero_inflated_poisson: (y, w) => zeroInflatedPoissonKernel(y, w, { isByRow: false }),
  zero_inflated_negative_binomial: (y, w) => zeroInflatedNegativeBinomialKernel(y, w, { isByRow: false }),
  truncated_poisson: truncatedPoissonKernel,
  truncated_negative_binomial: truncatedNegativeBinomialKernel,
};

const LOCATION_AND_ZEROS: Partial<Record<ResponseName, Maker>> = {
  zero_inflated_poisson: (y, w) => zeroInflatedPoissonKernel(y, w, { isByRow: true }),
  zero_inflated_negative_binomial: (y, w) => zeroInflatedNegativeBinomialKernel(y, w, { isByRow: true }),
};

const LOCATION_AND_SCALE: Partial<Record<ResponseName, Maker>> = {
  gaussian: (y, w) => gaussianKernel(y, w, 0),
  lognormal(y, w) {
    const logs = y.map((value) => Math.log(value));
    return gaussianKernel(logs, w, -weightedSum(logs, w, (value) => value));
  },
};

function kernelOf(
  { family, y, weights }: Pick<RegressionSpec, 'family' | 'y' | 'weights'>,
  predictors: readonly { design: object | null }[],
): RowKernel {
  const linear = predictors.map(({ design }) => design !== null);
  const slow = familyKernel(familyOf(family), y, weights, linear);
  return makerOf(family, linear)?.(y, weights ?? new Float64Array(y.length).fill(1), slow) ?? slow;
}

function makerOf(family: ResponseName, [location, ...others]: boolean[]): Maker | undefined {
  if (!location) return undefined;
  if (!others.some(Boolean)) return LOCATION[family];
  if (others.every(Boolean) && LOCATION_AND_SCALE[family]) return LOCATION_AND_SCALE[family];
  return others.indexOf(true) === others.length - 1 ? LOCATION_AND_ZEROS[family] : undefined;
}
