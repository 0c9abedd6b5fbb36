/** Zeros, or negative binomial counts from 1; log mu and log phi (before zero is cut off), logit zero. */
import type { ResponseFamily } from './family.ts';
import { hurdle } from './hurdle.ts';
import { negativeBinomial } from './negativeBinomial.ts';

export const hurdleNegativeBinomial: ResponseFamily = hurdle('hurdle_negative_binomial', negativeBinomial);
