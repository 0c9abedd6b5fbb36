/**
 * Negative binomial rows with one φ: y (η - s) - φ s, s = log(1 + μ/φ); what log Γ and ψ of y + φ add is summed over the
 * distinct values of y.
 */
import { boundedLogShape } from '../../distributions/parts.ts';
import { lgamma } from '../../special/gamma.ts';
import { gammaRise } from '../../special/gammaRatio.ts';
import type { RowKernel } from '../rowKernel.ts';
import { fastExp, logOnePlus } from './fastMath.ts';
import { weightedSum } from './poisson.ts';

export function negativeBinomialKernel(y: Float64Array, w: Float64Array): RowKernel {
  const [values, counts] = distinct(y, w);
  const constant = -weightedSum(values, counts, (value) => lgamma(value + 1));
  const rise = new Float64Array(2);
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
        const soft = Math.max(a, 0) + logOnePlus(e);
        const outcome = y[from + i]!;
        const weight = w[from + i]!;
        value += weight * (outcome * (log - soft) - phi * soft);
        byLogPhi -= weight * (outcome * rest + phi * (soft - share));
        d![i] = weight * (outcome * rest - phi * share);
      }
      constantGradient[1]! += byLogPhi;
      return value;
    },
    finish(constantGradient) {
      let value = constant;
      for (let k = 0; k < values.length; k++) {
        gammaRise(phi, logPhi, values[k]!, rise);
        value += counts[k]! * rise[0]!;
        constantGradient[1]! += counts[k]! * rise[1]!;
      }
      return value;
    },
  };
}

/** Values in the order in which they come, and their weights summed. */
function distinct(y: Float64Array, w: Float64Array): [Float64Array, Float64Array] {
  const counts = new Map<number, number>();
  for (let i = 0; i < y.length; i++) counts.set(y[i]!, (counts.get(y[i]!) ?? 0) + w[i]!);
  return [Float64Array.from(counts.keys()), Float64Array.from(counts.values())];
}
