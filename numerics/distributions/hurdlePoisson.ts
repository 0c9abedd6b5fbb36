/** Zeros, or Poisson counts from 1; log mu (of the Poisson before zero is cut off), logit zero. */
import type { ResponseFamily } from './family.ts';
import { hurdle } from './hurdle.ts';
import { poisson } from './poisson.ts';

export const hurdlePoisson: ResponseFamily = hurdle('hurdle_poisson', poisson);
