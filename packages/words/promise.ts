/** Computes the verdict on differential privacy from the promise alone. */
import type { FormalPrivacy } from '../contract/privacy.ts';
import { PROMISE_WORDS, promiseTier } from '../contract/promise.ts';
import type { Judgement } from '../contract/verdicts.ts';

export function promiseVerdict({ epsilon, delta, unit, columns_measured, pairs_measured }: FormalPrivacy): Judgement {
  const { word, grade } = promiseTier(epsilon);
  return {
    area: 'privacy',
    grade,
    headline: `Differentially private for one ${unit}: ε ${epsilon}, δ ${delta}. This is a ${word} promise.`,
    sentences: [
      `By its ε, a promise is ${PROMISE_WORDS}.`,
      `The rows come from noisy counts of ${columns_measured} columns and ${pairs_measured} pairs of columns, and from nothing else.`,
      'Tables of the same file add up, and one that was made without privacy voids the promise.',
    ],
    next: [],
    inherited: false,
  };
}
