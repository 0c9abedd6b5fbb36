/** Upper bounds of attacks, at the level of verdicts. */
import type { MeasuredFigure } from '../../../contract/measuredFigure.ts';
import type { PrivacyMetrics } from '../../../contract/metrics.ts';
import { decimal } from '../../../words/format.ts';
import { counted, listed } from '../../../words/wording.ts';
import { widened } from '../intervals.ts';
import { MAX_ADVANTAGE, MAX_AUC } from '../privacy/limits.ts';

export interface Bound {
  /** As named in verdicts. */
  attack: string;
  name: string;
  upper: number;
  limit: number;
}

/** Membership inference comes first. */
export function boundsOf(found: PrivacyMetrics): Bound[] {
  const upper = ({ value, low, high }: MeasuredFigure): number[] =>
    value === null || low === null || high === null ? [] : [widened(value, [low, high])[1]];
  const overAll = found.membership.filter(({ over }) => over === 'all').map(({ auc }) => auc);
  const aucs = (overAll.length > 0 ? overAll : [found.membership_inference]).flatMap(upper);
  const excess = (attack: string, figure: MeasuredFigure): Bound[] =>
    upper(figure).map((of) => ({ attack, name: `an excess of ${attack}`, upper: of, limit: MAX_ADVANTAGE }));
  const membership = { attack: 'membership inference', name: 'a membership AUC', limit: MAX_AUC };
  return [
    ...(aucs.length > 0 ? [{ ...membership, upper: Math.max(...aucs) }] : []),
    ...excess('singling out', found.singling_out_excess),
    ...excess('linkability', found.linkability_excess),
    ...excess('attribute inference', found.attribute_excess),
  ];
}

export const isOpen = ({ upper, limit }: Bound): boolean => upper > limit;

export const heldOut = ({ membership_inference: { rows } }: PrivacyMetrics): number => Math.floor(rows / 2);

const heldOutRows = (found: PrivacyMetrics): string => counted(heldOut(found), 'held-out row');

export function excluded(found: PrivacyMetrics, [membership]: readonly Bound[]): string {
  if (!membership) return '';
  return `With ${heldOutRows(found)}, ${membership.name} above ${decimal(membership.upper)} is ruled out.`;
}

export function notExcluded(found: PrivacyMetrics, bounds: readonly Bound[]): string {
  const open = bounds
    .filter(isOpen)
    .map(({ name, upper, limit }) => `${name} up to ${decimal(upper)} (limit ${decimal(limit)})`);
  return `With ${heldOutRows(found)}, ${listed(open)} ${open.length === 1 ? 'is' : 'are'} not ruled out.`;
}
