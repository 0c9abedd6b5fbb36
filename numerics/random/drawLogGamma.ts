import type { RandomStream } from './stream.ts';

/**
 * The logarithm of a gamma variable of shape e^logShape and scale 1, also where the variable would be 0 in doubles:
 * for shapes below 1 by G(shape) = G(shape + 1) U^(1/shape). `logShape` is at most 690.
 */
export function drawLogGamma(logShape: number, random: RandomStream): number {
  if (logShape >= 0) return Math.log(random.gamma(Math.exp(logShape)));
  return Math.log(random.gamma(1 + Math.exp(logShape))) + Math.log(random.uniform()) * Math.exp(-logShape);
}
