/** Negative binomial counts with extra zeros; log mu, log phi, logit zero. */
import type { ResponseFamily } from './family.ts';
import { negativeBinomial } from './negativeBinomial.ts';
import { zeroInflated } from './zeroInflated.ts';

export const zeroInflatedNegativeBinomial: ResponseFamily = zeroInflated(
  'zero_inflated_negative_binomial',
  negativeBinomial,
);
