/** y ~ Gamma(shape, rate = shape / mu); log mu, log shape. */
import { drawLogGamma } from '../random/draws.ts';
import { gammaNormaliser } from '../special/gamma.ts';
import { gammaP } from '../special/incomplete.ts';
import {
  boundedLogShape,
  intoPositive,
  LOG_MEAN,
  logDensityOf,
  POSITIVE,
  type ResponseFamily,
  SHAPE,
} from './family.ts';

const normaliser = new Float64Array(2);

function gradient(y: number, eta: Float64Array, out: Float64Array): number {
  const logShape = boundedLogShape(eta[1]!);
  const shape = Math.exp(logShape);
  const logY = Math.log(y);
  const d = logY - eta[0]!;
  // shape · (y / mu - 1) without overflow.
  const excess = d < 30 ? shape * Math.expm1(d) : Math.exp(d + logShape) - shape;
  gammaNormaliser(shape, logShape, normaliser);
  out[0] = excess;
  out[1] = normaliser[1]! + shape * d - excess;
  return normaliser[0]! + shape * d - excess - logY;
}

function cdf(y: number, eta: Float64Array): number {
  if (!(y > 0)) return Math.max(y, 0);
  const logShape = boundedLogShape(eta[1]!);
  return gammaP(Math.exp(logShape), Math.exp(Math.log(y) - eta[0]! + logShape));
}

export const gamma: ResponseFamily = {
  name: 'gamma',
  parameters: [LOG_MEAN, SHAPE],
  measure: 'continuous',
  support: POSITIVE,
  logDensity: logDensityOf(gradient, 2),
  gradient,
  cdf,
  cdfBelow: cdf,
  mean: (eta) => Math.exp(eta[0]!),
  draw(eta, random) {
    const logShape = boundedLogShape(eta[1]!);
    return intoPositive(Math.exp(eta[0]! - logShape + drawLogGamma(logShape, random)));
  },
};
