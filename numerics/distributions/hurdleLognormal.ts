/** Exact zeros, else a lognormal; mu and log sigma (of the logarithm of what is not zero), logit zero. */
import type { ResponseFamily } from './family.ts';
import { lognormal } from './lognormal.ts';
import { withAtom } from './withAtom.ts';

export const hurdleLognormal: ResponseFamily = withAtom('hurdle_lognormal', lognormal, {
  y: 0,
  parameter: 'zero',
  index: 2,
  words: 'numbers from 0',
});
