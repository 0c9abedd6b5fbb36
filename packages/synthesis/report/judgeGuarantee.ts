/** What a promise of differential privacy comes to, in words. */
import type { Grade } from '../../contract/grades.ts';
import type { FormalPrivacy } from '../../contract/privacy.ts';
import type { Judgement } from '../../contract/verdicts.ts';

/** ε up to which the promise is strong, and up to which it is reasonable (Ponomareva and others, 2023). */
const STRONG = 1;
const REASONABLE = 10;

/** In the place of a verdict by attacks, whose sentences stay. */
export function judgeGuarantee(guarantee: FormalPrivacy, attacked: Judgement): Judgement {
  const { epsilon, delta, unit, pairs_measured, columns_measured } = guarantee;
  const grade: Grade = epsilon <= REASONABLE ? 'good' : 'mixed';
  const strength = epsilon <= STRONG ? 'strong' : epsilon <= REASONABLE ? 'reasonable' : 'weak';
  return {
    ...{ area: 'privacy', grade, inherited: false, next: [] },
    headline: `Differentially private for one ${unit}: ε ${epsilon}, δ ${delta}. This is a ${strength} promise.`,
    sentences: [
      `The rows come from noisy counts of ${columns_measured} columns and ${pairs_measured} pairs of columns, and from nothing else.`,
      'Tables of the same file add up, and one that was made without privacy voids the promise.',
      'Every figure that compares with real rows is for the owner of the file alone: share the table and its receipt, not this report.',
      ...attacked.sentences,
    ],
  };
}
