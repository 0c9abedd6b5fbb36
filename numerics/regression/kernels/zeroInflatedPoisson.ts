/** Poisson rows with extra zeros of one probability: a zero is extra or the Poisson's own, log(e^ζ + e^-μ) - log(1 + e^ζ). */
import { lgamma } from '../../special/gamma.ts';
import { log1pexp, sigmoid } from '../../special/logistic.ts';
import type { RowKernel } from '../rowKernel.ts';
import { fastExp, logOnePlus } from './fastMath.ts';
import { weightedSum } from './poisson.ts';

export function zeroInflatedPoissonKernel(y: Float64Array, w: Float64Array): RowKernel {
  const constant = -weightedSum(y, w, (value) => lgamma(value + 1));
  const total = weightedSum(y, w, () => 1);
  let zeta = 0;
  return {
    prepare(constants) {
      zeta = constants[1]!;
    },
    block(from, count, [eta], [d], constantGradient) {
      let value = 0;
      let extra = 0;
      for (let i = 0; i < count; i++) {
        const log = eta![i]!;
        const mu = fastExp(log);
        const outcome = y[from + i]!;
        const weight = w[from + i]!;
        if (outcome > 0) {
          value += weight * (outcome * log - mu);
          d![i] = weight * (outcome - mu);
          continue;
        }
        const own = -mu - zeta; // log odds of the zero being the Poisson's own
        const e = fastExp(own > 0 ? -own : own);
        const r = 1 / (1 + e);
        value += weight * (zeta + Math.max(own, 0) + logOnePlus(e));
        extra += weight * (own > 0 ? e * r : r);
        d![i] = own < -700 ? 0 : -weight * mu * (own > 0 ? r : e * r);
      }
      constantGradient[1]! += extra;
      return value;
    },
    finish(constantGradient) {
      constantGradient[1]! -= total * sigmoid(zeta);
      return constant - total * log1pexp(zeta);
    },
  };
}
