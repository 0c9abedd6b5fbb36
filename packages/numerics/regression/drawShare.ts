/** Draws a share from its beta posterior. Reflecting every second draw makes errors of means cancel. */
import type { RandomStream } from '../random/stream.ts';
import { finish } from '../steps.ts';
import { openPosterior, prepareRegression } from './prepareRegression.ts';
import { convergenceOfAll } from './runChains.ts';
import { CHAINS, type PosteriorDraws, type PosteriorTask } from './samplingTask.ts';

/** Undefined for other regressions. */
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
  const chains = Array.from({ length: CHAINS }, () => drawPairs(hits, misses, draws, own));
  const posterior = openPosterior(prepareRegression(spec));
  const unknown = { leastEbfmi: Number.NaN, paretoShape: null, subsample: null };
  const counts = { tune: 0, divergences: 0, depthExceeded: 0, gradients: 0 };
  const agreement = finish(convergenceOfAll(posterior, chains));
  return { method: 'chains', posterior, chains, ...agreement, ...counts, ...unknown, converged: true };
}

/** Reflects odds u a / b to a / (b u) by a Metropolis step, which preserves the distribution and is mostly accepted. */
function drawPairs(a: number, b: number, draws: number, random: RandomStream): Float64Array {
  const out = new Float64Array(draws);
  for (let i = 0; i < draws; i += 2) {
    const hit = random.gamma(a);
    const miss = random.gamma(b);
    const x = hit / (hit + miss);
    out[i] = x;
    if (i + 1 === draws) break;
    const [up, down] = [a * a * miss, b * b * hit];
    const reflected = up / (up + down);
    const [rest, reflectedRest] = [miss / (hit + miss), down / (up + down)];
    const gain = a * Math.log(reflected / x) + b * Math.log(reflectedRest / rest);
    out[i + 1] = random.uniform() < Math.exp(gain) ? reflected : x;
  }
  return out;
}
