/** A family with mass at one point outside its support: that point with probability p, else the base. */
import { log1pexp, sigmoid } from '../special/logistic.ts';
import type { FamilyName, ResponseFamily } from './family.ts';

export interface Atom {
  /** Where it lies. */
  y: 0 | 1;
  /** The parameter whose logit is the probability. */
  parameter: 'zero' | 'one';
  /** Where it stands among the parameters: the base's before it and after it keep their order. */
  index: number;
  /** What y can be, now. */
  words: string;
}

export function withAtom(name: FamilyName, base: ResponseFamily, atom: Atom): ResponseFamily {
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
