/** Shared by API, verdicts, reports and documents. */
import type { Grade } from './grades.ts';

interface PromiseTier {
  /** Maximum ε, inclusive. */
  upTo: number;
  word: 'strong' | 'reasonable' | 'weak';
  grade: Grade;
}

/**
 * Tiers of Ponomareva and others 2023 ("How to DP-fy ML", section 5.2). ε = 10 allows the odds of membership to change
 * 22,000-fold, so "reasonable" is mixed; "weak" is next to no formal guarantee.
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
