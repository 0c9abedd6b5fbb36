/** Negative binomial rows of one φ with extra zeros: a zero is extra or the count's own, log(e^ζ + e^-u) - log(1 + e^ζ). */
import { boundedLogShape } from '../../distributions/parts.ts';
import type { RowKernel } from '../rowKernel.ts';
import { extraZeros, setConstant, setRow, setZero } from './extraZeros.ts';
import { fastExp, logOnePlus } from './fastMath.ts';
import { LARGE_COUNT, riseOfCounts } from './riseOfCounts.ts';

/** `isByRow`: whether the extra zeros follow a linear predictor. */
export function zeroInflatedNegativeBinomialKernel(y: Float64Array, w: Float64Array, isByRow: boolean): RowKernel {
  const rise = riseOfCounts(y, w);
  const extra = extraZeros();
  let logPhi = 0;
  let phi = 1;
  return {
    prepare(constants) {
      logPhi = boundedLogShape(constants[1]!);
      phi = Math.exp(logPhi);
      setConstant(extra, constants[2]!);
    },
    block(from, count, [eta, , zeta], [d, , byZeta], constantGradient) {
      let value = 0;
      let byLogPhi = 0;
      let slope = 0;
      for (let i = 0; i < count; i++) {
        if (isByRow) setRow(extra, zeta![i]!);
        const log = eta![i]!;
        const a = log - logPhi;
        const e = fastExp(a > 0 ? -a : a);
        const r = 1 / (1 + e);
        const share = a > 0 ? r : e * r; // μ / (μ + φ)
        const bend = logOnePlus(e);
        const soft = Math.max(a, 0) + bend;
        const outcome = y[from + i]!;
        const power = outcome * (outcome < LARGE_COUNT ? log - soft : Math.min(a, 0) - bend);
        let weight = w[from + i]!;
        let byExtra = -weight * extra.share;
        if (outcome > 0) {
          value += weight * (power - phi * soft - extra.soft);
        } else {
          setZero(extra, -phi * soft);
          value += weight * extra.logZero;
          byExtra += weight * (1 - extra.own);
          weight *= extra.own;
        }
        const rest = outcome * (a > 0 ? e * r : r);
        byLogPhi -= weight * (rest + phi * (soft - share));
        d![i] = weight * (rest - phi * share);
        if (isByRow) byZeta![i] = byExtra;
        else slope += byExtra;
      }
      constantGradient[1]! += byLogPhi;
      constantGradient[2]! += slope;
      return value;
    },
    finish: (constantGradient) => rise(phi, logPhi, constantGradient),
  };
}
