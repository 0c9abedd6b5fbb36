/** Regressions as `sampleChains` runs them: a thread is sent what was worked out once, sums of products say, and no rows. */
import { openPosterior } from '../../../numerics/regression/createPosterior.ts';
import type { PreparedRegression } from '../../../numerics/regression/prepareRegression.ts';
import type { ChainProgram } from './chainProgram.ts';

export const regressionProgram: ChainProgram<PreparedRegression> = {
  build: openPosterior,
  entry: new URL('./chainWorker.ts', import.meta.url),
};
