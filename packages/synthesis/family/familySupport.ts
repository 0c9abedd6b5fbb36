/** Families whose support contains a target's numbers. */

import type { ColumnProfile, NumberFormat } from '../../contract/columns.ts';
import type { Family } from '../../contract/families.ts';
import { type ResponseScale, supportScale } from '../../numerics/regression/responseScale.ts';

/** Exact for the whole column. */
export interface TargetFacts {
  min: number;
  max: number;
  count: number;
  zeros: number;
  decimals: number;
  isWhole: boolean;
  isPercent: boolean;
  /** Null if only estimated. */
  distinct: number | null;
  /** Absent from profiles of earlier versions. */
  first: NonNullable<ColumnProfile['numbers']>['first'];
}

export interface SupportViolation {
  found: 'value' | 'zeros' | 'decimals' | 'none_above_zero' | 'none_between';
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

/** Undefined for times and columns without numbers. */
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
  supportScale(family, max, { isPercent });

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
  const top = supportScale(family, max, { isPercent }).factor;
  return max > top ? standing(max, first?.max) : undefined;
};

const notTop: Check = ({ max, first, isPercent }, family) => {
  const top = supportScale(family, max, { isPercent }).factor;
  return max === top ? standing(max, first?.max) : undefined;
};

const atMostOne: Check = ({ max, first }) => (max > 1 ? standing(max, first?.max) : undefined);

/** Two distinct numbers from 0 to 1 count as 0 and 1 in any format. */
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
  /** Nearest first; gaussian holds everything. */
  relatives: readonly Family[];
}

/** Unlisted families are checked at fitting. */
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

/** Undefined if the family holds every number. */
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

const standing = (value: number, at: { value: number; row: number } | null | undefined): SupportViolation => ({
  ...violation('value'),
  value,
  row: at && at.value === value ? at.row : null,
});

/** Decimals that write full precision. */
const FREE_DECIMALS = 15;
/** Reach beyond the largest number, as a heavy-tailed t has draws of any size. */
const REACH = 1024;

/** Returns the family's range that the column can write. */
export function writtenSupport(family: Family, { min, max, decimals }: NumberFormat): { min: number; max: number } {
  const step = decimals < FREE_DECIMALS ? 10 ** -decimals : Number.MIN_VALUE;
  const top = supportScale(family, max).factor;
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
