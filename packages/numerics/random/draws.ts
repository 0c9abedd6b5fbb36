/** Draws of gamma (as logarithms), beta, Poisson, negative binomial and Student variables. */
import { ascendingRows } from '../rows.ts';
import { firstAbove } from '../search.ts';
import { logPoissonMass } from '../special/gamma.ts';
import { log1mexp, log1pexp, sigmoid } from '../special/logistic.ts';
import type { RandomStream } from './stream.ts';

/** Rejection takes over from the search of the cdf. */
const SEARCH_BELOW = 10;
/** Above, whole numbers are coarser than the difference to a normal. */
const NORMAL_FROM = 2 ** 50;
/** P(more) is below 1e-300 for every mean that is searched. */
const MAX_SEARCHED = 300;
/** Each try is accepted with a probability above 0.7. */
const MAX_TRIES = 1000;

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
  while (left > 0 && k < MAX_SEARCHED) {
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
  for (let tries = 0; tries < MAX_TRIES; tries++) {
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

/**
 * The logarithm of a gamma variable of shape e^logShape and scale 1, also where the variable would be 0 in doubles:
 * for shapes below 1 by G(shape) = G(shape + 1) U^(1/shape). `logShape` is at most 690.
 */
export function drawLogGamma(logShape: number, random: RandomStream): number {
  if (logShape >= 0) return Math.log(random.gamma(Math.exp(logShape)));
  return Math.log(random.gamma(1 + Math.exp(logShape))) + Math.log(random.uniform()) * Math.exp(-logShape);
}

/** A beta variable with parameters e^logA and e^logB, as a ratio of gammas; 0 or 1 where it is as near as that. */
export function drawBeta(logA: number, logB: number, random: RandomStream): number {
  const a = drawLogGamma(logA, random);
  const b = drawLogGamma(logB, random);
  if (a > Number.NEGATIVE_INFINITY || b > Number.NEGATIVE_INFINITY) return sigmoid(a - b);
  // Both gammas are beyond the doubles: all mass is at the ends.
  return random.uniform() < sigmoid(logA - logB) ? 1 : 0;
}

// Negative binomial variables of mean e^logMean and variance mean + mean² / phi, phi = e^logPhi (logPhi at most 690).

/** Up to here clusters are few; above, a draw is rarely 0. */
const FEW_CLUSTERS = 2;
/** P(0) ≤ e^-2: fewer than one run in 1e800 needs more. */
const MAX_RUNS = 1000;

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
  for (let tries = 0; tries < MAX_RUNS; tries++) {
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

/** Student's t with `nu` > 0 degrees of freedom: a normal over the root of a chi-square per degree. */
export function drawStudentT(nu: number, random: RandomStream): number {
  const logHalf = Math.log(0.5 * nu);
  return random.normal() * Math.exp(0.5 * (logHalf - drawLogGamma(logHalf, random)));
}

// Random orders (Fisher and Yates). Each routine takes one `integer` for each place that it fills.

interface Items<T> {
  readonly length: number;
  [index: number]: T;
}

/** Puts the items into random order, in place, the last place first: every order is equally likely. */
export function shuffle<T>(items: Items<T>, random: RandomStream): void {
  for (let i = items.length - 1; i > 0; i--) swap(items, i, random.integer(i + 1));
}

/**
 * Puts a random choice of the items, in random order, into the first `size` places (all of them where there are no
 * more); the others follow. In place, the first place first, so that the first rows of a choice are a choice too.
 */
export function shuffleFirst<T>(items: Items<T>, size: number, random: RandomStream): void {
  const { length } = items;
  for (let i = 0; i < Math.min(size, length); i++) swap(items, i, i + random.integer(length - i));
}

/** The rows 0 … rows-1 in random order. */
export function shuffledRows(rows: number, random: RandomStream): Int32Array {
  const order = ascendingRows(rows);
  shuffle(order, random);
  return order;
}

/** At most `size` of the rows 0 … rows-1, without replacement, in random order. */
export function drawRows(rows: number, size: number, random: RandomStream): Int32Array {
  const order = ascendingRows(rows);
  shuffleFirst(order, size, random);
  return order.slice(0, size);
}

function swap<T>(items: Items<T>, i: number, j: number): void {
  const own = items[i]!;
  items[i] = items[j]!;
  items[j] = own;
}

// Draws that keep an order.

/** u in the same order, one in each n-th part of [0, 1]: the margin comes out as it is. NaN stays. */
export function stratifiedMargin(u: Float64Array, random: RandomStream): Float64Array {
  const order = orderOf(u);
  const stratified = u.slice();
  order.forEach((row, rank) => {
    stratified[row] = (rank + random.uniform()) / order.length;
  });
  return stratified;
}

/** Parts of [0, 1] that are kept distinct; below, rows are in their own order. With 2 ** 21 rows they fill a number's 53 bits. */
const PARTS = 2 ** 31;
const MAX_ORDERED = 2 ** 21;

/** Rows whose u is not NaN, ascending in u: numbers that hold both sort without a call for each comparison. */
function orderOf(u: Float64Array): Int32Array {
  const keys = new Float64Array(u.length);
  let there = 0;
  for (let row = 0; row < u.length; row++) {
    const own = u[row]!;
    if (!Number.isNaN(own)) keys[there++] = Math.floor(own * PARTS) * MAX_ORDERED + row;
  }
  const sorted = keys.subarray(0, there).sort();
  const order = new Int32Array(there);
  for (let rank = 0; rank < there; rank++) order[rank] = sorted[rank]! % MAX_ORDERED;
  return order;
}

/** Draws an index with the given weights: whole numbers, some of them above 0. */
export function weighted(weights: readonly number[]): (random: RandomStream) => number {
  let sum = 0;
  const upTo = Float64Array.from(weights, (weight) => {
    sum += weight;
    return sum;
  });
  return (random) => firstAbove(upTo, random.integer(sum));
}
