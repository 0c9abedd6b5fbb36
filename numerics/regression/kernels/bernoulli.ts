/** Bernoulli rows on the logit: y η - log(1 + e^η). */
import type { RowKernel } from '../rowKernel.ts';
import { fastExp, logOnePlus } from './fastMath.ts';

export const bernoulliKernel = (y: Float64Array, w: Float64Array): RowKernel => ({
  prepare() {},
  block(from, count, [eta], [d]) {
    let value = 0;
    for (let i = 0; i < count; i++) {
      const logit = eta![i]!;
      const e = fastExp(-Math.abs(logit));
      const share = (logit < 0 ? e : 1) / (1 + e);
      const outcome = y[from + i]!;
      const weight = w[from + i]!;
      value += weight * (outcome * logit - Math.max(logit, 0) - logOnePlus(e));
      d![i] = weight * (outcome - share);
    }
    return value;
  },
  finish: () => 0,
});
