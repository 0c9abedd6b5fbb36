import { type FamilyName, familyOf, hasExtraZeros } from '../../distributions/families.ts';
import { type FamilyParameter, isAtom, type ResponseFamily } from '../../distributions/family.ts';
import { cholesky } from '../../linalg/dense.ts';
import { lbfgs } from '../../optimise/lbfgs.ts';
import { ascendingRows, takeNumbers } from '../../rows.ts';
import { splitAtoms, takeRows } from '../aggregateRows.ts';
import { gaussianStatistics } from '../gaussianStatistics.ts';
import { openLikelihood } from '../openLikelihood.ts';
import type { Likelihood } from '../posterior.ts';
import type { DenseMatrix, PredictorSpec, RegressionSpec } from '../spec.ts';

/** Iterations for all rows, then for each fold. */
const ITERATIONS = 60;
const FOLD_ITERATIONS = 20;

/** Smaller differences lose digits; use density times width. */
const MIN_CELL = 1e-7;

/**
 * Cross-validated log probabilities (n) of cells of width `step`, the data's grid; row i is in fold i mod folds. Atoms
 * follow the design or are constant, whichever scores higher. Undefined if the fit fails or a probability is zero.
 */
export function heldOutScores(
  problem: Omit<QuickProblem, 'atomsFollow'>,
  step: number,
  folds: number,
): Float64Array | undefined {
  const fixed = scoresOf({ ...problem, atomsFollow: false }, step, folds);
  if (problem.cols === 1 || !familyOf(problem.family).parameters.some(isAtom)) return fixed;
  const following = scoresOf({ ...problem, atomsFollow: true }, step, folds);
  return following && !(fixed && sumOf(fixed) > sumOf(following)) ? following : fixed;
}

const sumOf = (scores: Float64Array): number => scores.reduce((sum, score) => sum + score, 0);

function scoresOf(problem: QuickProblem, step: number, folds: number): Float64Array | undefined {
  const { y } = problem;
  const family = familyOf(problem.family);
  const n = y.length;
  const all = ascendingRows(n);
  const whole = fitMode(problem, all, startOf(problem), ITERATIONS);
  if (!whole) return undefined;
  const scores = new Float64Array(n);
  const eta = new Float64Array(family.parameters.length);
  for (let fold = 0; fold < folds; fold++) {
    const mode = fitMode(
      problem,
      all.filter((i) => i % folds !== fold),
      whole,
      FOLD_ITERATIONS,
    );
    if (!mode) return undefined;
    for (let i = fold; i < n; i += folds) {
      predictorsAt(problem, mode, i, eta);
      scores[i] = logCell(family, y[i]!, eta, step);
    }
  }
  return scores.every(Number.isFinite) ? scores : undefined;
}

/** log P(y - step/2 ≤ Y ≤ y + step/2). */
export function logCell(family: ResponseFamily, y: number, eta: Float64Array, step: number): number {
  if (family.measure === 'counts') return family.logDensity(y, eta);
  const cell = family.cdf(y + step / 2, eta) - family.cdfBelow(y - step / 2, eta);
  if (cell > MIN_CELL) return Math.log(cell);
  const isAtom = family.measure === 'mixed' && family.cdf(y, eta) > family.cdfBelow(y, eta);
  return family.logDensity(y, eta) + (isAtom ? 0 : Math.log(step));
}

// Location and perhaps atoms follow the design.

/** n rows, p columns; column 0 is the intercept. */
export interface QuickProblem {
  family: FamilyName;
  /** In the support, near 1 (n). */
  y: Float64Array;
  /** n × p, row-major, from `whiten`. */
  design: Float64Array;
  cols: number;
  atomsFollow: boolean;
}

/** Prior deviation of slopes on columns of mean square 1, on the link scale. */
const SLOPE_SD = 2.5;
/** The same for extra zeros. */
const EXTRA_SD = 1;
/** Keeps constants near their start without data. */
const CONSTANT_SD = 3;
/** 0.01 nats are a hundredth of what could change a choice. */
const DESCENT = {
  memory: 8,
  lineSearch: 'wolfe',
  minCurvature: 0,
  valueTolerance: 1e-2,
  slopeTolerance: Number.NEGATIVE_INFINITY,
} as const;

const follows = ({ atomsFollow }: QuickProblem, parameter: FamilyParameter, k: number): boolean =>
  k === 0 || (atomsFollow && isAtom(parameter));

const sizesOf = (problem: QuickProblem): number[] =>
  familyOf(problem.family).parameters.map((parameter, k) => (follows(problem, parameter, k) ? problem.cols : 1));

/** Fits θ on `rows`. Undefined if the start has no finite likelihood. */
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
  // Separate parts need fewer steps.
  for (const { spec, entries } of splitAtoms(whole) ?? [{ spec: whole, entries: Int32Array.from(start.keys()) }]) {
    const take = (from: Float64Array): Float64Array => Float64Array.from(entries, (at) => from[at]!);
    const objective = minusLogPosterior(likelihoodOf(spec), take(centre), take(sds));
    const settings = { ...DESCENT, iterations, firstScale: 1 / Math.max(1, spec.y.length) };
    const found = lbfgs(objective, take(start), settings);
    if (!Number.isFinite(found.value) || !found.at.every(Number.isFinite)) return undefined;
    entries.forEach((at, i) => {
      theta[at] = found.at[i]!;
    });
  }
  return theta;
}

function predictorsAt(problem: QuickProblem, theta: Float64Array, i: number, eta: Float64Array): void {
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

function specOf(problem: QuickProblem, rows: Int32Array): RegressionSpec {
  const { family, y, design, cols } = problem;
  const whole: DenseMatrix = { kind: 'dense', rows: y.length, cols, values: design };
  const isWhole = rows.length === y.length;
  const x = isWhole ? whole : takeRows(whole, rows);
  return {
    family,
    y: isWhole ? y : takeNumbers(y, rows),
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

function priorSds(problem: QuickProblem): Float64Array {
  const sds = sizesOf(problem).flatMap((size, k) => [
    k === 0 ? Number.POSITIVE_INFINITY : CONSTANT_SD,
    ...new Array<number>(size - 1).fill(k > 0 && hasExtraZeros(problem.family) ? EXTRA_SD : SLOPE_SD),
  ]);
  return Float64Array.from(sds);
}

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
  const zeros = shareEqualTo(y, 0);
  if (name === 'zero') return logit(zeros);
  if (name === 'one') return logit(shareEqualTo(y, 1) / Math.max(1e-9, 1 - zeros));
  if (link === 'log_above_one') return Math.log(9);
  return link === 'log' ? 0.5 : 0;
}

function logit(share: number): number {
  const inside = Math.min(0.9999, Math.max(0.0001, share));
  return Math.log(inside / (1 - inside));
}

function shareEqualTo(y: Float64Array, value: number): number {
  let count = 0;
  for (const each of y) if (each === value) count++;
  return count / y.length;
}

/** Shortens redundant columns. */
const RIDGE = 1e-6;

/** Returns an intercept and uncorrelated columns of mean square 1, n × p, row-major. Omits constants. */
export function whiten(columns: readonly Float64Array[], n: number): { design: Float64Array; cols: number } {
  const scaled = columns.map(standardised).filter((column) => column !== undefined);
  const p = scaled.length;
  const gram = new Float64Array(p * p);
  for (let a = 0; a < p; a++) for (let b = 0; b <= a; b++) gram[a * p + b] = meanProduct(scaled[a]!, scaled[b]!);
  for (let a = 0; a < p; a++) gram[a * p + a]! += RIDGE;
  const factor = cholesky(gram, p);
  const cols = factor ? p + 1 : 1;
  const design = new Float64Array(n * cols);
  for (let i = 0; i < n; i++) {
    const row = i * cols;
    design[row] = 1;
    if (!factor) continue;
    // Solves L q = x.
    for (let a = 0; a < p; a++) {
      let sum = scaled[a]![i]!;
      for (let b = 0; b < a; b++) sum -= factor[a * p + b]! * design[row + 1 + b]!;
      design[row + 1 + a] = sum / factor[a * p + a]!;
    }
  }
  return { design, cols };
}

const MIN_SPREAD = 1e-10;

function standardised(column: Float64Array): Float64Array | undefined {
  const n = column.length;
  let most = 0;
  for (const value of column) most = Math.max(most, Math.abs(value));
  if (!(most > 0)) return undefined;
  let mean = 0;
  for (const value of column) mean += value / most / n;
  let square = 0;
  for (const value of column) square += (value / most - mean) ** 2 / n;
  const sd = Math.sqrt(square);
  return sd > MIN_SPREAD ? column.map((value) => (value / most - mean) / sd) : undefined;
}

function meanProduct(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!;
  return sum / a.length;
}
