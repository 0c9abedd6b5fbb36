/** Poisson counts with extra zeros; log mu, logit zero. */
import type { ResponseFamily } from './family.ts';
import { poisson } from './poisson.ts';
import { zeroInflated } from './zeroInflated.ts';

export const zeroInflatedPoisson: ResponseFamily = zeroInflated('zero_inflated_poisson', poisson);
