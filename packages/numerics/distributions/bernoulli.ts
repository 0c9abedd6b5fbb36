/** y is 1 with probability mu, else 0; logit mu. */
import { log1pexp, sigmoid } from '../special/logistic.ts';
import { belowWhole, LOGIT_MEAN, type ResponseFamily } from './family.ts';

const logDensity = (y: number, eta: Float64Array): number => -log1pexp(y === 1 ? -eta[0]! : eta[0]!);

function cdf(y: number, eta: Float64Array): number {
  if (!(y < 1)) return Math.min(y, 1);
  return y < 0 ? 0 : sigmoid(-eta[0]!);
}

export const bernoulli: ResponseFamily = {
  name: 'bernoulli',
  parameters: [LOGIT_MEAN],
  measure: 'counts',
  support: { words: '0 and 1', holds: (y) => y === 0 || y === 1 },
  logDensity,
  gradient(y, eta, out) {
    out[0] = y === 1 ? sigmoid(-eta[0]!) : -sigmoid(eta[0]!);
    return logDensity(y, eta);
  },
  cdf,
  cdfBelow: belowWhole(cdf),
  mean: (eta) => sigmoid(eta[0]!),
  draw: (eta, random) => (random.uniform() < sigmoid(eta[0]!) ? 1 : 0),
};
