/** Poisson counts from 1; log mu (before zero is cut off). */
import type { ResponseFamily } from './family.ts';
import { poisson } from './poisson.ts';
import { truncated } from './truncated.ts';

export const truncatedPoisson: ResponseFamily = truncated('truncated_poisson', poisson);
