/** The words in which a choice of a family is told. */
import type { FamilyChoice } from '../schema/familyChoice.ts';
import { counted, listed, percent, quoted } from '../table/wording.ts';
import type { Candidates } from './candidateFamilies.ts';
import type { Difference, Score } from './compareFamilies.ts';
import { momentsOf, shareWhere } from './sampleMoments.ts';

const MOST_PREDICTORS = 3;

export const worded = (family: string): string => family.replaceAll('_', ' ');

/** What the numbers are, then what decided, with the figures. */
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
  // Powers of numbers such as 1e300 overflow.
  const figures = Number.isFinite(skewness) ? ` (mean ${shortened(mean)}, skewness ${shortened(skewness)})` : '';
  const given = predictors.length > 0 ? ` given ${listed(predictors.map(quoted), MOST_PREDICTORS)}` : '';
  const verdict = runnerUp
    ? verdictOn(chosen, runnerUp)
    : `${worded(chosen.family)} is the one family that could be fitted`;
  return `These are ${words}${atZero}${figures}. On ${counted(y.length, 'row')}${given}, ${verdict}.`;
}

function verdictOn(chosen: Score, { other, difference, standardError }: { other: Score } & Difference): string {
  const [one, two] = [worded(chosen.family), worded(other.family)];
  const figures = `${shortened(Math.abs(difference))} with a standard error of ${shortened(standardError)}`;
  if (difference > 0)
    return `${one} predicts held-out values better than ${two}: its log score is higher by ${figures}`;
  return `${one} is taken because it is the simpler one: the log score of ${two} on held-out values is higher by only ${figures}`;
}

/** The choice of a family in one line, for progress and notes. */
export function choiceLine(target: string, { family, runner_up }: FamilyChoice): string {
  const start = `Family of ${quoted(target)}: ${family}`;
  if (!runner_up) return `${start}, by its values alone`;
  const { difference, standard_error } = runner_up;
  const sign = difference < 0 ? '-' : '+';
  return `${start}; runner-up ${runner_up.family}, difference of held-out log scores ${sign}${shortened(Math.abs(difference))} (standard error ${shortened(standard_error)})`;
}

/** With three digits that count. */
const shortened = (value: number): string =>
  Math.abs(value) >= 1000 && Math.abs(value) < 1e15 ? value.toFixed(0) : String(Number(value.toPrecision(3)));
