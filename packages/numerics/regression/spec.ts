/** Plain data for worker threads. n rows; p columns. */
import type { ResponseName } from '../distributions/families.ts';
import type { Link } from '../distributions/family.ts';

/** Row-major. */
export interface DenseMatrix {
  kind: 'dense';
  rows: number;
  cols: number;
  values: Float64Array;
}

/** Row i has ascending columns `at[offsets[i]] … at[offsets[i + 1] - 1]`. */
export interface SparseMatrix {
  kind: 'sparse';
  rows: number;
  cols: number;
  offsets: Int32Array;
  at: Int32Array;
  values: Float64Array;
}

export type Matrix = DenseMatrix | SparseMatrix;

/** Scales are standard deviations, or those of t and Cauchy. Positive parameters use halves. */
export type Prior =
  | { kind: 'flat' }
  | { kind: 'normal'; mean: number; sd: number }
  | { kind: 'student_t'; df: number; mean: number; scale: number }
  | { kind: 'cauchy'; mean: number; scale: number }
  | { kind: 'exponential'; rate: number }
  /** For numbers known to ± `error`: exp(-rate x - rows (error / x)² / 2), so exact fits keep a scale near `error`. */
  | { kind: 'exponential_above'; rate: number; error: number; rows: number }
  | { kind: 'gamma'; shape: number; rate: number }
  | { kind: 'beta'; a: number; b: number }
  | { kind: 'uniform'; lower: number; upper: number };

/** β_j ~ N(0, τ · sd_j), τ ~ `scale`. */
export interface Pool {
  name: string;
  columns: Int32Array;
  sds: Float64Array;
  scale: Prior;
}

export type PredictorSpec =
  | {
      kind: 'linear';
      parameter: string;
      design: Matrix;
      /** Names for display. */
      names: readonly string[];
      /** Ignored for pooled columns. */
      priors: readonly Prior[];
      pools: readonly Pool[];
    }
  | {
      kind: 'constant';
      parameter: string;
      /** On the natural scale; the link's Jacobian is added. */
      prior: Prior;
    };

export interface RegressionSpec {
  family: ResponseName;
  y: Float64Array;
  /** Null for one each. */
  weights: Float64Array | null;
  /** In the family's order. */
  predictors: readonly PredictorSpec[];
}

interface Term {
  value: number;
  slope: number;
  curvature: number;
}

const NOTHING: Term = { value: 0, slope: 0, curvature: 0 };
const OUTSIDE: Term = { value: Number.NEGATIVE_INFINITY, slope: 0, curvature: 0 };

/** Natural-scale, up to constants; -Infinity outside the support. */
export function priorTerm(prior: Prior, x: number): Term {
  switch (prior.kind) {
    case 'flat':
      return NOTHING;
    case 'normal': {
      const precision = 1 / (prior.sd * prior.sd);
      const centred = x - prior.mean;
      return { value: -0.5 * precision * centred * centred, slope: -precision * centred, curvature: -precision };
    }
    case 'student_t':
      return studentTerm(prior.df, (x - prior.mean) / prior.scale, prior.scale);
    case 'cauchy':
      return studentTerm(1, (x - prior.mean) / prior.scale, prior.scale);
    case 'exponential':
      return x < 0 ? OUTSIDE : { value: -prior.rate * x, slope: -prior.rate, curvature: 0 };
    case 'exponential_above':
      return x <= 0 ? OUTSIDE : exponentialAboveTerm(prior.rate, prior.rows * prior.error * prior.error, x);
    case 'gamma':
      return x < 0 ? OUTSIDE : powerTerm(prior.shape - 1, x, -prior.rate);
    case 'beta':
      return x < 0 || x > 1 ? OUTSIDE : sum(powerTerm(prior.a - 1, x, 0), mirrored(powerTerm(prior.b - 1, 1 - x, 0)));
    case 'uniform':
      return x < prior.lower || x > prior.upper ? OUTSIDE : NOTHING;
  }
}

function studentTerm(df: number, z: number, scale: number): Term {
  const spread = df + z * z;
  return {
    value: -0.5 * (df + 1) * Math.log1p((z * z) / df),
    slope: (-(df + 1) * z) / (spread * scale),
    curvature: (-(df + 1) * (df - z * z)) / (spread * spread * scale * scale),
  };
}

function exponentialAboveTerm(rate: number, squares: number, x: number): Term {
  const pull = squares / x / x;
  return { value: -rate * x - 0.5 * pull, slope: -rate + pull / x, curvature: (-3 * pull) / x / x };
}

/** power · log x + rate · x, for x ≥ 0. */
function powerTerm(power: number, x: number, rate: number): Term {
  if (power === 0) return { value: rate * x, slope: rate, curvature: 0 };
  return { value: power * Math.log(x) + rate * x, slope: power / x + rate, curvature: -power / (x * x) };
}

const mirrored = (term: Term): Term => ({ ...term, slope: -term.slope });

const sum = (a: Term, b: Term): Term => ({
  value: a.value + b.value,
  slope: a.slope + b.slope,
  curvature: a.curvature + b.curvature,
});

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

/** log p(parameter) + log |d parameter / d eta|. */
export function priorOnLink(prior: Prior, link: Link, eta: number): Term {
  if (link === 'logit' && (prior.kind === 'beta' || prior.kind === 'flat')) {
    // Keeps the density of a share that rounds to 1.
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

/** a log s(η) + b log s(-η), logistic s. */
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

export function toLink(link: Link, natural: number): number {
  if (link === 'identity') return natural;
  if (link === 'log') return Math.log(natural);
  if (link === 'logit') return Math.log(natural) - Math.log1p(-natural);
  return Math.log(natural - 1);
}
