/** Exact zeros, else a beta; logit mu, log phi, logit zero. */
import { beta } from './beta.ts';
import type { ResponseFamily } from './family.ts';
import { withAtom } from './withAtom.ts';

export const zeroInflatedBeta: ResponseFamily = withAtom('zero_inflated_beta', beta, {
  y: 0,
  parameter: 'zero',
  index: 2,
  words: 'numbers from 0 and below 1',
});
