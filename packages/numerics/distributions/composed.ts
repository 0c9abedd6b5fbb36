import { log1pexp, logAddExp, sigmoid } from '../special/logistic.ts';
import { belowWhole, type CountFamily, type FamilyParameter, type ResponseFamily } from './family.ts';

interface Atom {
  y: 0 | 1;
  parameter: 'zero' | 'one';
  index: number;
  words: string;
}

export function withAtom(name: string, base: ResponseFamily, atom: Atom): ResponseFamily {
  const { index } = atom;
  const size = base.parameters.length;
  const inner = new Float64Array(size);
  const slopes = new Float64Array(size);

  const baseEta = (eta: Float64Array): Float64Array => {
    for (let k = 0; k < size; k++) inner[k] = eta[k < index ? k : k + 1]!;
    return inner;
  };

  function logDensity(y: number, eta: Float64Array): number {
    if (y === atom.y) return -log1pexp(-eta[index]!);
    return base.logDensity(y, baseEta(eta)) - log1pexp(eta[index]!);
  }

  function gradient(y: number, eta: Float64Array, out: Float64Array): number {
    const logit = eta[index]!;
    if (y === atom.y) {
      out.fill(0, 0, size + 1);
      out[index] = sigmoid(-logit);
      return -log1pexp(-logit);
    }
    const log = base.gradient(y, baseEta(eta), slopes);
    for (let k = 0; k < size; k++) out[k < index ? k : k + 1] = slopes[k]!;
    out[index] = -sigmoid(logit);
    return log - log1pexp(logit);
  }

  const mixed = (reached: boolean, below: number, logit: number): number =>
    Math.min(1, (reached ? sigmoid(logit) : 0) + sigmoid(-logit) * below);

  return {
    name,
    parameters: [
      ...base.parameters.slice(0, index),
      { name: atom.parameter, link: 'logit' },
      ...base.parameters.slice(index),
    ],
    measure: base.measure === 'counts' ? 'counts' : 'mixed',
    support: { words: atom.words, holds: (y) => y === atom.y || base.support.holds(y) },
    logDensity,
    gradient,
    cdf: (y, eta) => mixed(y >= atom.y, base.cdf(y, baseEta(eta)), eta[index]!),
    cdfBelow: (y, eta) => mixed(y > atom.y, base.cdfBelow(y, baseEta(eta)), eta[index]!),
    mean(eta) {
      const rest = sigmoid(-eta[index]!);
      return sigmoid(eta[index]!) * atom.y + (rest === 0 ? 0 : rest * base.mean(baseEta(eta)));
    },
    draw: (eta, random) => (random.uniform() < sigmoid(eta[index]!) ? atom.y : base.draw(baseEta(eta), random)),
  };
}

/** Parameters describe the untruncated counts. */
export function truncated(name: string, base: CountFamily): ResponseFamily {
  const size = base.parameters.length;
  const cut = new Float64Array(size);

  /** By the upper tail, since the lower is nearly P(0). */
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
    // Nonzero counts are 1 if the base mean underflows.
    mean: (eta) => Math.max(1, base.mean(eta) / Math.exp(base.logNonzero(eta, cut)) || 1),
    draw: (eta, random) => base.drawNonzero(eta, random),
  };
}

const ZERO: FamilyParameter = { name: 'zero', link: 'logit' };

/** Appends logit P(extra zero) to the base's parameters. */
export function zeroInflated(name: string, base: CountFamily): ResponseFamily {
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
