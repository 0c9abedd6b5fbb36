/** Poisson variables, without approximation below means of 2^50. */
import { logPoissonMass } from '../special/deviance.ts';
import type { RandomStream } from './stream.ts';

/** Rejection takes over from the search of the cdf. */
const SEARCH_BELOW = 10;
/** Above, whole numbers are coarser than the difference to a normal. */
const NORMAL_FROM = 2 ** 50;
/** P(more) is below 1e-300 for every mean that is searched. */
const MOST_SEARCHED = 300;
/** Each try is accepted with a probability above 0.7. */
const MOST_TRIES = 1000;

/** A whole number from 0 with the given mean (≥ 0; Infinity gives the largest double). */
export function drawPoisson(mean: number, random: RandomStream): number {
  if (!(mean >= 0)) throw new RangeError(`a Poisson mean is from 0, not ${mean}`);
  if (mean < SEARCH_BELOW) return search(mean, random.uniform());
  if (mean < NORMAL_FROM) return transformedRejection(mean, random);
  const capped = Math.min(mean, Number.MAX_VALUE);
  return Math.min(Number.MAX_VALUE, Math.round(capped + Math.sqrt(capped) * random.normal()));
}

/** One that is not 0: the first event falls before the end, and the others after it. */
export function drawNonzeroPoisson(mean: number, random: RandomStream): number {
  const first = -Math.log1p(random.uniform() * Math.expm1(-mean));
  return 1 + drawPoisson(Math.max(0, mean - first), random);
}

function search(mean: number, uniform: number): number {
  let mass = Math.exp(-mean);
  let left = uniform - mass;
  let k = 0;
  while (left > 0 && k < MOST_SEARCHED) {
    k++;
    mass *= mean / k;
    left -= mass;
  }
  return k;
}

/** PTRS of Hörmann (1993), "The transformed rejection method for generating Poisson random variables". */
function transformedRejection(mean: number, random: RandomStream): number {
  const logMean = Math.log(mean);
  const b = 0.931 + 2.53 * Math.sqrt(mean);
  const a = -0.059 + 0.02483 * b;
  const logInverseAlpha = Math.log(1.1239 + 1.1328 / (b - 3.4));
  const squeeze = 0.9277 - 3.6224 / (b - 2);
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const u = random.uniform() - 0.5;
    const v = random.uniform();
    const us = 0.5 - Math.abs(u);
    const k = Math.floor(((2 * a) / us + b) * u + mean + 0.43);
    if (us >= 0.07 && v <= squeeze) return k;
    if (k < 0 || (us < 0.013 && v > us)) continue;
    if (Math.log(v) + logInverseAlpha - Math.log(a / (us * us) + b) <= logPoissonMass(k, logMean)) return k;
  }
  return Math.floor(mean);
}
