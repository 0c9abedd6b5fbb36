/** The worker thread that samples regressions. */
import { openPosterior } from '../../../numerics/regression/createPosterior.ts';
import { serveChains } from './serveChains.ts';

serveChains(openPosterior);
