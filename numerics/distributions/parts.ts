/** What the families share: parameters, supports and the edges of double arithmetic. */
import { MOST_LOG_SHAPE } from '../special/gammaRatio.ts';
import type { FamilyParameter, ResponseFamily } from './family.ts';

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
export const boundedLogShape = (eta: number): number => Math.min(eta, MOST_LOG_SHAPE);

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
