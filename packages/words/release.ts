import type { PolicyBreach } from '../contract/releasePolicy.ts';
import { counted } from './wording.ts';

export const breachText = (breach: PolicyBreach): string => TEXTS[breach.rule](breach);

const FEW_HELD_OUT = 'there are too few held-out rows.';

const excessText =
  (attack: string) =>
  ({ found, allowed }: PolicyBreach): string =>
    found === null
      ? `${attack} cannot be measured: ${FEW_HELD_OUT}`
      : `${attack} may succeed up to ${found.toFixed(3)} more often on training rows than on held-out rows (upper bound, 95 %); the policy allows ${allowed}.`;

const TEXTS: Readonly<Record<PolicyBreach['rule'], (breach: PolicyBreach) => string>> = {
  few_rows: ({ allowed }) => `Fewer than ${allowed} real rows: the synthetic rows may reveal nearly all of them.`,
  exact_copies: ({ found, allowed }) =>
    `${counted(found ?? 0, 'row')} of the table match a unique real row; the policy allows ${allowed}.`,
  verbatim_text: ({ found, allowed }) =>
    `${counted(found ?? 0, 'row')} of the table contain a text, or a long run of one, that few real rows have; the policy allows ${allowed}.`,
  max_nearest_train_share_lower: ({ found, allowed }) =>
    found === null
      ? 'How much closer rows are to training rows than to held-out rows cannot be measured: there are too few held-out rows.'
      : `At least ${found.toFixed(3)} of the rows (lower bound, 95 %) are closer to a training row than to a held-out row; the policy allows ${allowed}.`,
  max_membership_auc_lower: ({ found, allowed }) =>
    found === null
      ? `Membership inference cannot be measured: ${FEW_HELD_OUT}`
      : `An attack tells training rows from held-out rows with an AUC of at least ${found.toFixed(3)} (lower bound, 95 %); the policy allows ${allowed}.`,
  max_singling_out_excess: excessText('Singling out'),
  max_linkability_excess: excessText('Linkability'),
  max_attribute_excess: excessText('Attribute inference'),
};
