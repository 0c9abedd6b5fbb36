import { drawLogGamma } from './drawLogGamma.ts';
import type { RandomStream } from './stream.ts';

/** Student's t with `nu` > 0 degrees of freedom: a normal over the root of a chi-square per degree. */
export function drawStudentT(nu: number, random: RandomStream): number {
  const logHalf = Math.log(0.5 * nu);
  return random.normal() * Math.exp(0.5 * (logHalf - drawLogGamma(logHalf, random)));
}
