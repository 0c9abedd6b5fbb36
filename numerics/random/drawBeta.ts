import { sigmoid } from '../special/logistic.ts';
import { drawLogGamma } from './drawLogGamma.ts';
import type { RandomStream } from './stream.ts';

/** A beta variable with parameters e^logA and e^logB, as a ratio of gammas; 0 or 1 where it is as near as that. */
export function drawBeta(logA: number, logB: number, random: RandomStream): number {
  const a = drawLogGamma(logA, random);
  const b = drawLogGamma(logB, random);
  if (a > Number.NEGATIVE_INFINITY || b > Number.NEGATIVE_INFINITY) return sigmoid(a - b);
  // Both gammas are beyond the doubles: all mass is at the ends.
  return random.uniform() < sigmoid(logA - logB) ? 1 : 0;
}
