/** Families against each other: each is fitted quickly and scored by what it says of rows that it has not seen. */
import { familyOf } from '../../numerics/distributions/families.ts';
import { isAtom } from '../../numerics/distributions/family.ts';
import { heldOutScores } from '../../numerics/regression/quickFit/heldOutScores.ts';
import { whiten } from '../../numerics/regression/quickFit/whiten.ts';
import { toScale, unitScale } from '../../numerics/regression/scaleResponse.ts';
import type { Family } from '../schema/families.ts';
import { scaleOf, type TargetFacts } from './familySupport.ts';

export interface Score {
  family: Family;
  /** n: log probability that a fit without the row gives to its value, on the grid on which the column is written. */
  scores: Float64Array;
  /** Sum of the rows' scores. */
  total: number;
}

export interface Comparison {
  facts: TargetFacts;
  /** n. */
  y: Float64Array;
  /** n × cols, whitened. */
  design: Float64Array;
  cols: number;
}

const FOLDS = 5;

/** A difference of log scores below it is small whatever its standard error says (Sivula, Magnusson and Vehtari, 2020). */
const SMALL_DIFFERENCE = 4;

/** What a family costs, the least first: parameters that are estimated, then time to sample. */
const BY_COST: readonly Family[] = [
  'bernoulli',
  'poisson',
  'gaussian',
  'beta',
  'lognormal',
  'gamma',
  'negative_binomial',
  'hurdle_poisson',
  'zero_inflated_poisson',
  'student_t',
  'zero_inflated_beta',
  'one_inflated_beta',
  'hurdle_lognormal',
  'hurdle_gamma',
  'hurdle_negative_binomial',
  'zero_inflated_negative_binomial',
  'zero_one_inflated_beta',
];

export const comparisonOf = (facts: TargetFacts, y: Float64Array, columns: readonly Float64Array[]): Comparison => ({
  facts,
  y,
  ...whiten(columns, y.length),
});

/** Undefined where the family cannot be fitted to the numbers. */
export function scoreFamily({ facts, y, design, cols }: Comparison, family: Family): Score | undefined {
  const support = scaleOf(family, facts);
  const inSupport = toScale(y, support);
  const unit = unitScale(family, inSupport);
  const problem = { family, y: toScale(inSupport, unit), design, cols };
  const grid = facts.isWhole ? 1 : 10 ** -facts.decimals;
  const step = grid / support.factor / unit.factor;
  const scores = heldOutScores(problem, step, FOLDS);
  return scores && { family, scores, total: scores.reduce((sum, score) => sum + score, 0) };
}

export interface Difference {
  /** Total of the one less that of the other. */
  difference: number;
  standardError: number;
}

/** By pairs: both have scored the same rows. */
export function differenceOf(one: Score, other: Score): Difference {
  const n = one.scores.length;
  const difference = one.total - other.total;
  let squares = 0;
  for (let i = 0; i < n; i++) squares += (one.scores[i]! - other.scores[i]! - difference / n) ** 2;
  return { difference, standardError: Math.sqrt((squares * n) / Math.max(1, n - 1)) };
}

/** A difference a row that is small where heaps hold the margin: draws are calibrated to it, whatever the family's shape. */
export const SMALL_AMONG_HEAPS = 0.05;

/** Standard errors within which an atom is not earned: it comes with a design of its own, and would be taken by chance. */
const ERRORS_AN_ATOM = 2;

const atomsOf = ({ family }: Score): number => familyOf(family).parameters.filter(isAtom).length;

/**
 * The best, or the cheapest of those that are not worse beyond error, nor by more than `indifference` a row.
 * `scores`: at least one.
 */
export function chooseScore(scores: readonly Score[], indifference = 0): Score {
  const best = scores.reduce((a, b) => (b.total > a.total ? b : a));
  const near = scores.filter((score) => {
    const { difference, standardError } = differenceOf(best, score);
    const errors = atomsOf(score) < atomsOf(best) ? ERRORS_AN_ATOM : 1;
    return difference <= Math.max(errors * standardError, SMALL_DIFFERENCE, indifference * score.scores.length);
  });
  return near.reduce((a, b) => (BY_COST.indexOf(b.family) < BY_COST.indexOf(a.family) ? b : a));
}
