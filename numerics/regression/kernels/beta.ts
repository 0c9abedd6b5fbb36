/**
 * Beta rows with one φ: a = μφ, b = (1 - μ)φ, log Γ(φ) - log Γ(a) - log Γ(b) + (a - 1) log y + (b - 1) log(1 - y).
 */
import { digamma, lgamma, lgammaDigamma } from '../../special/gamma.ts';
import type { RowKernel } from '../rowKernel.ts';
import { fastExp } from './fastMath.ts';
import { weightedSum } from './poisson.ts';

/** `fallback`: where φ is so large that the gamma functions here would cancel. */
export function betaKernel(y: Float64Array, w: Float64Array, fallback: RowKernel): RowKernel {
  const logY = y.map((value) => Math.log(value));
  const logRest = y.map((value) => Math.log1p(-value));
  const total = weightedSum(y, w, () => 1);
  const constant = -weightedSum(logY, w, (value) => value) - weightedSum(logRest, w, (value) => value);
  const first = new Float64Array(2);
  const second = new Float64Array(2);
  let phi = 1;
  let isFar = false;
  return {
    prepare(constants) {
      phi = Math.exp(constants[1]!);
      isFar = !(phi < FAR && phi > 1 / FAR);
      if (isFar) fallback.prepare(constants);
    },
    block(from, count, eta, d, constantGradient) {
      if (isFar) return fallback.block(from, count, eta, d, constantGradient);
      let value = 0;
      let byLogPhi = 0;
      for (let i = 0; i < count; i++) {
        const logit = eta[0]![i]!;
        const e = fastExp(logit > 0 ? -logit : logit);
        const r = 1 / (1 + e);
        const mu = logit > 0 ? r : e * r;
        const rest = logit > 0 ? e * r : r;
        const a = mu * phi;
        const b = rest * phi;
        lgammaDigamma(a, first);
        lgammaDigamma(b, second);
        const weight = w[from + i]!;
        const byA = logY[from + i]! - first[1]!;
        const byB = logRest[from + i]! - second[1]!;
        value += weight * (a * logY[from + i]! + b * logRest[from + i]! - first[0]! - second[0]!);
        byLogPhi += weight * (a * byA + b * byB);
        d[0]![i] = weight * a * rest * (byA - byB);
      }
      constantGradient[1]! += byLogPhi;
      return value;
    },
    finish(constantGradient) {
      if (isFar) return fallback.finish(constantGradient);
      constantGradient[1]! += total * phi * digamma(phi);
      return total * lgamma(phi) + constant;
    },
  };
}

const FAR = 1e6;
