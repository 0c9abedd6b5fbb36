/** Worker thread that samples regressions. */

import { serveChains } from '../mcmc/sampleChains.ts';
import { openPosterior } from './prepareRegression.ts';

serveChains(openPosterior);
