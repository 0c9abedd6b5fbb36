/**
 * Negative binomial rows that are not 0, with one φ: y (η - s) - u - log(1 - e^-u), s = log(1 + μ/φ), u = φ s; what log Γ
 * and ψ of y + φ add is summed over the distinct values of y.
 */
import { boundedLogShape } from '../../distributions/parts.ts';
import type { RowKernel } from '../rowKernel.ts';
import { fastExp, logOnePlus, nonzeroShare, VANISHING } from './fastMath.ts';
import { LARGE_COUNT, riseOfCounts } from './riseOfCounts.ts';

/** From here on log(1 + e^a) is e^a to the last digit, and may be no number below. */
const SLIGHT = -37;

export function truncatedNegativeBinomialKernel(y: Float64Array, w: Float64Array): RowKernel {
  const rise = riseOfCounts(y, w);
  let logPhi = 0;
  let phi = 1;
  return {
    prepare(constants) {
      logPhi = boundedLogShape(constants[1]!);
      phi = Math.exp(logPhi);
    },
    block(from, count, [eta], [d], constantGradient) {
      let value = 0;
      let byLogPhi = 0;
      for (let i = 0; i < count; i++) {
        const log = eta![i]!;
        const a = log - logPhi;
        const e = fastExp(a > 0 ? -a : a);
        const r = 1 / (1 + e);
        const share = a > 0 ? r : e * r; // μ / (μ + φ)
        const rest = a > 0 ? e * r : r;
        const bend = logOnePlus(e);
        const soft = Math.max(a, 0) + bend;
        const u = phi * soft;
        const outcome = y[from + i]!;
        const power = outcome * (outcome < LARGE_COUNT ? log - soft : Math.min(a, 0) - bend);
        const weight = w[from + i]!;
        if (u < VANISHING) {
          // log(1 - e^-u) is log u, whose slope by η is share / soft.
          const slope = a < SLIGHT ? 1 : share / soft;
          const logU = logPhi + (a < SLIGHT ? a : Math.log(soft));
          value += weight * (power - logU);
          byLogPhi -= weight * (outcome * rest + 1 - slope);
          d![i] = weight * (outcome * rest - slope);
          continue;
        }
        const nonzero = nonzeroShare(u);
        value += weight * (power - u - Math.log(nonzero));
        byLogPhi -= weight * (outcome * rest + (phi * (soft - share)) / nonzero);
        d![i] = weight * (outcome * rest - (phi * share) / nonzero);
      }
      constantGradient[1]! += byLogPhi;
      return value;
    },
    finish: (constantGradient) => rise(phi, logPhi, constantGradient),
  };
}
