/** Counts from 1: a draw of the base family given that it is not 0. What a count behind a hurdle is where it is none. */
import type { CountFamily } from './count.ts';
import type { ResponseFamily, ResponseName } from './family.ts';
import { belowWhole } from './parts.ts';

/** The base's parameters, of the counts before zero is cut off. */
export function truncated(name: ResponseName, base: CountFamily): ResponseFamily {
  const size = base.parameters.length;
  const cut = new Float64Array(size);

  /** From the upper tail: the lower one is nearly P(0), which is cut off. */
  const cdf = (y: number, eta: Float64Array): number => {
    if (Number.isNaN(y)) return y;
    return y < 1 ? 0 : 1 - base.tailNonzero(y, eta);
  };

  return {
    name,
    parameters: base.parameters,
    measure: 'counts',
    support: { words: 'whole numbers from 1', holds: (y) => y !== 0 && base.support.holds(y) },
    logDensity: (y, eta) => base.logDensity(y, eta) - base.logNonzero(eta, cut),
    gradient(y, eta, out) {
      const log = base.gradient(y, eta, out) - base.logNonzero(eta, cut);
      for (let k = 0; k < size; k++) out[k]! -= cut[k]!;
      return log;
    },
    cdf,
    cdfBelow: belowWhole(cdf),
    // Where the base's mean underflows, what is not 0 is 1.
    mean: (eta) => Math.max(1, base.mean(eta) / Math.exp(base.logNonzero(eta, cut)) || 1),
    draw: (eta, random) => base.drawNonzero(eta, random),
  };
}
