/** A share without predictors: its posterior is a beta distribution, and draws are exact and independent. */
import { openPosterior, prepareRegression } from './prepareRegression.ts';
import { convergenceOfAll } from './runChains.ts';
import { CHAINS, type PosteriorDraws, type PosteriorTask } from './samplingTask.ts';

/** Undefined where the regression is anything else. As four chains of `draws`, like other posteriors. */
export function drawShare({ spec, draws, random }: PosteriorTask): PosteriorDraws | undefined {
  const [share] = spec.predictors;
  if (spec.family !== 'bernoulli' || share?.kind !== 'constant' || share.prior.kind !== 'beta') return undefined;
  let [hits, misses] = [share.prior.a, share.prior.b];
  spec.y.forEach((y, i) => {
    const weight = spec.weights?.[i] ?? 1;
    hits += weight * y;
    misses += weight * (1 - y);
  });
  const own = random.child('share');
  const chains = Array.from({ length: CHAINS }, () =>
    Float64Array.from({ length: draws }, () => {
      const hit = own.gamma(hits);
      return hit / (hit + own.gamma(misses));
    }),
  );
  const posterior = openPosterior(prepareRegression(spec));
  const unknown = { leastEbfmi: Number.NaN, paretoShape: null, subsample: null };
  const counts = { tune: 0, divergences: 0, depthExceeded: 0, gradients: 0 };
  const agreement = convergenceOfAll(posterior, chains);
  return { method: 'chains', posterior, chains, ...agreement, ...counts, ...unknown, converged: true };
}
