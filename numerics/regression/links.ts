/** Links of constant parameters: natural scale from link scale, and a natural-scale prior carried over with its Jacobian. */
import type { Link } from '../distributions/family.ts';
import { priorTerm, sum, type Term } from './priors.ts';
import type { Prior } from './spec.ts';

/** The parameter at linear predictor `eta`. */
export function inverseLink(link: Link, eta: number): number {
  switch (link) {
    case 'identity':
      return eta;
    case 'log':
      return Math.exp(eta);
    case 'logit':
      return 1 / (1 + Math.exp(-eta));
    case 'log_above_one':
      return 1 + Math.exp(eta);
  }
}

/** log p(parameter) + log |d parameter / d eta| with derivatives by `eta`. */
export function priorOnLink(prior: Prior, link: Link, eta: number): Term {
  if (link === 'logit' && (prior.kind === 'beta' || prior.kind === 'flat')) {
    // By logarithms of both tails, so that a share that rounds to 1 keeps its density.
    return prior.kind === 'beta' ? logisticTerm(prior.a, prior.b, eta) : logisticTerm(1, 1, eta);
  }
  const theta = inverseLink(link, eta);
  const [first, second] = slopes(link, theta);
  const on = priorTerm(prior, theta);
  const carried = {
    value: on.value,
    slope: on.slope * first,
    curvature: on.curvature * first * first + on.slope * second,
  };
  return sum(carried, logJacobian(link, eta));
}

/** First and second derivative of the parameter by eta. */
function slopes(link: Link, theta: number): [number, number] {
  switch (link) {
    case 'identity':
      return [1, 0];
    case 'log':
      return [theta, theta];
    case 'logit':
      return [theta * (1 - theta), theta * (1 - theta) * (1 - 2 * theta)];
    case 'log_above_one':
      return [theta - 1, theta - 1];
  }
}

function logJacobian(link: Link, eta: number): Term {
  if (link === 'identity') return { value: 0, slope: 0, curvature: 0 };
  if (link === 'logit') return logisticTerm(1, 1, eta);
  return { value: eta, slope: 1, curvature: 0 };
}

/** a log s(η) + b log s(-η), s the logistic function. */
function logisticTerm(a: number, b: number, eta: number): Term {
  const share = inverseLink('logit', eta);
  const tail = Math.log1p(Math.exp(-Math.abs(eta)));
  const logShare = eta > 0 ? -tail : eta - tail;
  const logRest = eta > 0 ? -eta - tail : -tail;
  return {
    value: a * logShare + b * logRest,
    slope: a * (1 - share) - b * share,
    curvature: -(a + b) * share * (1 - share),
  };
}
