/** Log predictive probability of each row by a fit that has not seen it, on one measure for all families. */
import { familyOf } from '../../distributions/families.ts';
import { isAtom, type ResponseFamily } from '../../distributions/family.ts';
import { fitMode, predictorsAt, type QuickProblem, startOf } from './fitMode.ts';

/** Steps of the fit of all rows and, from there, of each fold. */
const ITERATIONS = 60;
const FOLD_ITERATIONS = 20;

/** Below it the difference of two distribution functions has lost its digits, and the density times the width serves. */
const LEAST_CELL = 1e-7;

/**
 * n: log probability of the cell of width `step` about each value, by cross-validation in `folds` (row i is in fold
 * i mod folds). `step` is the grid of the data in the units of y: 1 for whole numbers. Atoms follow the design, or are one
 * number for all rows where that says more: a job's shrinkage comes out at either. Undefined where the family cannot be
 * fitted or gives a row no probability.
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
  const all = Int32Array.from({ length: n }, (_, i) => i);
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

/**
 * Log of P(y - step/2 ≤ Y ≤ y + step/2): what a value that was rounded to a grid of width `step` tells of, whether the
 * family has a density, masses, or both.
 */
export function logCell(family: ResponseFamily, y: number, eta: Float64Array, step: number): number {
  if (family.measure === 'counts') return family.logDensity(y, eta);
  const cell = family.cdf(y + step / 2, eta) - family.cdfBelow(y - step / 2, eta);
  if (cell > LEAST_CELL) return Math.log(cell);
  const isAtom = family.measure === 'mixed' && family.cdf(y, eta) > family.cdfBelow(y, eta);
  return family.logDensity(y, eta) + (isAtom ? 0 : Math.log(step));
}
