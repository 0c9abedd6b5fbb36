/** Families whose support contains a target's numbers, by facts about the whole file. */

import type { ColumnProfile, NumberFormat } from '../../contract/columns.ts';
import type { Family } from '../../contract/families.ts';
import { type ResponseScale, supportScale } from '../../numerics/regression/responseScale.ts';

/** Exact for the whole column. */
export interface TargetFacts {
  min: number;
  max: number;
  /** Counts of numbers and of zeros. */
  count: number;
  zeros: number;
  /** Maximum decimals. */
  decimals: number;
  isWhole: boolean;
  isPercent: boolean;
  /** Distinct numbers; null if only estimated. */
  distinct: number | null;
  /** First row of each kind of value; absent from profiles of earlier versions. */
  first: NonNullable<ColumnProfile['numbers']>['first'];
}

export interface SupportViolation {
  found: 'value' | 'zeros' | 'decimals' | 'none_above_zero' | 'none_between';
  /** The value outside the support, and the number of zero cells. */
  value: number | null;
  cells: number | null;
  /** First row with such a value, if known. */
  row: number | null;
}

const violation = (found: SupportViolation['found']): SupportViolation => ({
  found,
  value: null,
  cells: null,
  row: null,
});

/** Undefined for columns without numbers and for times. */
export function targetFacts({
  numbers,
  format: written,
  distinct,
  distinct_exact,
}: ColumnProfile): TargetFacts | undefined {
  if (!numbers || !written || written.kind === 'time') return undefined;
  const { format, count, zeros, first } = numbers;
  return {
    min: format.min,
    max: format.max,
    count,
    zeros,
    decimals: format.decimals,
    isWhole: format.integer || first?.fraction === null,
    isPercent: written.kind === 'decorated' && written.percent,
    distinct: distinct_exact ? distinct : null,
    first,
  };
}

export const scaleOf = (family: Family, { max, isPercent }: TargetFacts): ResponseScale =>
  supportScale(family, max, isPercent);

/** Returns a reason against the family. */
type Check = (facts: TargetFacts, family: Family) => SupportViolation | undefined;

const notNegative: Check = ({ min, first }) => (min < 0 ? standing(min, first?.min) : undefined);

const notZero: Check = ({ zeros, first }) =>
  zeros === 0 ? undefined : { ...violation('zeros'), cells: zeros, row: first?.zero ?? null };

const whole: Check = ({ isWhole, first }) => {
  if (isWhole) return undefined;
  const value = first?.fraction;
  return value ? standing(value.value, value) : violation('decimals');
};

const atMostTop: Check = ({ max, first, isPercent }, family) => {
  const top = supportScale(family, max, isPercent).factor;
  return max > top ? standing(max, first?.max) : undefined;
};

const notTop: Check = ({ max, first, isPercent }, family) => {
  const top = supportScale(family, max, isPercent).factor;
  return max === top ? standing(max, first?.max) : undefined;
};

const atMostOne: Check = ({ max, first }) => (max > 1 ? standing(max, first?.max) : undefined);

/** Two distinct numbers from 0 to 1 with these ends are 0 and 1, whatever their format. */
const zeroOrOne: Check = (facts, family) => {
  const { min, max, distinct } = facts;
  const isPair = min === 0 && max === 1 && distinct === 2;
  return notNegative(facts, family) ?? atMostOne(facts, family) ?? (isPair ? undefined : whole(facts, family));
};

const someAboveZero: Check = ({ max }) => (max <= 0 ? violation('none_above_zero') : undefined);

const someInside: Check = ({ isWhole, max }) => (isWhole && max <= 1 ? violation('none_between') : undefined);

const NOTHING: readonly Check[] = [];
const POSITIVE = [notNegative, notZero];
const HURDLE = [notNegative, someAboveZero];
const COUNTS = [notNegative, whole];

export type SupportName =
  | 'real'
  | 'positive'
  | 'not_negative'
  | 'open_unit'
  | 'unit_with_zero'
  | 'unit_with_one'
  | 'unit'
  | 'zero_or_one'
  | 'counts';

interface Support {
  name: SupportName;
  checks: readonly Check[];
  /** Alternatives, nearest first. Gaussian holds everything. */
  relatives: readonly Family[];
}

/** Fitting finds numbers outside the support of unlisted families. */
const SUPPORTS: Readonly<Partial<Record<Family, Support>>> = {
  gaussian: { name: 'real', checks: NOTHING, relatives: [] },
  student_t: { name: 'real', checks: NOTHING, relatives: [] },
  lognormal: { name: 'positive', checks: POSITIVE, relatives: ['hurdle_lognormal'] },
  gamma: { name: 'positive', checks: POSITIVE, relatives: ['hurdle_gamma'] },
  hurdle_lognormal: { name: 'not_negative', checks: HURDLE, relatives: [] },
  hurdle_gamma: { name: 'not_negative', checks: HURDLE, relatives: [] },
  beta: {
    name: 'open_unit',
    checks: [notNegative, atMostTop, notZero, notTop],
    relatives: ['zero_inflated_beta', 'one_inflated_beta', 'zero_one_inflated_beta', 'bernoulli', 'gamma'],
  },
  zero_inflated_beta: {
    name: 'unit_with_zero',
    checks: [notNegative, atMostTop, notTop, someInside],
    relatives: ['one_inflated_beta', 'zero_one_inflated_beta', 'bernoulli', 'hurdle_gamma'],
  },
  one_inflated_beta: {
    name: 'unit_with_one',
    checks: [notNegative, atMostTop, notZero, someInside],
    relatives: ['zero_inflated_beta', 'zero_one_inflated_beta', 'bernoulli', 'gamma'],
  },
  zero_one_inflated_beta: {
    name: 'unit',
    checks: [notNegative, atMostTop, someInside],
    relatives: ['bernoulli', 'hurdle_gamma'],
  },
  bernoulli: { name: 'zero_or_one', checks: [zeroOrOne], relatives: ['poisson'] },
  poisson: { name: 'counts', checks: COUNTS, relatives: ['hurdle_gamma'] },
  negative_binomial: { name: 'counts', checks: COUNTS, relatives: ['hurdle_gamma'] },
  zero_inflated_poisson: { name: 'counts', checks: COUNTS, relatives: ['hurdle_gamma'] },
  zero_inflated_negative_binomial: { name: 'counts', checks: COUNTS, relatives: ['hurdle_gamma'] },
  hurdle_poisson: { name: 'counts', checks: COUNTS, relatives: ['hurdle_gamma'] },
  hurdle_negative_binomial: { name: 'counts', checks: COUNTS, relatives: ['hurdle_gamma'] },
};

const supportOf = (family: Family): Support => SUPPORTS[family] ?? { name: 'real', checks: NOTHING, relatives: [] };

/** Returns the first violation; undefined if the family holds every number. */
export function supportViolationOf(family: Family, facts: TargetFacts): SupportViolation | undefined {
  for (const check of supportOf(family).checks) {
    const supportViolation = check(facts, family);
    if (supportViolation) return supportViolation;
  }
  return undefined;
}

export const canHold = (family: Family, facts: TargetFacts): boolean => supportViolationOf(family, facts) === undefined;

export const supportName = (family: Family): SupportName => supportOf(family).name;

/** Falls back to gaussian. */
export const holdingRelative = (family: Family, facts: TargetFacts): Family =>
  supportOf(family).relatives.find((relative) => canHold(relative, facts)) ?? 'gaussian';

/** The row is null if it may belong to another value. */
const standing = (value: number, at: { value: number; row: number } | null | undefined): SupportViolation => ({
  ...violation('value'),
  value,
  row: at && at.value === value ? at.row : null,
});

/** Columns with this many decimals write full precision. */
const FREE_DECIMALS = 15;
/** Reach of an unbounded column beyond its largest number: a t with few degrees of freedom has draws of any size. */
const REACH = 1024;

/** Returns the family's range that the column can write. An open bound excludes one step of the last digit. */
export function writtenSupport(family: Family, { min, max, decimals }: NumberFormat): { min: number; max: number } {
  const step = decimals < FREE_DECIMALS ? 10 ** -decimals : Number.MIN_VALUE;
  const top = supportScale(family, max, false).factor;
  const beforeTop = decimals < FREE_DECIMALS ? top - step : top * (1 - Number.EPSILON / 2);
  const furthest = Math.min(Number.MAX_VALUE, REACH * Math.max(Number.MAX_SAFE_INTEGER, Math.abs(min), Math.abs(max)));
  switch (supportName(family)) {
    case 'real':
      return { min: -furthest, max: furthest };
    case 'positive':
      return { min: step, max: furthest };
    case 'not_negative':
      return { min: 0, max: furthest };
    case 'counts':
      return { min: 0, max: Number.MAX_SAFE_INTEGER };
    case 'zero_or_one':
      return { min: 0, max: 1 };
    case 'open_unit':
      return { min: step, max: beforeTop };
    case 'unit_with_zero':
      return { min: 0, max: beforeTop };
    case 'unit_with_one':
      return { min: step, max: top };
    case 'unit':
      return { min: 0, max: top };
  }
}
