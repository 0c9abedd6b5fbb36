/** Poisson rows with extra zeros: a zero is extra or the Poisson's own, log(e^ζ + e^-μ) - log(1 + e^ζ). */
import { lgamma } from '../../special/gamma.ts';
import type { RowKernel } from '../rowKernel.ts';
import { extraZeros, setConstant, setRow, setZero } from './extraZeros.ts';
import { fastExp } from './fastMath.ts';
import { weightedSum } from './poisson.ts';

/** `isByRow`: whether the extra zeros follow a linear predictor. */
export function zeroInflatedPoissonKernel(y: Float64Array, w: Float64Array, isByRow: boolean): RowKernel {
  const constant = -weightedSum(y, w, (value) => lgamma(value + 1));
  const extra = extraZeros();
  return {
    prepare(constants) {
      setConstant(extra, constants[1]!);
    },
    block(from, count, [eta, zeta], [d, byZeta], constantGradient) {
      let value = 0;
      let slope = 0;
      for (let i = 0; i < count; i++) {
        if (isByRow) setRow(extra, zeta![i]!);
        const log = eta![i]!;
        const mu = fastExp(log);
        const outcome = y[from + i]!;
        const weight = w[from + i]!;
        let byExtra = -weight * extra.share;
        if (outcome > 0) {
          value += weight * (outcome * log - mu - extra.soft);
          d![i] = weight * (outcome - mu);
        } else {
          setZero(extra, -mu);
          value += weight * extra.logZero;
          byExtra += weight * (1 - extra.own);
          d![i] = extra.own === 0 ? 0 : -weight * mu * extra.own;
        }
        if (isByRow) byZeta![i] = byExtra;
        else slope += byExtra;
      }
      constantGradient[1]! += slope;
      return value;
    },
    finish: () => constant,
  };
}
