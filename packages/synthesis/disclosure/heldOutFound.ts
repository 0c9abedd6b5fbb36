/** Figures for release rules that need held-out rows. */
import type { PrivacyMetrics } from '../../contract/metrics.ts';
import type { ReleasePolicy } from '../../contract/releasePolicy.ts';
import { normalQuantile } from '../../numerics/special/normal.ts';
import { Z } from '../judge/intervals.ts';
import type { AllMeasures } from '../judge/measureAll.ts';

/** Null if no rule needs a figure. */
export function heldOutFound(policy: ReleasePolicy, { privacy }: Pick<AllMeasures, 'privacy'>) {
  const asked = (rule: keyof ReleasePolicy, found: number | null | undefined): number | null =>
    policy[rule] === null ? null : (found ?? null);
  return {
    nearest_train_share_lower: asked('max_nearest_train_share_lower', privacy?.dcr_share.low),
    membership_auc_lower: asked('max_membership_auc_lower', privacy && membershipLower(privacy)),
    singling_out_excess: asked('max_singling_out_excess', privacy?.singling_out_excess.upper),
    linkability_excess: asked('max_linkability_excess', privacy?.linkability_excess.upper),
    attribute_excess: asked('max_attribute_excess', privacy?.attribute_excess.upper),
  };
}

/** Largest lower bound of all AUCs, widened to hold jointly (Bonferroni). */
function membershipLower({ membership }: PrivacyMetrics): number | null {
  const wide = normalQuantile(1 - 0.025 / Math.max(1, membership.length)) / Z;
  const bounds = membership.flatMap(({ auc: { value, low } }) =>
    value === null || low === null ? [] : [value - (value - low) * wide],
  );
  return bounds.length > 0 ? Math.max(...bounds) : null;
}
