/** Exact zeros, exact ones, else a beta; logit mu, log phi, logit P(y = 0), logit P(y = 1 | y ≠ 0). */
import type { ResponseFamily } from './family.ts';
import { oneInflatedBeta } from './oneInflatedBeta.ts';
import { withAtom } from './withAtom.ts';

export const zeroOneInflatedBeta: ResponseFamily = withAtom('zero_one_inflated_beta', oneInflatedBeta, {
  y: 0,
  parameter: 'zero',
  index: 2,
  words: 'numbers from 0 to 1',
});
