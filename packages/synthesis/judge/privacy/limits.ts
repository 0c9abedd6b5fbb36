import { normalCdf, normalQuantile } from '../../../numerics/special/normal.ts';
import { VERDICT_Z } from '../intervals.ts';

/** Maximum advantage on training over held-out rows for good privacy. */
export const MAX_ADVANTAGE = 0.1;

/** AUC with the same best advantage, for normal scores. */
export const MAX_AUC = normalCdf(Math.SQRT2 * normalQuantile((1 + MAX_ADVANTAGE) / 2));

/**
 * With fewer held-out rows, chance takes over half of the range up to MAX_AUC: a null AUC of n against n rows has standard error 1 /
 * √(6 n).
 */
export const ENOUGH_HELD_OUT = Math.ceil((2 * VERDICT_Z) ** 2 / (6 * (MAX_AUC - 0.5) ** 2));
