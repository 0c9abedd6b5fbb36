/** Poisson rows on the log: y η - e^η, and -Σ w log y! once. */
import { lgamma } from '../../special/gamma.ts';
import type { RowKernel } from '../rowKernel.ts';
import { fastExp } from './fastMath.ts';

export function poissonKernel(y: Float64Array, w: Float64Array): RowKernel {
  const constant = -weightedSum(y, w, (value) => lgamma(value + 1));
  return {
    prepare() {},
    block(from, count, [eta], [d]) {
      let value = 0;
      for (let i = 0; i < count; i++) {
        const log = eta![i]!;
        const mu = fastExp(log);
        const weight = w[from + i]!;
        value += weight * (y[from + i]! * log - mu);
        d![i] = weight * (y[from + i]! - mu);
      }
      return value;
    },
    finish: () => constant,
  };
}

/** Σ w f(y). */
export function weightedSum(y: Float64Array, w: Float64Array, f: (y: number) => number): number {
  let sum = 0;
  for (let i = 0; i < y.length; i++) if (w[i]! !== 0) sum += w[i]! * f(y[i]!);
  return sum;
}
