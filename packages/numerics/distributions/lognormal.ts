/** log y ~ N(mu, sigma²); mu, log sigma. */
import { intoPositive, MEAN, POSITIVE, type ResponseFamily, SIGMA } from './family.ts';
import { gaussian } from './gaussian.ts';

const cdf = (y: number, eta: Float64Array): number => (y > 0 ? gaussian.cdf(Math.log(y), eta) : Math.max(y, 0));

export const lognormal: ResponseFamily = {
  name: 'lognormal',
  parameters: [MEAN, SIGMA],
  measure: 'continuous',
  support: POSITIVE,
  logDensity(y, eta) {
    const log = Math.log(y);
    return gaussian.logDensity(log, eta) - log;
  },
  gradient(y, eta, out) {
    const log = Math.log(y);
    return gaussian.gradient(log, eta, out) - log;
  },
  cdf,
  cdfBelow: cdf,
  mean: (eta) => Math.exp(eta[0]! + 0.5 * Math.exp(2 * eta[1]!)),
  draw: (eta, random) => intoPositive(Math.exp(gaussian.draw(eta, random))),
};
