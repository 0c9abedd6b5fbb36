/** Gaussian likelihood from sufficient statistics: p² operations per group for any n. */
import type { GaussianStatistics } from './gaussianStatistics.ts';
import type { Likelihood } from './posterior.ts';

const LOG_2PI = Math.log(2 * Math.PI);

export function gaussianLikelihood({ centre, groups, constant }: GaussianStatistics): Likelihood {
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

/** out = A x for a symmetric A (p × p). */
export function multiplySymmetric(a: Float64Array, p: number, x: Float64Array, out: Float64Array): void {
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
