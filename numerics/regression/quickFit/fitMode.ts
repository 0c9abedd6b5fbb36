/** The mode of a small regression: a location that follows a whitened design, every other parameter one number. */
import type { FamilyParameter, ResponseFamily } from '../../distributions/family.ts';
import { minimise } from './minimise.ts';

/** Shapes: n rows, p columns of the design, the first of them the intercept. */
export interface QuickProblem {
  family: ResponseFamily;
  /** n, in the family's support, of a size near 1 where the family has a scale. */
  y: Float64Array;
  /** n × p, row-major, from `whiten`. */
  design: Float64Array;
  cols: number;
}

/** Standard deviation of the prior of a slope on a column of mean square 1, on the link's scale. */
const SLOPE_SD = 2.5;
/** Of the parameters that are one number, on the link's scale about their start: they stay where data say nothing. */
const CONSTANT_SD = 3;
/** Nats that two steps have to gain: a hundredth of what could sway a choice. */
const TOLERANCE = 1e-2;

/**
 * θ: p coefficients of the location, then the family's other parameters on their links' scales. `rows` says which rows
 * to fit. Undefined where the likelihood has no finite value at the start.
 */
export function fitMode(
  problem: QuickProblem,
  rows: Int32Array,
  start: Float64Array,
  iterations: number,
): Float64Array | undefined {
  const centre = startOf(problem);
  const settings = { iterations, firstScale: 1 / Math.max(1, rows.length), tolerance: TOLERANCE };
  const found = minimise((at, gradient) => -logPosterior(problem, rows, centre, at, gradient), start, settings);
  return Number.isFinite(found.value) && found.at.every(Number.isFinite) ? found.at : undefined;
}

/** The linear predictors of row `i` at θ, in the family's order. */
export function predictorsAt(problem: QuickProblem, theta: Float64Array, i: number, eta: Float64Array): void {
  const { design, cols } = problem;
  let location = 0;
  for (let j = 0, row = i * cols; j < cols; j++) location += design[row + j]! * theta[j]!;
  eta[0] = location;
  for (let k = 1; k < eta.length; k++) eta[k] = theta[cols + k - 1]!;
}

/** Writes minus its gradient, for a minimiser. */
function logPosterior(
  problem: QuickProblem,
  rows: Int32Array,
  centre: Float64Array,
  theta: Float64Array,
  gradient: Float64Array,
): number {
  const { family, y, design, cols } = problem;
  const eta = new Float64Array(family.parameters.length);
  const slopes = new Float64Array(eta.length);
  gradient.fill(0);
  let value = 0;
  for (let at = 0; at < rows.length; at++) {
    const i = rows[at]!;
    predictorsAt(problem, theta, i, eta);
    value += family.gradient(y[i]!, eta, slopes);
    const location = slopes[0]!;
    for (let j = 0, row = i * cols; j < cols; j++) gradient[j]! -= location * design[row + j]!;
    for (let k = 1; k < slopes.length; k++) gradient[cols + k - 1]! -= slopes[k]!;
  }
  // The intercept has no prior.
  for (let j = 1; j < theta.length; j++) {
    const sd = j < cols ? SLOPE_SD : CONSTANT_SD;
    const z = (theta[j]! - centre[j]!) / sd;
    value -= (z * z) / 2;
    gradient[j]! += z / sd;
  }
  return value;
}

/** Where a fit of all rows starts: slopes 0, the location at the mean, shares of zeros and ones as they are. */
export function startOf({ family, y, cols }: QuickProblem): Float64Array {
  const theta = new Float64Array(cols + family.parameters.length - 1);
  const inside = y.filter((value) => value !== 0 && (family.parameters[0]!.link !== 'logit' || value !== 1));
  theta[0] = locationStart(family.parameters[0]!, inside.length > 0 ? inside : y);
  for (let k = 1; k < family.parameters.length; k++) theta[cols + k - 1] = constantStart(family.parameters[k]!, y);
  return theta;
}

function locationStart({ link }: FamilyParameter, y: Float64Array): number {
  if (link === 'identity') return 0;
  const mean = y.reduce((sum, value) => sum + value / y.length, 0);
  return link === 'logit' ? logit(mean) : Math.log(Math.max(1e-3, mean));
}

function constantStart({ name, link }: FamilyParameter, y: Float64Array): number {
  const zeros = shareOf(y, 0);
  if (name === 'zero') return logit(zeros);
  if (name === 'one') return logit(shareOf(y, 1) / Math.max(1e-9, 1 - zeros));
  if (link === 'log_above_one') return Math.log(9);
  return link === 'log' ? 0.5 : 0;
}

/** Of a share that is moved off its ends. */
function logit(share: number): number {
  const inside = Math.min(0.9999, Math.max(0.0001, share));
  return Math.log(inside / (1 - inside));
}

function shareOf(y: Float64Array, value: number): number {
  let count = 0;
  for (const each of y) if (each === value) count++;
  return count / y.length;
}
