import type { RandomStream } from '../random/stream.ts';
import { MAX_LOG_SHAPE } from '../special/gamma.ts';

/** `log_above_one`: η = log(parameter - 1), for degrees of freedom. */
export type Link = 'identity' | 'log' | 'logit' | 'log_above_one';

export interface FamilyParameter {
  /** `zero`: share of zeros; `one`: share of ones among nonzeros. */
  name: string;
  link: Link;
}

export const isAtom = ({ name }: FamilyParameter): boolean => name === 'zero' || name === 'one';

/** Distribution of y given K link-scale parameters `eta`. */
export interface ResponseFamily {
  readonly name: string;
  /** Location first. */
  readonly parameters: readonly FamilyParameter[];
  /** Point masses: none, everywhere, or at the ends. */
  readonly measure: 'continuous' | 'counts' | 'mixed';
  /** `words` completes messages. */
  readonly support: { words: string; holds(y: number): boolean };
  /** Normalised: mass at atoms, density elsewhere. */
  logDensity(y: number, eta: Float64Array): number;
  /** Returns the log density and writes its derivatives. */
  gradient(y: number, eta: Float64Array, gradient: Float64Array): number;
  /** P(Y ≤ y) for any real y. */
  cdf(y: number, eta: Float64Array): number;
  /** P(Y < y), which differs from `cdf` only at atoms. */
  cdfBelow(y: number, eta: Float64Array): number;
  /** Expected value of Y. */
  mean(eta: Float64Array): number;
  /** Draws a response. */
  draw(eta: Float64Array, random: RandomStream): number;
}

export interface CountFamily extends ResponseFamily {
  /** log P(Y > 0), accurate for rare events, with derivatives. */
  logNonzero(eta: Float64Array, gradient: Float64Array): number;
  /** P(Y > y | Y > 0), accurate if small (1e-7 for extreme overdispersion). */
  tailNonzero(y: number, eta: Float64Array): number;
  /** Draws conditional on y > 0. */
  drawNonzero(eta: Float64Array, random: RandomStream): number;
}

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

export const belowWhole =
  (cdf: ResponseFamily['cdf']): ResponseFamily['cdfBelow'] =>
  (y, eta) =>
    cdf(Math.ceil(y) - 1, eta);

export function logDensityOf(gradient: ResponseFamily['gradient'], parameters: number): ResponseFamily['logDensity'] {
  const unused = new Float64Array(parameters);
  return (y, eta) => gradient(y, eta, unused);
}

export const boundedLogShape = (eta: number): number => Math.min(eta, MAX_LOG_SHAPE);

/** Keeps 0 and ±Infinity. */
export const standardise = (difference: number, logScale: number): number =>
  difference === 0 || Math.abs(difference) === Number.POSITIVE_INFINITY ? difference : difference * Math.exp(-logScale);

/** Mean below which nonzero counts are 1. */
export const NEGLIGIBLE = 1e-300;

const SMALLEST_POSITIVE = 5e-324;
const LARGEST_BELOW_ONE = 1 - 2 ** -53;

/** Clamps to finite doubles. */
export const intoReals = (y: number): number => Math.max(-Number.MAX_VALUE, Math.min(Number.MAX_VALUE, y));
export const intoPositive = (y: number): number => Math.max(SMALLEST_POSITIVE, Math.min(Number.MAX_VALUE, y));
export const intoUnit = (y: number): number => Math.max(SMALLEST_POSITIVE, Math.min(LARGEST_BELOW_ONE, y));
