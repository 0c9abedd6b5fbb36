/** Rules that redrawing alone cannot satisfy and that need held-out rows. */
export const HELD_OUT_RULES = [
  'max_nearest_train_share_lower',
  'max_membership_auc_lower',
  'max_singling_out_excess',
  'max_linkability_excess',
  'max_attribute_excess',
] as const;
