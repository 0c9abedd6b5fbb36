import type { FormalPrivacy } from '../../../contract/privacy.ts';
import type { Judgement } from '../../../contract/verdicts.ts';
import { promiseVerdict } from '../../../words/promise.ts';

/** Keeps the sentences of the attack verdict. */
export function judgeGuarantee(guarantee: FormalPrivacy, attacked: Judgement): Judgement {
  const promised = promiseVerdict(guarantee);
  return {
    ...promised,
    sentences: [
      ...promised.sentences,
      'Every figure that compares with real rows is for the owner of the file alone: hand on the table, its receipt and the report for sharing, and no other report.',
      ...attacked.sentences,
    ],
  };
}
