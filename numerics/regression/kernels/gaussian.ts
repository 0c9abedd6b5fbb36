/** Gaussian rows whose log σ has a linear predictor of its own: -log σ - ((y - μ)/σ)²/2. */
import type { RowKernel } from '../rowKernel.ts';
import { fastExp } from './fastMath.ts';
import { weightedSum } from './poisson.ts';

/** `constant` is added to the log density: the Jacobian of a lognormal, whose `y` is the logarithm. */
export function gaussianKernel(y: Float64Array, w: Float64Array, constant: number): RowKernel {
  const normaliser = constant - 0.5 * Math.log(2 * Math.PI) * weightedSum(y, w, () => 1);
  return {
    prepare() {},
    block(from, count, [mu, logSigma], [byMu, bySigma]) {
      let value = 0;
      for (let i = 0; i < count; i++) {
        const inverse = fastExp(-logSigma![i]!);
        const z = (y[from + i]! - mu![i]!) * inverse;
        const weight = w[from + i]!;
        value -= weight * (logSigma![i]! + 0.5 * z * z);
        byMu![i] = weight * z * inverse;
        bySigma![i] = weight * (z * z - 1);
      }
      return value;
    },
    finish: () => normaliser,
  };
}
