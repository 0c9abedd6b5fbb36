/** What attacks may gain of a table whose privacy is good, and the held-out rows that can show it. */
import { normalCdf, normalQuantile } from '../../../numerics/special/normal.ts';
import { VERDICT_Z } from '../intervals.ts';

/** Privacy is good if no attack can gain more: how much oftener it is right of training rows than of held-out ones. */
export const MAX_ADVANTAGE = 0.1;

/** The AUC at which the best threshold gains as much, if scores of both sides are normal and of one spread. */
export const MAX_AUC = normalCdf(Math.SQRT2 * normalQuantile((1 + MAX_ADVANTAGE) / 2));

/**
 * With fewer held-out rows, chance alone takes more than half of the room between 0.5 and MAX_AUC: the standard error of an
 * AUC of n rows against n others that are alike is 1 / √(6 n).
 */
export const ENOUGH_HELD_OUT = Math.ceil((2 * VERDICT_Z) ** 2 / (6 * (MAX_AUC - 0.5) ** 2));
