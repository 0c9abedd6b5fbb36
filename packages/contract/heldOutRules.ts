/** Rules that need held-out rows: they cannot be met by redrawing alone, nor be judged without them. */
export const HELD_OUT_RULES = [
  'max_nearest_train_share_lower',
  'max_membership_auc_lower',
  'max_singling_out_excess',
  'max_linkability_excess',
  'max_attribute_excess',
] as const;
