import { ascendingRows } from '../rows.ts';
import { firstAbove } from '../search.ts';
import { logPoissonMass } from '../special/gamma.ts';
import { log1mexp, log1pexp, sigmoid } from '../special/logistic.ts';
import type { RandomStream } from './stream.ts';

const SEARCH_BELOW = 10;
/** Integers are coarser than the normal's error above this. */
const NORMAL_FROM = 2 ** 50;
/** P(more) < 1e-300. */
const MAX_SEARCHED = 300;
/** Acceptance exceeds 0.7. */
const MAX_TRIES = 1000;

/** Infinity gives the largest double. */
export function drawPoisson(mean: number, random: RandomStream): number {
  if (!(mean >= 0)) throw new RangeError(`a Poisson mean is from 0, not ${mean}`);
  if (mean < SEARCH_BELOW) return search(mean, random.uniform());
  if (mean < NORMAL_FROM) return transformedRejection(mean, random);
  const capped = Math.min(mean, Number.MAX_VALUE);
  return Math.min(Number.MAX_VALUE, Math.round(capped + Math.sqrt(capped) * random.normal()));
}

/** Draws the first event, then later ones. */
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

/** PTRS (Hörmann 1993). */
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

/** Gamma draw of shape e^logShape without underflow: G(shape) = G(shape + 1) U^(1/shape) below 1. `logShape` ≤ 690. */
export function drawLogGamma(logShape: number, random: RandomStream): number {
  if (logShape >= 0) return Math.log(random.gamma(Math.exp(logShape)));
  return Math.log(random.gamma(1 + Math.exp(logShape))) + Math.log(random.uniform()) * Math.exp(-logShape);
}

/** Beta draw with parameters e^logA and e^logB. */
export function drawBeta(logA: number, logB: number, random: RandomStream): number {
  const a = drawLogGamma(logA, random);
  const b = drawLogGamma(logB, random);
  if (a > Number.NEGATIVE_INFINITY || b > Number.NEGATIVE_INFINITY) return sigmoid(a - b);
  // Both gammas underflow.
  return random.uniform() < sigmoid(logA - logB) ? 1 : 0;
}

// Variance mean + mean² / phi; logPhi ≤ 690.

const FEW_CLUSTERS = 2;
/** P(0) ≤ e^-2: fewer than one run in 1e800 needs more. */
const MAX_RUNS = 1000;

export function drawNegativeBinomial(logMean: number, logPhi: number, random: RandomStream): number {
  return drawPoisson(Math.exp(logMean - logPhi + drawLogGamma(logPhi, random)), random);
}

/**
 * With few clusters, draws their positive Poisson(phi log(1 + mean / phi)) number of logarithmic terms; else rejects
 * zeros.
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

/** LK (Kemp 1981), p = 1 - e^-soft. */
function drawLogarithmic(soft: number, random: RandomStream): number {
  const logQ = log1mexp(soft * random.uniform());
  return Math.min(Number.MAX_VALUE, 1 + Math.floor(Math.log(random.uniform()) / logQ));
}

export function drawStudentT(nu: number, random: RandomStream): number {
  const logHalf = Math.log(0.5 * nu);
  return random.normal() * Math.exp(0.5 * (logHalf - drawLogGamma(logHalf, random)));
}

// Fisher-Yates; uses one `integer` per place.

interface Items<T> {
  readonly length: number;
  [index: number]: T;
}

export function shuffle<T>(items: Items<T>, random: RandomStream): void {
  for (let i = items.length - 1; i > 0; i--) swap(items, i, random.integer(i + 1));
}

/** Moves a random sample to the first `size` places; prefixes are samples too. */
export function shuffleFirst<T>(items: Items<T>, size: number, random: RandomStream): void {
  const { length } = items;
  for (let i = 0; i < Math.min(size, length); i++) swap(items, i, i + random.integer(length - i));
}

export function shuffledRows(rows: number, random: RandomStream): Int32Array {
  const order = ascendingRows(rows);
  shuffle(order, random);
  return order;
}

/** Samples without replacement. */
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

/** Keeps the order, with one value per n-th of [0, 1]. Keeps NaN. */
export function stratifiedMargin(u: Float64Array, random: RandomStream): Float64Array {
  const order = orderOf(u);
  const stratified = u.slice();
  order.forEach((row, rank) => {
    stratified[row] = (rank + random.uniform()) / order.length;
  });
  return stratified;
}

/** Resolution of u; with 2 ** 21 rows fills 53 bits. */
const PARTS = 2 ** 31;
const MAX_ORDERED = 2 ** 21;

/** Packed keys avoid comparison callbacks. */
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

/** Weights are nonnegative integers. */
export function weighted(weights: readonly number[]): (random: RandomStream) => number {
  let sum = 0;
  const upTo = Float64Array.from(weights, (weight) => {
    sum += weight;
    return sum;
  });
  return (random) => firstAbove(upTo, random.integer(sum));
}
