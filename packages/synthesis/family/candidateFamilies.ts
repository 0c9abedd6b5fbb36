import type { Family } from '../../contract/families.ts';
import { percent } from '../../words/wording.ts';
import { canHold, type TargetFacts } from './familySupport.ts';

export interface Candidates {
  /** Such as `numbers above 0`. */
  words: string;
  /** The first is the default for few numbers. */
  families: readonly Family[];
}

/** Counts are small, unlike whole prices and hours. */
const MAX_USUAL_COUNT = 25;
const MAX_COUNT = 10_000;
/** Share at 100 that marks a percentage. */
const PERCENT_ATOM = 0.05;

/** Share of zeros that needs an atom. */
const MOSTLY_ZERO = 0.5;

const REAL: readonly Family[] = ['gaussian', 'student_t'];
const POSITIVE: readonly Family[] = [...REAL, 'lognormal', 'gamma'];
const COUNTS: readonly Family[] = ['poisson', 'negative_binomial'];
const WITH_ZEROS: readonly Family[] = [
  'zero_inflated_poisson',
  'hurdle_poisson',
  'zero_inflated_negative_binomial',
  'hurdle_negative_binomial',
];
const BETA: readonly Family[] = ['beta', 'zero_inflated_beta', 'one_inflated_beta', 'zero_one_inflated_beta'];

type Question = (facts: TargetFacts, sample: Float64Array) => Candidates | undefined;

const QUESTIONS: readonly Question[] = [areShares, arePercent, areCounts, haveZeros, arePositive];

/** All returned families hold every number of the file. */
export function candidateFamilies(facts: TargetFacts, sample: Float64Array): Candidates {
  for (const ask of QUESTIONS) {
    const answer = ask(facts, sample);
    if (answer) return answer;
  }
  return { words: 'numbers on both sides of 0', families: REAL };
}

function areShares(facts: TargetFacts): Candidates | undefined {
  if (facts.min < 0 || facts.max > 1 || facts.isWhole || facts.isPercent) return undefined;
  return { words: 'numbers from 0 to 1', families: withBeta(facts) };
}

function arePercent(facts: TargetFacts, sample: Float64Array): Candidates | undefined {
  if (facts.min < 0 || facts.max > 100) return undefined;
  const atTop = shareWhere(Array.from(sample), (value) => value === 100);
  if (!facts.isPercent && atTop < PERCENT_ATOM) return undefined;
  return { words: `percent, ${percent(atTop)} of them 100`, families: withBeta(facts) };
}

function withBeta(facts: TargetFacts): Family[] {
  const beta = BETA.filter((family) => canHold(family, facts)).slice(0, 1);
  return [...beta, ...(facts.zeros > 0 ? REAL : POSITIVE)];
}

function areCounts(facts: TargetFacts, sample: Float64Array): Candidates | undefined {
  if (!facts.isWhole || facts.min < 0 || facts.max > MAX_COUNT) return undefined;
  const positive = Array.from(sample).filter((value) => value > 0);
  if (positive.length === 0 || medianOf(positive) > MAX_USUAL_COUNT) return undefined;
  return facts.zeros > 0
    ? { words: 'small whole numbers from 0 up', families: [...COUNTS, ...WITH_ZEROS, 'gaussian'] }
    : { words: 'small whole numbers above 0', families: [...COUNTS, ...POSITIVE] };
}

function haveZeros({ min, max, zeros, count }: TargetFacts): Candidates | undefined {
  if (min < 0 || max <= 0 || zeros === 0) return undefined;
  const real = zeros < MOSTLY_ZERO * count ? REAL : [];
  return { words: 'numbers from 0 up', families: [...real, 'hurdle_lognormal', 'hurdle_gamma'] };
}

function arePositive({ min }: TargetFacts): Candidates | undefined {
  return min > 0 ? { words: 'numbers above 0', families: POSITIVE } : undefined;
}

interface Moments {
  count: number;
  mean: number;
  /** Divisor n. */
  variance: number;
  /** Third standardised moment; 0 for constants. */
  skewness: number;
}

export function momentsOf(values: readonly number[]): Moments {
  const count = values.length;
  if (count === 0) return { count, mean: Number.NaN, variance: Number.NaN, skewness: 0 };
  const mean = values.reduce((sum, value) => sum + value, 0) / count;
  let second = 0;
  let third = 0;
  for (const value of values) {
    const delta = value - mean;
    second += delta * delta;
    third += delta * delta * delta;
  }
  const variance = second / count;
  return { count, mean, variance, skewness: variance > 0 ? third / count / variance ** 1.5 : 0 };
}

function medianOf(values: readonly number[]): number {
  const sorted = Float64Array.from(values).sort();
  const middle = (sorted.length - 1) / 2;
  return (sorted[Math.floor(middle)]! + sorted[Math.ceil(middle)]!) / 2;
}

export const shareWhere = (values: readonly number[], holds: (value: number) => boolean): number =>
  values.length > 0 ? values.filter(holds).length / values.length : 0;
