/** Compares families by log scores of quick fits on held-out rows. */
import type { Family, FamilyChoice } from '../../contract/families.ts';
import { familyOf } from '../../numerics/distributions/families.ts';
import { isAtom } from '../../numerics/distributions/family.ts';
import { heldOutScores, whiten } from '../../numerics/regression/quickFit/heldOutScores.ts';
import { toScale, unitScale } from '../../numerics/regression/responseScale.ts';
import { counted, listed, percent, quoted } from '../../words/wording.ts';
import { type Candidates, momentsOf, shareWhere } from './candidateFamilies.ts';
import { scaleOf, type TargetFacts } from './familySupport.ts';

interface Score {
  family: Family;
  /** Held-out log probabilities on the column's grid (n). */
  scores: Float64Array;
  total: number;
}

interface Comparison {
  facts: TargetFacts;
  y: Float64Array;
  /** Whitened (n × cols). */
  design: Float64Array;
  cols: number;
}

const FOLDS = 5;

/** Smaller differences of log scores do not count (Sivula, Magnusson and Vehtari, 2020). */
const SMALL_DIFFERENCE = 4;

/** Ascending by parameters, then sampling time. */
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

/** Undefined if the family cannot be fitted. */
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

interface Difference {
  difference: number;
  standardError: number;
}

export function differenceOf(one: Score, other: Score): Difference {
  const n = one.scores.length;
  const difference = one.total - other.total;
  let squares = 0;
  for (let i = 0; i < n; i++) squares += (one.scores[i]! - other.scores[i]! - difference / n) ** 2;
  return { difference, standardError: Math.sqrt((squares * n) / Math.max(1, n - 1)) };
}

/** Negligible difference per row beside point masses, since draws are calibrated. */
export const SMALL_BESIDE_ATOMS = 0.05;

/** Standard errors by which an atom must win, because it adds a design. */
const ERRORS_AN_ATOM = 2;

const atomsOf = ({ family }: Score): number => familyOf(family).parameters.filter(isAtom).length;

/** Returns the cheapest family within error or `indifference` per row of the best. Needs at least one score. */
export function chooseScore(scores: readonly Score[], indifference = 0): Score {
  const best = scores.reduce((a, b) => (b.total > a.total ? b : a));
  const near = scores.filter((score) => {
    const { difference, standardError } = differenceOf(best, score);
    const errors = atomsOf(score) < atomsOf(best) ? ERRORS_AN_ATOM : 1;
    return difference <= Math.max(errors * standardError, SMALL_DIFFERENCE, indifference * score.scores.length);
  });
  return near.reduce((a, b) => (BY_COST.indexOf(b.family) < BY_COST.indexOf(a.family) ? b : a));
}

const MAX_PREDICTORS = 3;

const worded = (family: string): string => family.replaceAll('_', ' ');

export function reasonOf(
  { words }: Candidates,
  chosen: Score,
  runnerUp: ({ other: Score } & Difference) | undefined,
  y: Float64Array,
  predictors: readonly string[],
): string {
  const sample = [...y];
  const zeros = shareWhere(sample, (value) => value === 0);
  const { mean, skewness } = momentsOf(sample);
  const atZero = zeros > 0 ? `, ${percent(zeros)} of them 0` : '';
  // Powers of 1e300 overflow.
  const figures = Number.isFinite(skewness) ? ` (mean ${shortened(mean)}, skewness ${shortened(skewness)})` : '';
  const given = predictors.length > 0 ? ` given ${listed(predictors.map(quoted), MAX_PREDICTORS)}` : '';
  const verdict = runnerUp
    ? verdictOn(chosen, runnerUp)
    : `${worded(chosen.family)} is the only family that could be fitted`;
  return `The values are ${words}${atZero}${figures}. On ${counted(y.length, 'row')}${given}, ${verdict}.`;
}

function verdictOn(chosen: Score, { other, difference, standardError }: { other: Score } & Difference): string {
  const [one, two] = [worded(chosen.family), worded(other.family)];
  const figures = `${shortened(Math.abs(difference))} with a standard error of ${shortened(standardError)}`;
  if (difference > standardError)
    return `${one} predicts held-out values better than ${two}: its log score is higher by ${figures}`;
  if (difference > 0)
    return `${one} predicts held-out values about as well as ${two} and is chosen, with a log score higher by ${figures}`;
  return `${one} was chosen: ${two} does not predict clearly better (difference in log score ${shortened(Math.abs(difference))} ± ${shortened(standardError)}) and is more complex`;
}

export function choiceLine(target: string, { family, runner_up }: FamilyChoice): string {
  const start = `Family of ${quoted(target)}: ${family}`;
  if (!runner_up) return `${start}, by its values alone`;
  const { difference, standard_error } = runner_up;
  const sign = difference < 0 ? '-' : '+';
  return `${start}; runner-up ${runner_up.family}, difference of held-out log scores ${sign}${shortened(Math.abs(difference))} (standard error ${shortened(standard_error)})`;
}

const shortened = (value: number): string =>
  Math.abs(value) >= 1000 && Math.abs(value) < 1e15 ? value.toFixed(0) : String(Number(value.toPrecision(3)));
