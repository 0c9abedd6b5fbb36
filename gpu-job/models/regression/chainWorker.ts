/** The worker thread that samples regressions. */
import { createPosterior } from '../../../numerics/regression/createPosterior.ts';
import { serveChains } from './serveChains.ts';

serveChains(createPosterior);
