/** Zeros, or Poisson counts from 1; log mu (before zero is cut off), logit zero. */
import type { ResponseFamily } from './family.ts';
import { truncatedPoisson } from './truncatedPoisson.ts';
import { withAtom } from './withAtom.ts';

export const hurdlePoisson: ResponseFamily = withAtom('hurdle_poisson', truncatedPoisson, {
  y: 0,
  parameter: 'zero',
  index: 1,
  words: 'whole numbers from 0',
});
