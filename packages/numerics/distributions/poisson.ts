/** y ~ Poisson(mu); log mu. */
import { drawNonzeroPoisson, drawPoisson } from '../random/draws.ts';
import { logPoissonMass } from '../special/gamma.ts';
import { gammaP, gammaQ } from '../special/incomplete.ts';
import { log1mexp } from '../special/logistic.ts';
import { belowWhole, COUNTS, type CountFamily, LOG_MEAN, NEGLIGIBLE } from './family.ts';

const logDensity = (y: number, eta: Float64Array): number => logPoissonMass(y, eta[0]!);

function cdf(y: number, eta: Float64Array): number {
  return y < 0 ? 0 : gammaQ(Math.floor(y) + 1, Math.exp(eta[0]!));
}

/** e^-mu equals 1 - mu below this. */
const RARE = -37;

export const poisson: CountFamily = {
  name: 'poisson',
  parameters: [LOG_MEAN],
  measure: 'counts',
  support: COUNTS,
  logDensity,
  gradient(y, eta, out) {
    out[0] = y - Math.exp(eta[0]!);
    return logDensity(y, eta);
  },
  cdf,
  cdfBelow: belowWhole(cdf),
  mean: (eta) => Math.exp(eta[0]!),
  draw: (eta, random) => drawPoisson(Math.exp(eta[0]!), random),
  logNonzero(eta, out) {
    const mu = Math.exp(eta[0]!);
    out[0] = eta[0]! < RARE ? 1 : mu > 700 ? 0 : mu / Math.expm1(mu);
    return eta[0]! < RARE ? eta[0]! : log1mexp(mu);
  },
  tailNonzero(y, eta) {
    const mu = Math.exp(eta[0]!);
    if (y < 1 || mu < NEGLIGIBLE) return y < 1 ? 1 : 0;
    return Math.min(1, gammaP(Math.floor(y) + 1, mu) / -Math.expm1(-mu));
  },
  drawNonzero: (eta, random) => drawNonzeroPoisson(Math.exp(eta[0]!), random),
};
