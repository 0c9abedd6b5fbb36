/** From prepared data to the functions that a sampler calls. */
import { familyOf, type ResponseName } from '../distributions/families.ts';
import { blockedLikelihood, familyKernel, type RowKernel } from './blockedLikelihood.ts';
import type { Coordinates } from './coordinates.ts';
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
import { type Likelihood, layOutPredictors, type Posterior } from './posterior.ts';
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
  return blockedLikelihood(spec.y.length, layOutPredictors(familyOf(spec.family), spec.predictors), kernel);
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

// The product of likelihoods of which each sees entries of θ of its own.

/** `entries`: where the entries of the part's θ stand in the whole's. */
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

// The Gaussian (or lognormal) likelihood from its sufficient statistics: p² a gradient and group, whatever n.

const LOG_2PI = Math.log(2 * Math.PI);

/** θ: p coefficients, then log σ or the coefficients of its linear predictor. */
function gaussianLikelihood({ centre, groups, constant }: GaussianStatistics): Likelihood {
  const p = centre.length;
  const sizeOfSigma = groups[0]!.sigmaRow?.length ?? 1;
  const delta = new Float64Array(p);
  const product = new Float64Array(p);

  const logSigmaOf = (row: Float64Array | null, theta: Float64Array): number => {
    if (row === null) return theta[p]!;
    let sum = 0;
    for (let j = 0; j < row.length; j++) sum += row[j]! * theta[p + j]!;
    return sum;
  };

  /** Leaves G δ in `product` and returns the residual sum of squares of one group. */
  function residualSum(gram: Float64Array, cross: Float64Array, rss: number): number {
    multiplySymmetric(gram, p, delta, product);
    let sum = rss;
    for (let j = 0; j < p; j++) sum += delta[j]! * (product[j]! - 2 * cross[j]!);
    return sum;
  }

  function evaluate(theta: Float64Array, gradient: Float64Array): number {
    gradient.fill(0, 0, p + sizeOfSigma);
    for (let j = 0; j < p; j++) delta[j] = theta[j]! - centre[j]!;
    let value = constant;
    for (const { weight, gram, cross, rss, sigmaRow } of groups) {
      const logSigma = logSigmaOf(sigmaRow, theta);
      const precision = Math.exp(-2 * logSigma);
      const sum = residualSum(gram, cross, rss) * precision;
      value -= weight * (0.5 * LOG_2PI + logSigma) + 0.5 * sum;
      for (let j = 0; j < p; j++) gradient[j]! += (cross[j]! - product[j]!) * precision;
      if (sigmaRow === null) gradient[p]! += sum - weight;
      else for (let j = 0; j < sigmaRow.length; j++) gradient[p + j]! += sigmaRow[j]! * (sum - weight);
    }
    return value;
  }

  function subtractCurvature(theta: Float64Array, hessian: Float64Array, stride: number): void {
    const one = Float64Array.of(1);
    for (let j = 0; j < p; j++) delta[j] = theta[j]! - centre[j]!;
    for (const { gram, cross, rss, sigmaRow } of groups) {
      const precision = Math.exp(-2 * logSigmaOf(sigmaRow, theta));
      const sum = residualSum(gram, cross, rss);
      const row = sigmaRow ?? one;
      for (let j = 0; j < p; j++) {
        for (let k = 0; k < p; k++) hessian[j * stride + k]! += gram[j * p + k]! * precision;
        const mixed = 2 * (cross[j]! - product[j]!) * precision;
        for (let k = 0; k < row.length; k++) {
          hessian[j * stride + p + k]! += mixed * row[k]!;
          hessian[(p + k) * stride + j]! += mixed * row[k]!;
        }
      }
      for (let j = 0; j < row.length; j++) {
        for (let k = 0; k < row.length; k++) {
          hessian[(p + j) * stride + p + k]! += 2 * sum * precision * row[j]! * row[k]!;
        }
      }
    }
  }

  return { size: p + sizeOfSigma, evaluate, subtractCurvature };
}

/** out = A x for a symmetric A (p × p), four rows at a time. */
function multiplySymmetric(a: Float64Array, p: number, x: Float64Array, out: Float64Array): void {
  let i = 0;
  for (; i + 4 <= p; i += 4) {
    const row0 = i * p;
    const row1 = row0 + p;
    const row2 = row1 + p;
    const row3 = row2 + p;
    let sum0 = 0;
    let sum1 = 0;
    let sum2 = 0;
    let sum3 = 0;
    for (let j = 0; j < p; j++) {
      const xj = x[j]!;
      sum0 += a[row0 + j]! * xj;
      sum1 += a[row1 + j]! * xj;
      sum2 += a[row2 + j]! * xj;
      sum3 += a[row3 + j]! * xj;
    }
    out[i] = sum0;
    out[i + 1] = sum1;
    out[i + 2] = sum2;
    out[i + 3] = sum3;
  }
  for (; i < p; i++) {
    let sum = 0;
    for (let j = 0; j < p; j++) sum += a[i * p + j]! * x[j]!;
    out[i] = sum;
  }
}

// Which kernel the rows of a regression get: a family's own where one stands here, else the family's function of a row.

/** `slow`: the kernel of the family itself. */
type Maker = (y: Float64Array, w: Float64Array, slow: RowKernel) => RowKernel;

/** Where only the location has a linear predictor. */
const LOCATION: Partial<Record<ResponseName, Maker>> = {
  bernoulli: bernoulliKernel,
  poisson: poissonKernel,
  negative_binomial: negativeBinomialKernel,
  gamma: gammaKernel,
  beta: betaKernel,
  student_t: studentTKernel,
  zero_inflated_poisson: (y, w) => zeroInflatedPoissonKernel(y, w, false),
  zero_inflated_negative_binomial: (y, w) => zeroInflatedNegativeBinomialKernel(y, w, false),
  truncated_poisson: truncatedPoissonKernel,
  truncated_negative_binomial: truncatedNegativeBinomialKernel,
};

/** Where the location and, last, the extra zeros have one. */
const LOCATION_AND_ZEROS: Partial<Record<ResponseName, Maker>> = {
  zero_inflated_poisson: (y, w) => zeroInflatedPoissonKernel(y, w, true),
  zero_inflated_negative_binomial: (y, w) => zeroInflatedNegativeBinomialKernel(y, w, true),
};

/** Where the location and the scale have one. */
const LOCATION_AND_SCALE: Partial<Record<ResponseName, Maker>> = {
  gaussian: (y, w) => gaussianKernel(y, w, 0),
  lognormal(y, w) {
    const logs = y.map((value) => Math.log(value));
    return gaussianKernel(logs, w, -weightedSum(logs, w, (value) => value));
  },
};

function kernelOf({ family, y, weights, predictors }: RegressionSpec): RowKernel {
  const linear = predictors.map((predictor) => predictor.kind === 'linear');
  const slow = familyKernel(familyOf(family), y, weights, linear);
  return makerOf(family, linear)?.(y, weights ?? new Float64Array(y.length).fill(1), slow) ?? slow;
}

function makerOf(family: ResponseName, [location, ...others]: boolean[]): Maker | undefined {
  if (!location) return undefined;
  if (!others.some(Boolean)) return LOCATION[family];
  if (others.every(Boolean) && LOCATION_AND_SCALE[family]) return LOCATION_AND_SCALE[family];
  return others.indexOf(true) === others.length - 1 ? LOCATION_AND_ZEROS[family] : undefined;
}
