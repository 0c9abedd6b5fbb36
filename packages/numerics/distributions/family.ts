/** The contract of all response families: a distribution of y whose parameters each have a linear predictor. */
import type { RandomStream } from '../random/stream.ts';
import { MAX_LOG_SHAPE } from '../special/gamma.ts';

/** From parameter to linear predictor; `log_above_one` is η = log(parameter - 1), for degrees of freedom above 1. */
export type Link = 'identity' | 'log' | 'logit' | 'log_above_one';

export interface FamilyParameter {
  /** `mu`, `sigma`, `nu`, `phi`, `shape`, `zero` (share of zeros), `one` (share of ones among what is not zero). */
  name: string;
  link: Link;
}

/** Parameters that say of a row whether it is an atom: a share of zeros, or of ones. */
export const isAtom = ({ name }: FamilyParameter): boolean => name === 'zero' || name === 'one';

/** A distribution of a response y, given its K parameters on the scale of their links: `eta`. */
export interface ResponseFamily {
  readonly name: string;
  /** Location first. */
  readonly parameters: readonly FamilyParameter[];
  /** Where the distribution has mass at single points: nowhere, everywhere, or at the ends only. */
  readonly measure: 'continuous' | 'counts' | 'mixed';
  /** What y can be, in words that a message can end with, and as a test. */
  readonly support: { words: string; holds(y: number): boolean };
  /**
   * Log density of `y` in its support, normalised, on its own measure (mass at atoms, density elsewhere; a lognormal has
   * its Jacobian). `eta` has one linear predictor a parameter, in their order.
   */
  logDensity(y: number, eta: Float64Array): number;
  /** The same, and writes its derivatives by `eta` into `gradient`. Finite wherever the density is. */
  gradient(y: number, eta: Float64Array, gradient: Float64Array): number;
  /** P(Y ≤ y) for any real y. */
  cdf(y: number, eta: Float64Array): number;
  /** P(Y < y): differs from `cdf` at atoms only. */
  cdfBelow(y: number, eta: Float64Array): number;
  /** E(Y). */
  mean(eta: Float64Array): number;
  /** A draw of y. */
  draw(eta: Float64Array, random: RandomStream): number;
}

// Families of counts that can be cut at zero: what a cut or extra zeros need beside the distribution itself.

export interface CountFamily extends ResponseFamily {
  /** log P(Y > 0), precise however rare; writes its derivatives by `eta` into `gradient`. */
  logNonzero(eta: Float64Array, gradient: Float64Array): number;
  /** P(Y > y | Y > 0) for y ≥ 0, precise where it is small (to 1e-7 where counts are wilder than any data). */
  tailNonzero(y: number, eta: Float64Array): number;
  /** A draw given that it is not 0. */
  drawNonzero(eta: Float64Array, random: RandomStream): number;
}

// What the families share: parameters, supports and the edges of double arithmetic.

export const MEAN: FamilyParameter = { name: 'mu', link: 'identity' };
export const LOG_MEAN: FamilyParameter = { name: 'mu', link: 'log' };
export const LOGIT_MEAN: FamilyParameter = { name: 'mu', link: 'logit' };
export const SIGMA: FamilyParameter = { name: 'sigma', link: 'log' };
export const PHI: FamilyParameter = { name: 'phi', link: 'log' };
export const SHAPE: FamilyParameter = { name: 'shape', link: 'log' };

export const COUNTS: ResponseFamily['support'] = {
  words: 'whole numbers from 0',
  holds: (y) => Number.isInteger(y) && y >= 0,
};
export const POSITIVE: ResponseFamily['support'] = {
  words: 'numbers above 0',
  holds: (y) => y > 0 && Number.isFinite(y),
};
export const REAL: ResponseFamily['support'] = { words: 'numbers', holds: Number.isFinite };
export const OPEN_UNIT: ResponseFamily['support'] = {
  words: 'numbers above 0 and below 1',
  holds: (y) => y > 0 && y < 1,
};

/** P(Y < y) of whole numbers. */
export const belowWhole =
  (cdf: ResponseFamily['cdf']): ResponseFamily['cdfBelow'] =>
  (y, eta) =>
    cdf(Math.ceil(y) - 1, eta);

/** The log density as the value that `gradient` gives. */
export function logDensityOf(gradient: ResponseFamily['gradient'], parameters: number): ResponseFamily['logDensity'] {
  const unused = new Float64Array(parameters);
  return (y, eta) => gradient(y, eta, unused);
}

/** log of a shape, below what overflows. */
export const boundedLogShape = (eta: number): number => Math.min(eta, MAX_LOG_SHAPE);

/** difference · e^-logScale; 0 and ±Infinity stay what they are whatever the scale. */
export const standardise = (difference: number, logScale: number): number =>
  difference === 0 || Math.abs(difference) === Number.POSITIVE_INFINITY ? difference : difference * Math.exp(-logScale);

/** A mean below which a count that is not 0 is 1. */
export const NEGLIGIBLE = 1e-300;

const SMALLEST_POSITIVE = 5e-324;
const LARGEST_BELOW_ONE = 1 - 2 ** -53;

/** The nearest double within the reals. */
export const intoReals = (y: number): number => Math.max(-Number.MAX_VALUE, Math.min(Number.MAX_VALUE, y));
export const intoPositive = (y: number): number => Math.max(SMALLEST_POSITIVE, Math.min(Number.MAX_VALUE, y));
export const intoUnit = (y: number): number => Math.max(SMALLEST_POSITIVE, Math.min(LARGEST_BELOW_ONE, y));
