/** y ~ N(mu, sigma²); mu, log sigma. */
import { HALF_LOG_2PI } from '../special/gamma.ts';
import { normalCdf } from '../special/normal.ts';
import { intoReals, MEAN, REAL, type ResponseFamily, SIGMA, standardise } from './family.ts';

function logDensity(y: number, eta: Float64Array): number {
  const z = standardise(y - eta[0]!, eta[1]!);
  return -0.5 * z * z - eta[1]! - HALF_LOG_2PI;
}

function gradient(y: number, eta: Float64Array, out: Float64Array): number {
  const z = standardise(y - eta[0]!, eta[1]!);
  out[0] = intoReals(standardise(z, eta[1]!));
  out[1] = z * z - 1;
  return -0.5 * z * z - eta[1]! - HALF_LOG_2PI;
}

const cdf = (y: number, eta: Float64Array): number => normalCdf(standardise(y - eta[0]!, eta[1]!));

export const gaussian: ResponseFamily = {
  name: 'gaussian',
  parameters: [MEAN, SIGMA],
  measure: 'continuous',
  support: REAL,
  logDensity,
  gradient,
  cdf,
  cdfBelow: cdf,
  mean: (eta) => eta[0]!,
  draw: (eta, random) => intoReals(eta[0]! + Math.exp(eta[1]!) * random.normal()),
};
