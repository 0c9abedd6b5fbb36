/** Regressions as `sampleChains` runs them. */
import { createPosterior } from '../../../numerics/regression/createPosterior.ts';
import type { RegressionSpec } from '../../../numerics/regression/spec.ts';
import type { ChainProgram } from './chainProgram.ts';

export const regressionProgram: ChainProgram<RegressionSpec> = {
  build: createPosterior,
  entry: new URL('./chainWorker.ts', import.meta.url),
};
