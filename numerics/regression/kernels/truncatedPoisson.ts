/** Poisson rows that are not 0, on the log: y η - μ - log(1 - e^-μ), and -Σ w log y! once. */
import { lgamma } from '../../special/gamma.ts';
import type { RowKernel } from '../rowKernel.ts';
import { fastExp, nonzeroShare, VANISHING } from './fastMath.ts';
import { weightedSum } from './poisson.ts';

export function truncatedPoissonKernel(y: Float64Array, w: Float64Array): RowKernel {
  const constant = -weightedSum(y, w, (value) => lgamma(value + 1));
  return {
    prepare() {},
    block(from, count, [eta], [d]) {
      let value = 0;
      for (let i = 0; i < count; i++) {
        const log = eta![i]!;
        const mu = fastExp(log);
        const outcome = y[from + i]!;
        const weight = w[from + i]!;
        if (mu < VANISHING) {
          value += weight * (outcome - 1) * log;
          d![i] = weight * (outcome - 1);
          continue;
        }
        const share = nonzeroShare(mu);
        value += weight * (outcome * log - mu - Math.log(share));
        d![i] = weight * (outcome - mu / share);
      }
      return value;
    },
    finish: () => constant,
  };
}
