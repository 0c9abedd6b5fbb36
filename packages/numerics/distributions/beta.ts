/** y ~ Beta(mu phi, (1 - mu) phi); logit mu, log phi. */
import { drawBeta } from '../random/draws.ts';
import { gammaNormaliser } from '../special/gamma.ts';
import { betaP } from '../special/incomplete.ts';
import { log1pexp, sigmoid } from '../special/logistic.ts';
import { boundedLogShape, intoUnit, LOGIT_MEAN, logDensityOf, OPEN_UNIT, PHI, type ResponseFamily } from './family.ts';

const first = new Float64Array(2);
const second = new Float64Array(2);
const both = new Float64Array(2);

/** mu log(mu / y) + (1 - mu) log((1 - mu) / (1 - y)) ≥ 0, d = logit mu - logit y. */
function divergence(y: number, eta: number, d: number): number {
  if (Math.abs(d) > 1) {
    return sigmoid(eta) * (-log1pexp(-eta) - Math.log(y)) + sigmoid(-eta) * (-log1pexp(eta) - Math.log1p(-y));
  }
  if (y < 0.5) return sigmoid(eta) * d - Math.log1p(y * Math.expm1(d));
  return -sigmoid(-eta) * d - Math.log1p((1 - y) * Math.expm1(-d));
}

function gradient(y: number, eta: Float64Array, out: Float64Array): number {
  const location = eta[0]!;
  const logPhi = boundedLogShape(eta[1]!);
  const [mu, rest, phi] = [sigmoid(location), sigmoid(-location), Math.exp(logPhi)];
  gammaNormaliser(mu * phi, logPhi - log1pexp(-location), first);
  gammaNormaliser(rest * phi, logPhi - log1pexp(location), second);
  gammaNormaliser(phi, logPhi, both);
  const [logY, logRest] = [Math.log(y), Math.log1p(-y)];
  const d = location - (logY - logRest);
  const cost = phi * divergence(y, location, d);
  out[0] = first[1]! * rest - second[1]! * mu - phi * mu * rest * d;
  out[1] = first[1]! + second[1]! - both[1]! - cost;
  return first[0]! + second[0]! - both[0]! - cost - logY - logRest;
}

function cdf(y: number, eta: Float64Array): number {
  const phi = Math.exp(boundedLogShape(eta[1]!));
  return betaP(sigmoid(eta[0]!) * phi, sigmoid(-eta[0]!) * phi, y);
}

export const beta: ResponseFamily = {
  name: 'beta',
  parameters: [LOGIT_MEAN, PHI],
  measure: 'continuous',
  support: OPEN_UNIT,
  logDensity: logDensityOf(gradient, 2),
  gradient,
  cdf,
  cdfBelow: cdf,
  mean: (eta) => sigmoid(eta[0]!),
  draw(eta, random) {
    const logPhi = boundedLogShape(eta[1]!);
    return intoUnit(drawBeta(logPhi - log1pexp(-eta[0]!), logPhi - log1pexp(eta[0]!), random));
  },
};
