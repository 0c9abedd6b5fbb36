/** The worker thread that samples regressions. */

import { serveChains } from '../mcmc/serveChains.ts';
import { openPosterior } from './prepareRegression.ts';

serveChains(openPosterior);
