/** Exact ones, else a beta; logit mu, log phi, logit one. */
import { beta } from './beta.ts';
import type { ResponseFamily } from './family.ts';
import { withAtom } from './withAtom.ts';

export const oneInflatedBeta: ResponseFamily = withAtom('one_inflated_beta', beta, {
  y: 1,
  parameter: 'one',
  index: 2,
  words: 'numbers above 0 and up to 1',
});
