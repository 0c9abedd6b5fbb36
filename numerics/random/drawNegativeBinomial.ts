/** Negative binomial variables of mean e^logMean and variance mean + mean² / phi, phi = e^logPhi (logPhi at most 690). */
import { log1mexp, log1pexp } from '../special/logistic.ts';
import { drawLogGamma } from './drawLogGamma.ts';
import { drawNonzeroPoisson, drawPoisson } from './drawPoisson.ts';
import type { RandomStream } from './stream.ts';

/** Up to here clusters are few; above, a draw is rarely 0. */
const FEW_CLUSTERS = 2;
/** P(0) ≤ e^-2: fewer than one run in 1e800 needs more. */
const MOST_TRIES = 1000;

/** A Poisson variable whose mean is a gamma variable. */
export function drawNegativeBinomial(logMean: number, logPhi: number, random: RandomStream): number {
  return drawPoisson(Math.exp(logMean - logPhi + drawLogGamma(logPhi, random)), random);
}

/**
 * One that is not 0. A negative binomial is a sum of logarithmic variables, Poisson(phi log(1 + mean / phi)) in number:
 * where these are few, their number is drawn above 0; else zeros are drawn again.
 */
export function drawNonzeroNegativeBinomial(logMean: number, logPhi: number, random: RandomStream): number {
  const soft = log1pexp(logMean - logPhi);
  const clusters = soft * Math.exp(logPhi);
  if (clusters <= FEW_CLUSTERS) {
    let sum = 0;
    for (let left = drawNonzeroPoisson(clusters, random); left > 0; left--) sum += drawLogarithmic(soft, random);
    return Math.min(Number.MAX_VALUE, sum);
  }
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const y = drawNegativeBinomial(logMean, logPhi, random);
    if (y > 0) return y;
  }
  return 1;
}

/** LK of Kemp (1981), "Efficient generation of logarithmically distributed pseudo-random variables"; p = 1 - e^-soft. */
function drawLogarithmic(soft: number, random: RandomStream): number {
  const logQ = log1mexp(soft * random.uniform());
  return Math.min(Number.MAX_VALUE, 1 + Math.floor(Math.log(random.uniform()) / logQ));
}
