/** Counts with extra zeros: 0 with probability `zero`, else a draw of the base family, which may be 0 too. */
import { log1pexp, logAddExp, sigmoid } from '../special/logistic.ts';
import type { CountFamily } from './count.ts';
import type { FamilyName, FamilyParameter, ResponseFamily } from './family.ts';
import { belowWhole } from './parts.ts';

export const ZERO: FamilyParameter = { name: 'zero', link: 'logit' };

/** The base's parameters and, last, logit P(extra zero). */
export function zeroInflated(name: FamilyName, base: CountFamily): ResponseFamily {
  const last = base.parameters.length;

  function logDensity(y: number, eta: Float64Array): number {
    const extra = eta[last]!;
    const log = base.logDensity(y, eta);
    return (y === 0 ? logAddExp(extra, log) : log) - log1pexp(extra);
  }

  function gradient(y: number, eta: Float64Array, out: Float64Array): number {
    const extra = eta[last]!;
    const log = base.gradient(y, eta, out);
    out[last] = -sigmoid(extra);
    if (y !== 0) return log - log1pexp(extra);
    // The share of zeros of this kind that are extra.
    out[last]! += sigmoid(extra - log);
    const own = sigmoid(log - extra);
    for (let k = 0; k < last; k++) out[k] = own === 0 ? 0 : out[k]! * own;
    return logAddExp(extra, log) - log1pexp(extra);
  }

  function cdf(y: number, eta: Float64Array): number {
    return y < 0 ? 0 : Math.min(1, sigmoid(eta[last]!) + sigmoid(-eta[last]!) * base.cdf(y, eta));
  }

  return {
    name,
    parameters: [...base.parameters, ZERO],
    measure: 'counts',
    support: base.support,
    logDensity,
    gradient,
    cdf,
    cdfBelow: belowWhole(cdf),
    mean(eta) {
      const rest = sigmoid(-eta[last]!);
      return rest === 0 ? 0 : rest * base.mean(eta);
    },
    draw: (eta, random) => (random.uniform() < sigmoid(eta[last]!) ? 0 : base.draw(eta, random)),
  };
}
