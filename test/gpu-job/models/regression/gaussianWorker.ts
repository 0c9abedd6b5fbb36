/** The worker thread of `gaussianDensity`. */
import { serveChains } from '../../../../gpu-job/models/regression/serveChains.ts';
import { gaussianDensity } from './gaussianDensity.ts';

serveChains(gaussianDensity);
