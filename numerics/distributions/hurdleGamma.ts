/** Exact zeros, else a gamma; log mu (of what is not zero), log shape, logit zero. */
import type { ResponseFamily } from './family.ts';
import { gamma } from './gamma.ts';
import { withAtom } from './withAtom.ts';

export const hurdleGamma: ResponseFamily = withAtom('hurdle_gamma', gamma, {
  y: 0,
  parameter: 'zero',
  index: 2,
  words: 'numbers from 0',
});
