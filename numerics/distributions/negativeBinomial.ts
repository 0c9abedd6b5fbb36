/** y with mean mu and variance mu + mu² / phi (NegBin2); log mu, log phi. For phi → ∞ it is Poisson's, to the last digit. */
import { drawNegativeBinomial, drawNonzeroNegativeBinomial } from '../random/drawNegativeBinomial.ts';
import { lgamma } from '../special/gamma.ts';
import { gammaRise } from '../special/gammaRatio.ts';
import { betaP } from '../special/incompleteBeta.ts';
import { log1mexp, log1pexp, logLog1pexp, sigmoid } from '../special/logistic.ts';
import type { CountFamily } from './count.ts';
import { belowWhole, boundedLogShape, COUNTS, LOG_MEAN, logDensityOf, PHI } from './parts.ts';

const rise = new Float64Array(2);

function gradient(y: number, eta: Float64Array, out: Float64Array): number {
  const logMu = eta[0]!;
  const logPhi = boundedLogShape(eta[1]!);
  const phi = Math.exp(logPhi);
  const a = logMu - logPhi;
  const soft = log1pexp(a); // -log P(0) / phi
  const [share, rest] = [sigmoid(a), sigmoid(-a)]; // mu / (mu + phi), and what is left
  gammaRise(phi, logPhi, y, rise);
  out[0] = y * rest - phi * share;
  out[1] = rise[1]! - y * rest - phi * (soft - share);
  const logRate = a > 0 ? logPhi - log1pexp(-a) : logMu - soft;
  return rise[0]! - lgamma(y + 1) + y * logRate - phi * soft;
}

function cdf(y: number, eta: Float64Array): number {
  if (!(y < Number.POSITIVE_INFINITY)) return y > 0 ? 1 : y;
  const a = eta[0]! - boundedLogShape(eta[1]!);
  const phi = Math.exp(boundedLogShape(eta[1]!));
  return y < 0 ? 0 : betaP(phi, Math.floor(y) + 1, sigmoid(-a), sigmoid(a));
}

function survival(y: number, eta: Float64Array): number {
  if (!(y < Number.POSITIVE_INFINITY)) return Math.min(y, 0);
  const a = eta[0]! - boundedLogShape(eta[1]!);
  const phi = Math.exp(boundedLogShape(eta[1]!));
  return y < 0 ? 1 : betaP(Math.floor(y) + 1, phi, sigmoid(a), sigmoid(-a));
}

/** Below this log of -log P(0), P(Y > 0) is -log P(0) to the last digit. */
const RARE = -37;

function logNonzero(eta: Float64Array, out: Float64Array): number {
  const logPhi = boundedLogShape(eta[1]!);
  const a = eta[0]! - logPhi;
  const logU = logPhi + logLog1pexp(a); // U = -log P(0) = phi log(1 + mu / phi)
  const u = Math.exp(logU);
  // d log U by log mu
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
  survival,
  drawNonzero: (eta, random) => drawNonzeroNegativeBinomial(eta[0]!, boundedLogShape(eta[1]!), random),
};
