/** How strong a promise of differential privacy is, in one word: the API, verdicts, reports and documents take it from here. */
import type { Grade } from './grades.ts';

interface PromiseTier {
  /** The largest ε that has the word. */
  upTo: number;
  word: 'strong' | 'reasonable' | 'weak';
  grade: Grade;
}

/**
 * The three tiers of Ponomareva and others 2023 ("How to DP-fy ML", section 5.2). A grade claims no more than its word: under
 * ε 10 the odds that a row is in the table may change by a factor of 22,000, so "reasonable" is mixed and not good, and "weak",
 * which the paper calls next to no formal guarantee, is poor.
 */
const BOUNDED: readonly PromiseTier[] = [
  { upTo: 1, word: 'strong', grade: 'good' },
  { upTo: 10, word: 'reasonable', grade: 'mixed' },
];
const WEAKEST: PromiseTier = { upTo: Number.POSITIVE_INFINITY, word: 'weak', grade: 'poor' };

export const promiseTier = (epsilon: number): PromiseTier => BOUNDED.find(({ upTo }) => epsilon <= upTo) ?? WEAKEST;

/** "strong up to 1, reasonable up to 10, weak above". */
export const PROMISE_WORDS = [
  ...BOUNDED.map(({ upTo, word }) => `${word} up to ${upTo}`),
  `${WEAKEST.word} above`,
].join(', ');
