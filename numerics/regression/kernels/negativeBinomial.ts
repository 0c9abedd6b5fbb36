/**
 * Negative binomial rows with one φ: y (η - s) - φ s, s = log(1 + μ/φ); what log Γ and ψ of y + φ add is summed over the
 * distinct values of y.
 */
import { boundedLogShape } from '../../distributions/parts.ts';
import type { RowKernel } from '../rowKernel.ts';
import { fastExp, logOnePlus } from './fastMath.ts';
import { LARGE_COUNT, riseOfCounts } from './riseOfCounts.ts';

export function negativeBinomialKernel(y: Float64Array, w: Float64Array): RowKernel {
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
        const outcome = y[from + i]!;
        const power = outcome * (outcome < LARGE_COUNT ? log - soft : Math.min(a, 0) - bend);
        const weight = w[from + i]!;
        value += weight * (power - phi * soft);
        byLogPhi -= weight * (outcome * rest + phi * (soft - share));
        d![i] = weight * (outcome * rest - phi * share);
      }
      constantGradient[1]! += byLogPhi;
      return value;
    },
    finish: (constantGradient) => rise(phi, logPhi, constantGradient),
  };
}
