/** Zeros, or negative binomial counts from 1; log mu and log phi (before zero is cut off), logit zero. */
import type { ResponseFamily } from './family.ts';
import { truncatedNegativeBinomial } from './truncatedNegativeBinomial.ts';
import { withAtom } from './withAtom.ts';

export const hurdleNegativeBinomial: ResponseFamily = withAtom('hurdle_negative_binomial', truncatedNegativeBinomial, {
  y: 0,
  parameter: 'zero',
  index: 2,
  words: 'whole numbers from 0',
});
