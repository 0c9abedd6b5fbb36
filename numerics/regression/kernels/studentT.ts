/** Student t rows with one σ and one ν: -(ν + 1)/2 log(1 + z²/ν). */
import { boundedLogShape } from '../../distributions/parts.ts';
import { gammaRise, HALF_LOG_2PI } from '../../special/gammaRatio.ts';
import type { RowKernel } from '../rowKernel.ts';
import { sumOfLogs } from './fastMath.ts';
import { weightedSum } from './poisson.ts';

export function studentTKernel(y: Float64Array, w: Float64Array): RowKernel {
  const total = weightedSum(y, w, () => 1);
  const isPlain = w.every((weight) => weight === 1);
  const factors = new Float64Array(256);
  const rise = new Float64Array(2);
  let logSigma = 0;
  let etaNu = 0;
  let nu = 2;
  /** ν σ² inverted. */
  let rate = 1;
  return {
    prepare(constants) {
      logSigma = constants[1]!;
      etaNu = constants[2]!;
      nu = 1 + Math.exp(boundedLogShape(etaNu));
      rate = Math.exp(-2 * logSigma) / nu;
    },
    block(from, count, [eta], [d], constantGradient) {
      let logs = 0;
      let shares = 0;
      for (let i = 0; i < count; i++) {
        const distance = y[from + i]! - eta![i]!;
        const pull = distance * rate;
        const ratio = distance * pull;
        const weight = w[from + i]!;
        const factor = 1 + ratio;
        factors[i] = factor;
        if (!isPlain) logs += weight * Math.log1p(ratio);
        shares += weight * (1 - 1 / factor);
        d![i] = (weight * (nu + 1) * pull) / factor;
      }
      if (isPlain) logs = sumOfLogs(factors, count);
      constantGradient[1]! += (nu + 1) * shares;
      constantGradient[2]! += 0.5 * ((nu + 1) * shares - nu * logs);
      return -0.5 * (nu + 1) * logs;
    },
    finish(constantGradient) {
      const half = 0.5 * nu;
      gammaRise(half, Math.log(half), 0.5, rise);
      constantGradient[1]! -= total;
      // By log ν so far; d log ν / d η = (ν - 1) / ν.
      constantGradient[2] = ((constantGradient[2]! + total * (rise[1]! - 0.5)) * (nu - 1)) / nu;
      return total * (rise[0]! - HALF_LOG_2PI - logSigma);
    },
  };
}
