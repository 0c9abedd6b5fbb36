import { serveChains } from '../mcmc/sampleChains.ts';
import { openPosterior } from './prepareRegression.ts';

serveChains(openPosterior);
