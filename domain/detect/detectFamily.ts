/** The distribution family of a target, from the profile alone: support first, then zeros and atoms, dispersion, tail. */
import { ServiceError } from '../errors.ts';
import type { ColumnProfile, Profile } from '../profile/profile.ts';
import type { Family } from '../schema/families.ts';
import { parseNumber } from '../table/numberFormat.ts';
import { percent, quoted } from '../table/wording.ts';
import { countFamily } from './countFamily.ts';
import { isSkewed, positiveFamily } from './positiveFamily.ts';
import { medianOf, momentsOf, shareWhere } from './sampleMoments.ts';

export interface DetectedFamily {
  family: Family;
  /** Why, in words, with the figures that decided. */
  reason: string;
}

type Numbers = NonNullable<ColumnProfile['numbers']>;

interface TargetFacts {
  /** Of all cells. */
  numbers: Numbers;
  /** The numbers of the row sample. */
  sample: readonly number[];
}

/** One question about a target; undefined where the answer is no. */
type Question = (facts: TargetFacts) => DetectedFamily | undefined;

/** Counts are small; prices, hours and masses are whole numbers and no counts. */
const MOST_USUAL_COUNT = 25;
const MOST_COUNT = 10_000;
/** An atom at the end of the unit interval or the percent scale. */
const ATOM = 0.02;
const PERCENT_ATOM = 0.1;
/** Zeros from which numbers that are not skewed have a hurdle; a few are impossible zeros or noise. */
const HURDLE_ZEROS = 0.02;
/** (99 % - 1 %) / (90 % - 10 %): 1.82 for a gaussian, 2.44 for a Student t with 4 degrees of freedom. */
const HEAVY_TAIL = 2.4;

const QUESTIONS: readonly Question[] = [
  isConstant,
  isBinary,
  isUnitInterval,
  isPercent,
  isCount,
  isHurdle,
  isPositive,
  isHeavyTailed,
];

/**
 * What `family: auto` selects for a numeric column. The same profile gives the same answer. Throws `invalid_parameter`
 * where the column has no numbers.
 */
export function detectFamily(profile: Profile, column: ColumnProfile): DetectedFamily {
  const { numbers } = column;
  if (!numbers) throw notNumeric(column);
  const cells = profile.sample.cells[profile.columns.findIndex(({ name }) => name === column.name)] ?? [];
  const sample = cells.flatMap((cell) => (cell === null ? [] : (parseNumber(cell) ?? [])));
  const facts = { numbers, sample: sample.length > 0 ? sample : numbers.quantiles };
  for (const ask of QUESTIONS) {
    const answer = ask(facts);
    if (answer) return answer;
  }
  const { skewness } = momentsOf(facts.sample);
  return {
    family: 'gaussian',
    reason: `Neither bounded, nor counts, nor heavy-tailed: skewness ${skewness.toFixed(2)}.`,
  };
}

function isConstant({ numbers }: TargetFacts): DetectedFamily | undefined {
  if (numbers.format.min !== numbers.format.max) return undefined;
  return { family: 'gaussian', reason: `Every number is ${numbers.format.min}: no family fits better than another.` };
}

function isBinary({ numbers }: TargetFacts): DetectedFamily | undefined {
  const { format, count, zeros } = numbers;
  if (!format.integer || format.min !== 0 || format.max !== 1) return undefined;
  return { family: 'bernoulli', reason: `Every number is 0 or 1; ${percent(1 - zeros / count)} are 1.` };
}

/** Shares: numbers from 0 to 1 that are not all whole. */
function isUnitInterval({ numbers, sample }: TargetFacts): DetectedFamily | undefined {
  const { format } = numbers;
  if (format.min < 0 || format.max > 1 || format.integer) return undefined;
  return betaFamily('from 0 to 1', numbers.zeros > 0, format.max === 1, sample, 1);
}

/** Percent: from 0 to 100, and an end of the scale is so frequent that it is one. */
function isPercent({ numbers, sample }: TargetFacts): DetectedFamily | undefined {
  const { format } = numbers;
  if (format.min < 0 || format.max !== 100) return undefined;
  const atTop = shareWhere(sample, (value) => value === 100);
  if (atTop < PERCENT_ATOM) return undefined;
  const atBottom = shareWhere(sample, (value) => value === 0);
  return betaFamily('from 0 to 100, a percent scale', atBottom > ATOM, true, sample, 100);
}

function betaFamily(
  range: string,
  hasZeros: boolean,
  hasOnes: boolean,
  sample: readonly number[],
  top: number,
): DetectedFamily {
  const zeros = percent(shareWhere(sample, (value) => value === 0));
  const ones = percent(shareWhere(sample, (value) => value === top));
  const family =
    hasZeros && hasOnes
      ? 'zero_one_inflated_beta'
      : hasZeros
        ? 'zero_inflated_beta'
        : hasOnes
          ? 'one_inflated_beta'
          : 'beta';
  return { family, reason: `The numbers lie ${range}; ${zeros} are exactly 0 and ${ones} exactly ${top}.` };
}

function isCount({ numbers, sample }: TargetFacts): DetectedFamily | undefined {
  const { format, zeros } = numbers;
  if (!format.integer || format.min < 0 || zeros === 0 || format.max > MOST_COUNT) return undefined;
  const positive = sample.filter((value) => value > 0);
  if (positive.length === 0 || medianOf(positive) > MOST_USUAL_COUNT) return undefined;
  const { family, reason } = countFamily(sample);
  return { family, reason: `Whole numbers from 0 on: ${reason}.` };
}

function isHurdle({ numbers, sample }: TargetFacts): DetectedFamily | undefined {
  const zeros = numbers.zeros / numbers.count;
  const positive = sample.filter((value) => value > 0);
  if (numbers.format.min < 0 || numbers.zeros === 0 || positive.length === 0) return undefined;
  if (zeros < HURDLE_ZEROS && !isSkewed(positive)) return undefined;
  const { family, reason } = positiveFamily(positive);
  return {
    family: `hurdle_${family}`,
    reason: `No number is negative and ${percent(zeros)} are 0; those above 0 have ${reason}.`,
  };
}

function isPositive({ numbers, sample }: TargetFacts): DetectedFamily | undefined {
  if (numbers.format.min <= 0 || !isSkewed(sample)) return undefined;
  const { family, reason } = positiveFamily(sample);
  return { family, reason: `Every number is above 0; ${reason}.` };
}

function isHeavyTailed({ numbers }: TargetFacts): DetectedFamily | undefined {
  // Quantiles of the profile, in the order of QUANTILE_SHARES.
  const [, q01, , q10, , , , , , , , q90, , q99] = numbers.quantiles;
  if (q01 === undefined || q10 === undefined || q90 === undefined || q99 === undefined || q90 <= q10) return undefined;
  const ratio = (q99 - q01) / (q90 - q10);
  if (ratio < HEAVY_TAIL) return undefined;
  return {
    family: 'student_t',
    reason: `The middle 98 % of the numbers spread ${ratio.toFixed(2)} times as wide as the middle 80 %, a gaussian's 1.82 times.`,
  };
}

const notNumeric = (column: ColumnProfile): ServiceError =>
  new ServiceError(
    'invalid_parameter',
    `Column ${quoted(column.name)} has no numbers (it was read as ${column.kind}) and cannot be a target. Name a numeric column.`,
  );
