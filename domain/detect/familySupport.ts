/** Which families can hold a target's numbers, and which number they cannot hold: from the facts of the whole file. */
import { type ResponseScale, supportScale } from '../../numerics/regression/scaleResponse.ts';
import type { ColumnProfile } from '../profile/profile.ts';
import type { Family } from '../schema/families.ts';
import { counted, withCommas } from '../table/wording.ts';

/** Exact for all numbers of the column. */
export interface TargetFacts {
  min: number;
  max: number;
  /** Numbers, and those that are 0. */
  count: number;
  zeros: number;
  /** Digits after the point, at most. */
  decimals: number;
  /** Every number is whole. */
  isWhole: boolean;
  /** Written with a percent sign. */
  isPercent: boolean;
  /** Different numbers; null where they are only estimated. */
  distinct: number | null;
  /** Where a value stands first; profiles of earlier versions do not say. */
  first: NonNullable<ColumnProfile['numbers']>['first'];
}

/** A value that a family cannot hold. */
export interface Misfit {
  /** `-3 stands in row 7`, `12 numbers are 0, the first in row 9`. */
  found: string;
}

/** Undefined where the column has no numbers, or times. */
export function targetFacts({ numbers, dress, distinct, distinct_exact }: ColumnProfile): TargetFacts | undefined {
  if (!numbers || !dress || dress.kind === 'time') return undefined;
  const { format, count, zeros, first } = numbers;
  return {
    min: format.min,
    max: format.max,
    count,
    zeros,
    decimals: format.decimals,
    isWhole: format.integer || first?.fraction === null,
    isPercent: dress.kind === 'decorated' && dress.percent,
    distinct: distinct_exact ? distinct : null,
    first,
  };
}

export const scaleOf = (family: Family, { max, isPercent }: TargetFacts): ResponseScale =>
  supportScale(family, max, isPercent);

/** One question about all numbers; what it finds stands against the family. */
type Check = (facts: TargetFacts, family: Family) => Misfit | undefined;

const notNegative: Check = ({ min, first }) => (min < 0 ? { found: standing(min, first?.min) } : undefined);

const notZero: Check = ({ zeros, count, first }) => {
  if (zeros === 0) return undefined;
  const where = first?.zero ? `, the first in row ${withCommas(first.zero)}` : '';
  return { found: `${withCommas(zeros)} of its ${counted(count, 'number')} ${zeros === 1 ? 'is' : 'are'} 0${where}` };
};

const whole: Check = ({ isWhole, first }) => {
  if (isWhole) return undefined;
  const value = first?.fraction;
  return { found: value ? standing(value.value, value) : 'some of its numbers are written with decimals' };
};

const atMostTop: Check = ({ max, first, isPercent }, family) => {
  const top = supportScale(family, max, isPercent).factor;
  return max > top ? { found: standing(max, first?.max) } : undefined;
};

const notTop: Check = ({ max, first, isPercent }, family) => {
  const top = supportScale(family, max, isPercent).factor;
  return max === top ? { found: standing(max, first?.max) } : undefined;
};

const atMostOne: Check = ({ max, first }) => (max > 1 ? { found: standing(max, first?.max) } : undefined);

/** Two distinct numbers that include 0 and 1 are nothing else, however they are written. */
const zeroOrOne: Check = (facts, family) => {
  const { min, max, distinct } = facts;
  const isPair = min === 0 && max === 1 && distinct === 2;
  return notNegative(facts, family) ?? atMostOne(facts, family) ?? (isPair ? undefined : whole(facts, family));
};

const someAboveZero: Check = ({ max }) => (max <= 0 ? { found: 'none of its numbers is above 0' } : undefined);

const someInside: Check = ({ isWhole, max }) =>
  isWhole && max <= 1 ? { found: 'every number is 0 or 1, none between' } : undefined;

const NOTHING: readonly Check[] = [];
const POSITIVE = [notNegative, notZero];
const HURDLE = [notNegative, someAboveZero];
const COUNTS = [notNegative, whole];

interface Support {
  /** What the family holds, for a sentence. */
  words: string;
  checks: readonly Check[];
  /** Families to name instead, the nearest first; gaussian holds everything. */
  relatives: readonly Family[];
}

const UNIT = '0 and 1, or percent between 0 and 100';

const SUPPORTS: Readonly<Record<Family, Support>> = {
  gaussian: { words: 'all numbers', checks: NOTHING, relatives: [] },
  student_t: { words: 'all numbers', checks: NOTHING, relatives: [] },
  lognormal: { words: 'numbers above 0', checks: POSITIVE, relatives: ['hurdle_lognormal'] },
  gamma: { words: 'numbers above 0', checks: POSITIVE, relatives: ['hurdle_gamma'] },
  hurdle_lognormal: { words: 'numbers from 0 on', checks: HURDLE, relatives: [] },
  hurdle_gamma: { words: 'numbers from 0 on', checks: HURDLE, relatives: [] },
  beta: {
    words: `numbers between ${UNIT}, both ends left out`,
    checks: [notNegative, atMostTop, notZero, notTop],
    relatives: ['zero_inflated_beta', 'one_inflated_beta', 'zero_one_inflated_beta', 'bernoulli', 'gamma'],
  },
  zero_inflated_beta: {
    words: `numbers between ${UNIT}, the upper end left out`,
    checks: [notNegative, atMostTop, notTop, someInside],
    relatives: ['one_inflated_beta', 'zero_one_inflated_beta', 'bernoulli', 'hurdle_gamma'],
  },
  one_inflated_beta: {
    words: `numbers between ${UNIT}, the lower end left out`,
    checks: [notNegative, atMostTop, notZero, someInside],
    relatives: ['zero_inflated_beta', 'zero_one_inflated_beta', 'bernoulli', 'gamma'],
  },
  zero_one_inflated_beta: {
    words: `numbers between ${UNIT}`,
    checks: [notNegative, atMostTop, someInside],
    relatives: ['bernoulli', 'hurdle_gamma'],
  },
  bernoulli: { words: 'numbers that are 0 or 1', checks: [zeroOrOne], relatives: ['poisson'] },
  poisson: { words: 'whole numbers from 0 on', checks: COUNTS, relatives: ['hurdle_gamma'] },
  negative_binomial: { words: 'whole numbers from 0 on', checks: COUNTS, relatives: ['hurdle_gamma'] },
  zero_inflated_poisson: { words: 'whole numbers from 0 on', checks: COUNTS, relatives: ['hurdle_gamma'] },
  zero_inflated_negative_binomial: { words: 'whole numbers from 0 on', checks: COUNTS, relatives: ['hurdle_gamma'] },
  hurdle_poisson: { words: 'whole numbers from 0 on', checks: COUNTS, relatives: ['hurdle_gamma'] },
  hurdle_negative_binomial: { words: 'whole numbers from 0 on', checks: COUNTS, relatives: ['hurdle_gamma'] },
};

/** The first thing that the family cannot hold; undefined where it holds every number of the column. */
export function misfitOf(family: Family, facts: TargetFacts): Misfit | undefined {
  for (const check of SUPPORTS[family].checks) {
    const misfit = check(facts, family);
    if (misfit) return misfit;
  }
  return undefined;
}

export const canHold = (family: Family, facts: TargetFacts): boolean => misfitOf(family, facts) === undefined;

export const supportWords = (family: Family): string => SUPPORTS[family].words;

/** The nearest family that holds every number. */
export const holdingRelative = (family: Family, facts: TargetFacts): Family =>
  SUPPORTS[family].relatives.find((relative) => canHold(relative, facts)) ?? 'gaussian';

/** `-3 stands in row 7`; the row is left out where it is not known to be that value's. */
function standing(value: number, at: { value: number; row: number } | null | undefined): string {
  return at && at.value === value ? `${value} stands in row ${withCommas(at.row)}` : `${value} is one of its numbers`;
}
