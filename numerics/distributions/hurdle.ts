/** Counts behind a hurdle: 0 with probability `zero`, else a draw of the base family given that it is not 0. */
import { log1pexp, sigmoid } from '../special/logistic.ts';
import type { CountFamily } from './count.ts';
import type { FamilyName, ResponseFamily } from './family.ts';
import { belowWhole } from './parts.ts';
import { ZERO } from './zeroInflated.ts';

/** The base's parameters and, last, logit P(y = 0). */
export function hurdle(name: FamilyName, base: CountFamily): ResponseFamily {
  const last = base.parameters.length;
  const cut = new Float64Array(last);

  function logDensity(y: number, eta: Float64Array): number {
    if (y === 0) return -log1pexp(-eta[last]!);
    return base.logDensity(y, eta) - base.logNonzero(eta, cut) - log1pexp(eta[last]!);
  }

  function gradient(y: number, eta: Float64Array, out: Float64Array): number {
    const logit = eta[last]!;
    if (y === 0) {
      out.fill(0, 0, last);
      out[last] = sigmoid(-logit);
      return -log1pexp(-logit);
    }
    const log = base.gradient(y, eta, out) - base.logNonzero(eta, cut);
    for (let k = 0; k < last; k++) out[k]! -= cut[k]!;
    out[last] = -sigmoid(logit);
    return log - log1pexp(logit);
  }

  /** From the upper tail: the lower one is nearly P(0), which is cut off. */
  function cdf(y: number, eta: Float64Array): number {
    if (!(y >= 0)) return Math.max(y, 0);
    return Math.min(1, sigmoid(eta[last]!) + sigmoid(-eta[last]!) * (1 - base.tailNonzero(y, eta)));
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
      // Where the mean underflows, what is not 0 is 1.
      const nonzero = base.mean(eta) / Math.exp(base.logNonzero(eta, cut));
      return rest === 0 ? 0 : rest * Math.max(1, nonzero || 1);
    },
    draw: (eta, random) => (random.uniform() < sigmoid(eta[last]!) ? 0 : base.drawNonzero(eta, random)),
  };
}
