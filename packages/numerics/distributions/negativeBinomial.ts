/** NegBin2: mean mu, variance mu + mu² / phi; log mu, log phi. Exactly Poisson as phi → ∞. */
import { drawNegativeBinomial, drawNonzeroNegativeBinomial } from '../random/draws.ts';
import { gammaRise, lgamma } from '../special/gamma.ts';
import { betaP, logBetaKernel } from '../special/incomplete.ts';
import { log1mexp, log1pexp, logLog1pexp, sigmoid } from '../special/logistic.ts';
import {
  belowWhole,
  boundedLogShape,
  COUNTS,
  type CountFamily,
  LOG_MEAN,
  logDensityOf,
  NEGLIGIBLE,
  PHI,
} from './family.ts';

/** Larger counts make log Γ(y + 1) cancel. */
const LARGE_COUNT = 64;
const rise = new Float64Array(2);

function gradient(y: number, eta: Float64Array, out: Float64Array): number {
  const logMu = eta[0]!;
  const logPhi = boundedLogShape(eta[1]!);
  const phi = Math.exp(logPhi);
  const a = logMu - logPhi;
  const soft = log1pexp(a); // -log P(0) / phi
  const [share, rest] = [sigmoid(a), sigmoid(-a)]; // mu / (mu + phi) and its complement
  gammaRise(phi, logPhi, y, rise);
  out[0] = y * rest - phi * share;
  out[1] = rise[1]! - y * rest - phi * (soft - share);
  if (y >= LARGE_COUNT && logPhi > -600 && Math.abs(a) < 600) return logBetaKernel(phi, y, rest, share) - Math.log(y);
  const logRate = a > 0 ? logPhi - log1pexp(-a) : logMu - soft;
  return rise[0]! - lgamma(y + 1) + y * logRate - phi * soft;
}

/** A cdf is 1 below this. */
const MIN_LOG_PHI = -600;
/** Nonzero counts are logarithmic below this, to 1e-7. */
const MIN_LOG_PHI_NONZERO = -18;
/** A cdf is constant above this. */
const LARGEST_COUNT = 1e300;

function settings(eta: Float64Array, leastLogPhi: number): [phi: number, a: number] {
  const logPhi = boundedLogShape(eta[1]!);
  return [Math.exp(Math.max(logPhi, leastLogPhi)), eta[0]! - logPhi];
}

function cdf(y: number, eta: Float64Array): number {
  if (!(y >= 0)) return Math.max(y, 0);
  const [phi, a] = settings(eta, MIN_LOG_PHI);
  return y === Number.POSITIVE_INFINITY
    ? 1
    : betaP(phi, Math.min(Math.floor(y) + 1, LARGEST_COUNT), sigmoid(-a), sigmoid(a));
}

function tailNonzero(y: number, eta: Float64Array): number {
  const [phi, a] = settings(eta, MIN_LOG_PHI_NONZERO);
  const u = phi * log1pexp(a);
  if (y < 1 || u < NEGLIGIBLE) return y < 1 ? 1 : 0;
  if (y === Number.POSITIVE_INFINITY) return 0;
  const tail = betaP(Math.min(Math.floor(y) + 1, LARGEST_COUNT), phi, sigmoid(a), sigmoid(-a));
  return Math.min(1, tail / -Math.expm1(-u));
}

/** P(Y > 0) equals -log P(0) below this. */
const RARE = -37;

function logNonzero(eta: Float64Array, out: Float64Array): number {
  const logPhi = boundedLogShape(eta[1]!);
  const a = eta[0]! - logPhi;
  const logU = logPhi + logLog1pexp(a); // U = -log P(0) = phi log(1 + mu / phi)
  const u = Math.exp(logU);
  // d log U / d log mu
  const slope = a < RARE ? 1 : sigmoid(a) / log1pexp(a);
  const weight = logU < RARE ? 1 : u > 700 ? 0 : u / Math.expm1(u);
  out[0] = weight * slope;
  out[1] = weight * (1 - slope);
  return logU < RARE ? logU : log1mexp(u);
}

export const negativeBinomial: CountFamily = {
  name: 'negative_binomial',
  parameters: [LOG_MEAN, PHI],
  measure: 'counts',
  support: COUNTS,
  logDensity: logDensityOf(gradient, 2),
  gradient,
  cdf,
  cdfBelow: belowWhole(cdf),
  mean: (eta) => Math.exp(eta[0]!),
  draw: (eta, random) => drawNegativeBinomial(eta[0]!, boundedLogShape(eta[1]!), random),
  logNonzero,
  tailNonzero,
  drawNonzero: (eta, random) => drawNonzeroNegativeBinomial(eta[0]!, boundedLogShape(eta[1]!), random),
};
