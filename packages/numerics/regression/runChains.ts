/** Chains of one posterior of a regression, and how well they agree. */

import type { ChainResult } from '../mcmc/chain.ts';
import { type Convergence, convergenceOf, coordinateOf, ebfmi, rHatLimit } from '../mcmc/diagnostics.ts';
import { MAX_DEPTH } from '../mcmc/nuts.ts';
import { type ChainProgram, sampleChains } from '../mcmc/sampleChains.ts';
import type { Whitening } from '../mcmc/whiten.ts';
import type { Posterior } from './posterior.ts';
import { gradientFlops, openPosterior, type PreparedRegression } from './prepareRegression.ts';
import { type Agreement, CHAINS, type PosteriorDraws, type PosteriorTask } from './samplingTask.ts';

/** Effective draws of a converged posterior (Vehtari et al., 2021); a quarter of all draws where those are fewer. */
const GOOD_ESS = 400;
/** Divergences of a converged posterior, as a share of the draws. */
const FEW_DIVERGENCES = 0.001;

/**
 * Warm-up of whitened chains, at most: the metric is known from the curvature at the mode, and what is left is the step. On
 * 17,000 × 300 of Student's t 100 steps gave as many effective draws as 1,000.
 */
export const SHORT_WARM_UP = 200;

export const FIRST = { stream: 'posterior', targetAcceptance: 0.8, longest: SHORT_WARM_UP, times: 1 };
export const SECOND = {
  stream: 'second posterior',
  targetAcceptance: 0.99,
  longest: Number.POSITIVE_INFINITY,
  times: 3,
};

/** Draws, and the same as positions: one array a chain, draws × d. */
export async function runChains(
  task: PosteriorTask,
  prepared: PreparedRegression,
  { position, whitening }: { position: Float64Array; whitening: Whitening | null },
  { stream, targetAcceptance, longest, times }: typeof FIRST,
): Promise<{ drawn: PosteriorDraws; positions: Float64Array[] }> {
  const { draws, random, workers, yieldToEventLoop } = task;
  const posterior = openPosterior(prepared);
  const tune = Math.min(times * task.tune, whitening ? longest : Number.POSITIVE_INFINITY);
  await yieldToEventLoop();
  const results = await sampleChains({
    program: regressionProgram,
    data: prepared,
    options: { draws, tune, whitening, start: position, targetAcceptance },
    chains: CHAINS,
    gradientFlops: gradientFlops(prepared),
    random: random.child(stream),
    onProgress: (counts) => task.onProgress({ fact: 'chains_sampled', parameter: null, ...counts }),
    yieldToEventLoop,
    workers,
  });
  const chains = results.map((result) => naturalDraws(posterior, result));
  await yieldToEventLoop();
  return {
    drawn: { ...judged(posterior, chains, results), tune },
    positions: results.map((result) => result.draws),
  };
}

function naturalDraws(posterior: Posterior, { draws }: ChainResult): Float64Array {
  const d = posterior.dimension;
  const out = new Float64Array(draws.length);
  for (let at = 0; at < draws.length; at += d) out.set(posterior.constrain(draws.subarray(at, at + d)), at);
  return out;
}

function judged(posterior: Posterior, chains: Float64Array[], results: readonly ChainResult[]): PosteriorDraws {
  const stats = results.map((result) => result.stats);
  const divergences = stats.reduce((sum, { diverging }) => sum + diverging.reduce((a, b) => a + b, 0), 0);
  const all = stats.reduce((sum, { depth }) => sum + depth.length, 0);
  const isBound = (depth: number): boolean => depth >= MAX_DEPTH;
  const judgement = {
    method: 'chains' as const,
    posterior,
    chains,
    tune: 0,
    ...convergenceOfAll(posterior, chains),
    divergences,
    depthExceeded: stats.reduce((sum, { depth }) => sum + depth.filter(isBound).length, 0),
    leastEbfmi: Math.min(...stats.map(({ energy }) => ebfmi(energy))),
    paretoShape: null,
    subsample: null,
    gradients: stats.reduce((sum, own) => sum + own.warmUp.leapfrogs + own.leapfrogs.reduce((a, b) => a + b, 0), 0),
  };
  const good = chainsAgree(judgement, all / results.length);
  return { ...judgement, converged: good && divergences <= FEW_DIVERGENCES * all };
}

/** How well chains of natural-scale draws agree, parameter by parameter and at worst. */
export function convergenceOfAll({ names, dimension }: Posterior, chains: Float64Array[]) {
  const parameters = names.map((name, at) => ({ name, ...convergenceOf(coordinateOf(chains, dimension, at)) }));
  const leastOf = (own: (of: Convergence) => number): number =>
    parameters.reduce((least, of) => Math.min(least, own(of)), Number.POSITIVE_INFINITY);
  return {
    worstRHat: parameters.reduce((most, { rHat }) => Math.max(most, rHat), 1),
    leastBulkEss: leastOf(({ bulkEss }) => bulkEss),
    leastTailEss: leastOf(({ tailEss }) => tailEss),
    parameters,
  };
}

/** Whether the chains give one posterior, whatever diverged on the way. `draws`: of each chain. */
export const chainsAgree = ({ worstRHat, leastBulkEss }: Agreement, draws: number): boolean =>
  worstRHat < rHatLimit(draws) && leastBulkEss >= Math.min(GOOD_ESS, (CHAINS * draws) / 4);

// Regressions as `sampleChains` runs them: a thread is sent what was worked out once, sums of products say, and no
// rows.

export const regressionProgram: ChainProgram<PreparedRegression> = {
  build: openPosterior,
  entry: new URL('./chainWorker.ts', import.meta.url),
};
