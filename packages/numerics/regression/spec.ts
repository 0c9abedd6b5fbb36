/**
 * A regression as plain data: what is sampled, written so that it can be sent to a worker thread.
 * Shapes: n rows; p columns of a design.
 */
import type { ResponseName } from '../distributions/families.ts';
import type { Link } from '../distributions/family.ts';

/** Row-major. */
export interface DenseMatrix {
  kind: 'dense';
  rows: number;
  cols: number;
  values: Float64Array;
}

/** Compressed sparse rows: row i has the columns `at[offsets[i]] … at[offsets[i + 1] - 1]`, ascending. */
export interface SparseMatrix {
  kind: 'sparse';
  rows: number;
  cols: number;
  offsets: Int32Array;
  at: Int32Array;
  values: Float64Array;
}

export type Matrix = DenseMatrix | SparseMatrix;

/** Scales are standard deviations (or the t's and Cauchy's scale). On a positive parameter they are halves, renormalised or not. */
export type Prior =
  | { kind: 'flat' }
  | { kind: 'normal'; mean: number; sd: number }
  | { kind: 'student_t'; df: number; mean: number; scale: number }
  | { kind: 'cauchy'; mean: number; scale: number }
  | { kind: 'exponential'; rate: number }
  /**
   * Exponential, of the scale of `rows` numbers that are known to ± `error` only: exp(-rate x - rows (error / x)² / 2), which
   * is what rounding takes from a Gaussian log likelihood on average. A scale of an exact fit is then near `error`, not 0.
   */
  | { kind: 'exponential_above'; rate: number; error: number; rows: number }
  | { kind: 'gamma'; shape: number; rate: number }
  | { kind: 'beta'; a: number; b: number }
  | { kind: 'uniform'; lower: number; upper: number };

/** Columns whose coefficients share an estimated scale: β_j ~ N(0, τ · sd_j), τ ~ `scale` on its natural scale. */
export interface Pool {
  name: string;
  columns: Int32Array;
  /** sd_j, one a column of the pool. */
  sds: Float64Array;
  scale: Prior;
}

/** A parameter of the family: either a linear predictor Xβ on the link's scale, or one number for all rows. */
export type PredictorSpec =
  | {
      kind: 'linear';
      parameter: string;
      design: Matrix;
      /** Names of the columns, for people. */
      names: readonly string[];
      /** One a column, on the coefficient; those of pooled columns are not looked at. */
      priors: readonly Prior[];
      pools: readonly Pool[];
    }
  | {
      kind: 'constant';
      parameter: string;
      /** On the parameter's natural scale (σ, not log σ); the Jacobian of the link is added. */
      prior: Prior;
    };

export interface RegressionSpec {
  family: ResponseName;
  /** n. */
  y: Float64Array;
  /** How often each row counts; null: once. */
  weights: Float64Array | null;
  /** One for each parameter of the family, in the family's order. */
  predictors: readonly PredictorSpec[];
}

// Log densities of priors on their natural scale, up to constants, with two derivatives.

/** What a term adds to a log density of one variable. */
interface Term {
  value: number;
  slope: number;
  curvature: number;
}

const NOTHING: Term = { value: 0, slope: 0, curvature: 0 };
const OUTSIDE: Term = { value: Number.NEGATIVE_INFINITY, slope: 0, curvature: 0 };

/** The prior's term at `x`; -Infinity outside its support. Normal, t and Cauchy on a positive parameter are their halves. */
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

// Links of constant parameters: natural scale from link scale, and a natural-scale prior carried over with its Jacobian.

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

/** A constant on its link's scale. */
export function toLink(link: Link, natural: number): number {
  if (link === 'identity') return natural;
  if (link === 'log') return Math.log(natural);
  if (link === 'logit') return Math.log(natural) - Math.log1p(-natural);
  return Math.log(natural - 1);
}
