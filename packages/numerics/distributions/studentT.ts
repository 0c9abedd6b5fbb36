/** (y - mu) / sigma ~ t(nu); mu, log sigma, log(nu - 1). nu > 1 ensures a mean. */
import { drawStudentT } from '../random/draws.ts';
import { gammaRise, HALF_LOG_2PI, MAX_LOG_SHAPE } from '../special/gamma.ts';
import { studentTCdf } from '../special/incomplete.ts';
import { log1pexp, sigmoid } from '../special/logistic.ts';
import {
  boundedLogShape,
  type FamilyParameter,
  intoReals,
  logDensityOf,
  MEAN,
  REAL,
  type ResponseFamily,
  SIGMA,
  standardise,
} from './family.ts';

const NU: FamilyParameter = { name: 'nu', link: 'log_above_one' };
const rise = new Float64Array(2);

const degrees = (eta: Float64Array): number => 1 + Math.exp(boundedLogShape(eta[2]!));

/** log of z²/nu, -Infinity at the centre. */
function logSquareRatio(distance: number, eta: Float64Array): number {
  const logNu = Math.min(log1pexp(eta[2]!), MAX_LOG_SHAPE);
  return 2 * (Math.log(Math.abs(distance)) - eta[1]!) - logNu;
}

function gradient(y: number, eta: Float64Array, out: Float64Array): number {
  const distance = y - eta[0]!;
  const nu = degrees(eta);
  const ratio = logSquareRatio(distance, eta);
  const share = sigmoid(ratio); // z² / (nu + z²)
  const log = log1pexp(ratio);
  const half = 0.5 * nu;
  gammaRise(half, Math.log(half), 0.5, rise);
  out[0] = distance === 0 ? 0 : intoReals((share / distance) * (nu + 1));
  out[1] = (nu + 1) * share - 1;
  const byLogNu = rise[1]! - 0.5 - half * log + 0.5 * (nu + 1) * share;
  out[2] = byLogNu * sigmoid(eta[2]!);
  return rise[0]! - HALF_LOG_2PI - eta[1]! - 0.5 * (nu + 1) * log;
}

function cdf(y: number, eta: Float64Array): number {
  return studentTCdf(standardise(y - eta[0]!, eta[1]!), degrees(eta));
}

export const studentT: ResponseFamily = {
  name: 'student_t',
  parameters: [MEAN, SIGMA, NU],
  measure: 'continuous',
  support: REAL,
  logDensity: logDensityOf(gradient, 3),
  gradient,
  cdf,
  cdfBelow: cdf,
  mean: (eta) => eta[0]!,
  draw: (eta, random) => intoReals(eta[0]! + Math.exp(eta[1]!) * drawStudentT(degrees(eta), random)),
};
