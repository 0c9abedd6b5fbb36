/** Rules of a release policy that a table breaks, in words. */
import type { PolicyBreach } from '../contract/releasePolicy.ts';
import { counted } from './wording.ts';

/** One sentence. */
export const breachText = (breach: PolicyBreach): string => TEXTS[breach.rule](breach);

const TEXTS: Readonly<Record<PolicyBreach['rule'], (breach: PolicyBreach) => string>> = {
  few_rows: ({ allowed }) =>
    `The real table has fewer than ${allowed} rows: the synthetic one may show nearly each of them.`,
  exact_copies: ({ found, allowed }) =>
    `${counted(found ?? 0, 'row')} of the table match a unique real row; the policy allows ${allowed}.`,
  verbatim_text: ({ found, allowed }) =>
    `${counted(found ?? 0, 'row')} of the table contain a text, or a long run of one, that few real rows have; the policy allows ${allowed}.`,
  max_nearest_train_share_lower: ({ found, allowed }) =>
    found === null
      ? 'How much closer rows are to training rows than to held-out rows cannot be measured: there are too few held-out rows.'
      : `At least ${found.toFixed(3)} of the rows (lower bound, 95 %) are closer to a training row than to a held-out row; the policy allows ${allowed}.`,
};
