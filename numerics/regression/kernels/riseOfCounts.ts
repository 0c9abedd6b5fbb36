/** What negative binomial rows have of y and φ alone, log Γ(y + φ) - log Γ(φ) - log y!, over the distinct values of y. */
import { lgamma } from '../../special/gamma.ts';
import { gammaRise } from '../../special/gammaRatio.ts';

/**
 * From this count on the terms of a row are of the size of y log y and their sum is not: up to here y log φ stands in the
 * sum over values, so that the rows have y (η - s), which a large φ leaves its digits; from here on rows have y (η - s - log φ).
 */
export const LARGE_COUNT = 64;

/** The sum at φ; adds its derivative by log φ to entry 1 of `constantGradient`. */
export type RiseOfCounts = (phi: number, logPhi: number, constantGradient: Float64Array) => number;

export function riseOfCounts(y: Float64Array, w: Float64Array): RiseOfCounts {
  const [values, counts] = distinct(y, w);
  const logFactorials = values.map((value) => lgamma(value + 1));
  const rise = new Float64Array(2);
  return (phi, logPhi, constantGradient) => {
    const lgammaPhi = phi < values[values.length - 1]! ? lgamma(phi) : 0;
    let value = 0;
    for (let k = 0; k < values.length; k++) {
      const count = values[k]!;
      gammaRise(phi, logPhi, count, rise);
      constantGradient[1]! += counts[k]! * rise[1]!;
      if (count < LARGE_COUNT) value += counts[k]! * (rise[0]! - logFactorials[k]!);
      else if (phi >= count) value += counts[k]! * (rise[0]! + count * logPhi - logFactorials[k]!);
      else {
        const logCount = Math.log(count);
        gammaRise(count, logCount, phi, rise);
        value += counts[k]! * (rise[0]! + (phi - 1) * logCount - lgammaPhi);
      }
    }
    return value;
  };
}

/** Values, ascending, and their weights summed. */
function distinct(y: Float64Array, w: Float64Array): [Float64Array, Float64Array] {
  const counts = new Map<number, number>();
  for (let i = 0; i < y.length; i++) counts.set(y[i]!, (counts.get(y[i]!) ?? 0) + w[i]!);
  const values = Float64Array.from(counts.keys()).sort();
  return [values, values.map((value) => counts.get(value)!)];
}
