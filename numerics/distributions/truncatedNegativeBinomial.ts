/** Negative binomial counts from 1; log mu and log phi (before zero is cut off). */
import type { ResponseFamily } from './family.ts';
import { negativeBinomial } from './negativeBinomial.ts';
import { truncated } from './truncated.ts';

export const truncatedNegativeBinomial: ResponseFamily = truncated('truncated_negative_binomial', negativeBinomial);
