/**
 * The mode of a small regression as a job has it: a location that follows a whitened design, atoms (zeros, ones) that may
 * follow it too, every other parameter one number.
 */
import { familyOf } from '../../distributions/families.ts';
import { type FamilyName, type FamilyParameter, hasExtraZeros, isAtom } from '../../distributions/family.ts';
import { takeRows } from '../aggregateRows.ts';
import { gaussianStatistics } from '../gaussianStatistics.ts';
import type { Likelihood } from '../likelihood.ts';
import { openLikelihood } from '../openLikelihood.ts';
import type { DenseMatrix, PredictorSpec, RegressionSpec } from '../spec.ts';
import { splitAtoms } from '../splitAtoms.ts';
import { minimise } from './minimise.ts';

/** Shapes: n rows, p columns of the design, the first of them the intercept. */
export interface QuickProblem {
  family: FamilyName;
  /** n, in the family's support, of a size near 1 where the family has a scale. */
  y: Float64Array;
  /** n × p, row-major, from `whiten`. */
  design: Float64Array;
  cols: number;
  /** Whether atoms have linear predictors, or are one number each. */
  atomsFollow: boolean;
}

/** Standard deviation of the prior of a slope on a column of mean square 1, on the link's scale. */
const SLOPE_SD = 2.5;
/** The same of extra zeros. */
const EXTRA_SD = 1;
/** Of the parameters that are one number, and of atoms' intercepts, about their start: they stay where data say nothing. */
const CONSTANT_SD = 3;
/** Nats that two steps have to gain: a hundredth of what could sway a choice. */
const TOLERANCE = 1e-2;

/** Whether the `k`-th parameter has a linear predictor. */
const follows = ({ atomsFollow }: QuickProblem, parameter: FamilyParameter, k: number): boolean =>
  k === 0 || (atomsFollow && isAtom(parameter));

/** Entries of θ for each parameter, in their order. */
const sizesOf = (problem: QuickProblem): number[] =>
  familyOf(problem.family).parameters.map((parameter, k) => (follows(problem, parameter, k) ? problem.cols : 1));

/**
 * θ: for each parameter of the family p coefficients, or one number on its link's scale. `rows` says which rows to fit.
 * Undefined where the likelihood has no finite value at the start.
 */
export function fitMode(
  problem: QuickProblem,
  rows: Int32Array,
  start: Float64Array,
  iterations: number,
): Float64Array | undefined {
  const whole = specOf(problem, rows);
  const centre = startOf(problem);
  const sds = priorSds(problem);
  const theta = start.slice();
  // What shares no coefficient is found one after the other, in fewer steps.
  for (const { spec, entries } of splitAtoms(whole) ?? [{ spec: whole, entries: Int32Array.from(start.keys()) }]) {
    const take = (from: Float64Array): Float64Array => Float64Array.from(entries, (at) => from[at]!);
    const objective = minusLogPosterior(likelihoodOf(spec), take(centre), take(sds));
    const settings = { iterations, firstScale: 1 / Math.max(1, spec.y.length), tolerance: TOLERANCE };
    const found = minimise(objective, take(start), settings);
    if (!Number.isFinite(found.value) || !found.at.every(Number.isFinite)) return undefined;
    entries.forEach((at, i) => {
      theta[at] = found.at[i]!;
    });
  }
  return theta;
}

/** The linear predictors of row `i` at θ, in the family's order. */
export function predictorsAt(problem: QuickProblem, theta: Float64Array, i: number, eta: Float64Array): void {
  const { design, cols } = problem;
  let at = 0;
  sizesOf(problem).forEach((size, k) => {
    if (size === 1) eta[k] = theta[at]!;
    else {
      let sum = 0;
      for (let j = 0, row = i * cols; j < cols; j++) sum += design[row + j]! * theta[at + j]!;
      eta[k] = sum;
    }
    at += size;
  });
}

/** A likelihood asks for no names and priors. */
function specOf(problem: QuickProblem, rows: Int32Array): RegressionSpec {
  const { family, y, design, cols } = problem;
  const whole: DenseMatrix = { kind: 'dense', rows: y.length, cols, values: design };
  const isWhole = rows.length === y.length;
  const x = isWhole ? whole : takeRows(whole, rows);
  return {
    family,
    y: isWhole ? y : Float64Array.from(rows, (row) => y[row]!),
    weights: null,
    predictors: familyOf(family).parameters.map(
      (parameter, k): PredictorSpec =>
        follows(problem, parameter, k)
          ? { kind: 'linear', parameter: parameter.name, design: x, names: [], priors: [], pools: [] }
          : { kind: 'constant', parameter: parameter.name, prior: { kind: 'flat' } },
    ),
  };
}

function likelihoodOf(spec: RegressionSpec): Likelihood {
  const statistics = gaussianStatistics(spec);
  return openLikelihood(statistics ? { kind: 'gaussian', statistics } : { kind: 'rows', spec });
}

/** For a minimiser: writes minus its gradient. */
function minusLogPosterior(likelihood: Likelihood, centre: Float64Array, sds: Float64Array) {
  return (theta: Float64Array, gradient: Float64Array): number => {
    let value = likelihood.evaluate(theta, gradient);
    for (let j = 0; j < theta.length; j++) {
      const z = (theta[j]! - centre[j]!) / sds[j]!;
      value -= (z * z) / 2;
      gradient[j] = z / sds[j]! - gradient[j]!;
    }
    return -value;
  };
}

/** One an entry of θ; the location's intercept has no prior. */
function priorSds(problem: QuickProblem): Float64Array {
  const sds = sizesOf(problem).flatMap((size, k) => [
    k === 0 ? Number.POSITIVE_INFINITY : CONSTANT_SD,
    ...new Array<number>(size - 1).fill(k > 0 && hasExtraZeros(problem.family) ? EXTRA_SD : SLOPE_SD),
  ]);
  return Float64Array.from(sds);
}

/** Where a fit of all rows starts: slopes 0, the location at the mean, shares of zeros and ones as they are. */
export function startOf(problem: QuickProblem): Float64Array {
  const { y } = problem;
  const { parameters } = familyOf(problem.family);
  const sizes = sizesOf(problem);
  const theta = new Float64Array(sizes.reduce((sum, size) => sum + size, 0));
  const inside = y.filter((value) => value !== 0 && (parameters[0]!.link !== 'logit' || value !== 1));
  let at = 0;
  parameters.forEach((parameter, k) => {
    theta[at] = k === 0 ? locationStart(parameter, inside.length > 0 ? inside : y) : constantStart(parameter, y);
    at += sizes[k]!;
  });
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
