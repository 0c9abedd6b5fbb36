/** The worker thread of `gaussianDensity`. */
import { serveChains } from '../../../packages/numerics/mcmc/sampleChains.ts';
import { gaussianDensity } from './gaussianDensity.ts';

serveChains(gaussianDensity);
