/**
 * Draws from the posterior of a regression, and says how well that went: by chains, or of an approximation that passed its
 * check where one is asked for, or chains could not end; part by part where a family has atoms.
 */

import type { ChainResult } from '../mcmc/chain.ts';
import { type Convergence, convergenceOf, coordinateOf, ebfmi, rHatLimit } from '../mcmc/diagnostics.ts';
import { MAX_DEPTH } from '../mcmc/nuts.ts';
import { type ChainProgram, sampleChains } from '../mcmc/sampleChains.ts';
import { ownNames, type SpecPart, splitAtoms } from './aggregateRows.ts';
import type { Posterior } from './posterior.ts';
import { openPosterior, type PreparedRegression, prepareRegression, whitenPosterior } from './prepareRegression.ts';
import { drawByImportance } from './sampleLaplace.ts';
import {
  CHAINS,
  dimensionOf,
  flopsOf,
  type OnSamplingProgress,
  type PosteriorDraws,
  type PosteriorTask,
} from './samplingTask.ts';

/** Multiplications and additions of four chains, about: trajectories take three to four gradients. */
const costOfChains = ({ spec, draws, tune }: PosteriorTask): number =>
  CHAINS * (draws + tune) * 3.5 * flopsOf(spec, dimensionOf(spec));

// Draws from the posterior of a planned regression, and says how well that went.

/** Effective draws of a converged posterior (Vehtari et al., 2021); a quarter of all draws where those are fewer. */
const GOOD_ESS = 400;
/** Past this, four chains would take minutes on two cores. */
const MAX_FLOPS = 1.2e11;
/** Divergences of a converged posterior, as a share of the draws. */
const FEW_DIVERGENCES = 0.001;

/**
 * `draws` and `tune` are per chain. A family with atoms is drawn part by part. Draws by importance from the Laplace
 * approximation are given as four chains of `draws`, too; where their weights fail their check, chains are run instead. A
 * run of chains that did not converge is tried once more with a longer warm-up.
 */
export function samplePosterior(task: PosteriorTask): Promise<PosteriorDraws> {
  const parts = splitAtoms(task.spec);
  return parts ? drawParts(task, parts, drawOne) : drawOne(task);
}

async function drawOne(task: PosteriorTask): Promise<PosteriorDraws> {
  const { sampler = 'auto' } = task;
  const isLong = sampler === 'auto' && costOfChains(task) > MAX_FLOPS;
  if (!isLong && sampler !== 'approximate') return drawByChains(task);
  const weighted = await drawByImportance(task);
  if (weighted.converged) return weighted;
  await task.onProgress({ fact: 'approximation_rejected', parameter: null, paretoShape: weighted.paretoShape });
  return drawByChains(task);
}

async function drawByChains(task: PosteriorTask): Promise<PosteriorDraws> {
  const first = await sampleOnce(task, 'posterior', 0.8);
  if (first.converged) return first;
  const { worstRHat, leastBulkEss, divergences } = first;
  await task.onProgress({ fact: 'chains_repeated', parameter: null, worstRHat, leastBulkEss, divergences });
  const second = await sampleOnce({ ...task, tune: 3 * task.tune }, 'second posterior', 0.95);
  const better = second.worstRHat <= first.worstRHat || second.converged ? second : first;
  return { ...better, gradients: first.gradients + second.gradients };
}

async function sampleOnce(task: PosteriorTask, stream: string, targetAcceptance: number): Promise<PosteriorDraws> {
  const { spec, draws, tune, random, workers, yieldToEventLoop } = task;
  await yieldToEventLoop();
  const prepared = prepareRegression(spec);
  const posterior = openPosterior(prepared);
  const { position, whitening } = await whitenPosterior(spec, task.start, posterior, yieldToEventLoop);
  await yieldToEventLoop();
  const results = await sampleChains({
    program: regressionProgram,
    data: prepared,
    options: { draws, tune, whitening, start: position, targetAcceptance },
    chains: CHAINS,
    gradientFlops: flopsOf(spec, posterior.dimension),
    random: random.child(stream),
    onProgress: (counts) => task.onProgress({ fact: 'chains_sampled', parameter: null, ...counts }),
    yieldToEventLoop,
    workers,
  });
  const chains = results.map((result) => naturalDraws(posterior, result));
  await yieldToEventLoop();
  return { ...judged(posterior, chains, results), tune };
}

function naturalDraws(posterior: Posterior, { draws }: ChainResult): Float64Array {
  const d = posterior.dimension;
  const out = new Float64Array(draws.length);
  for (let at = 0; at < draws.length; at += d) out.set(posterior.constrain(draws.subarray(at, at + d)), at);
  return out;
}

function judged(posterior: Posterior, chains: Float64Array[], results: readonly ChainResult[]): PosteriorDraws {
  const d = posterior.dimension;
  const parameters = posterior.names.map((name, at) => ({ name, ...convergenceOf(coordinateOf(chains, d, at)) }));
  const leastOf = (own: (of: Convergence) => number): number =>
    parameters.reduce((least, of) => Math.min(least, own(of)), Number.POSITIVE_INFINITY);
  const worstRHat = parameters.reduce((most, { rHat }) => Math.max(most, rHat), 1);
  const leastBulkEss = leastOf(({ bulkEss }) => bulkEss);
  const leastTailEss = leastOf(({ tailEss }) => tailEss);
  const stats = results.map((result) => result.stats);
  const divergences = stats.reduce((sum, { diverging }) => sum + diverging.reduce((a, b) => a + b, 0), 0);
  const all = stats.reduce((sum, { depth }) => sum + depth.length, 0);
  const isBound = (depth: number): boolean => depth >= MAX_DEPTH;
  const judgement = {
    method: 'chains' as const,
    posterior,
    chains,
    tune: 0,
    worstRHat,
    leastBulkEss,
    leastTailEss,
    divergences,
    depthExceeded: stats.reduce((sum, { depth }) => sum + depth.filter(isBound).length, 0),
    leastEbfmi: Math.min(...stats.map(({ energy }) => ebfmi(energy))),
    paretoShape: null,
    gradients: stats.reduce((sum, own) => sum + own.warmUp.leapfrogs + own.leapfrogs.reduce((a, b) => a + b, 0), 0),
    parameters,
  };
  const enough = Math.min(GOOD_ESS, all / 4);
  const good = worstRHat < rHatLimit(all / results.length) && leastBulkEss >= enough;
  return { ...judgement, converged: good && divergences <= FEW_DIVERGENCES * all };
}

// Regressions as `sampleChains` runs them: a thread is sent what was worked out once, sums of products say, and no
// rows.

export const regressionProgram: ChainProgram<PreparedRegression> = {
  build: openPosterior,
  entry: new URL('./chainWorker.ts', import.meta.url),
};

// A family with atoms falls into regressions that share no coefficient: their posteriors are independent, and each is
// drawn from in the way that suits it.

/** Draws of the whole from draws of its parts, which `draw` gives one after the other. */
async function drawParts(
  task: PosteriorTask,
  parts: readonly SpecPart[],
  draw: (task: PosteriorTask) => Promise<PosteriorDraws>,
): Promise<PosteriorDraws> {
  const drawn: PosteriorDraws[] = [];
  for (const [k, { spec, entries }] of parts.entries()) {
    const own = ownNames(spec);
    const { parameter } = spec.predictors[0]!;
    const onProgress: OnSamplingProgress = (progress) => task.onProgress({ ...progress, parameter });
    const start = Float64Array.from(entries, (at) => task.start[at]!);
    drawn.push(await draw({ ...task, spec: own, start, onProgress, random: task.random.child(`part ${k}`) }));
  }
  return joined(task, parts, drawn);
}

function joined(task: PosteriorTask, parts: readonly SpecPart[], drawn: readonly PosteriorDraws[]): PosteriorDraws {
  const posterior = openPosterior(prepareRegression(task.spec));
  const d = posterior.dimension;
  const chains = drawn[0]!.chains.map((_, c) => {
    const whole = new Float64Array(task.draws * d);
    parts.forEach(({ entries }, k) => {
      const own = drawn[k]!.chains[c]!;
      const size = entries.length;
      for (let i = 0; i < task.draws; i++)
        for (let j = 0; j < size; j++) whole[i * d + entries[j]!] = own[i * size + j]!;
    });
    return whole;
  });
  const approximate = drawn.find(({ method }) => method !== 'chains');
  const shapes = drawn.flatMap(({ paretoShape }) => (paretoShape === null ? [] : [paretoShape]));
  const known = (of: (part: PosteriorDraws) => number): number[] => drawn.map(of).filter((x) => !Number.isNaN(x));
  const least = (of: (part: PosteriorDraws) => number): number =>
    known(of).length > 0 ? Math.min(...known(of)) : Number.NaN;
  const sum = (of: (part: PosteriorDraws) => number): number => drawn.reduce((all, part) => all + of(part), 0);
  return {
    method: approximate?.method ?? 'chains',
    posterior,
    chains,
    tune: Math.max(...drawn.map(({ tune }) => tune)),
    worstRHat: -least(({ worstRHat }) => -worstRHat),
    leastBulkEss: least(({ leastBulkEss }) => leastBulkEss),
    leastTailEss: least(({ leastTailEss }) => leastTailEss),
    divergences: sum(({ divergences }) => divergences),
    depthExceeded: sum(({ depthExceeded }) => depthExceeded),
    leastEbfmi: least(({ leastEbfmi }) => leastEbfmi),
    paretoShape: shapes.length > 0 ? Math.max(...shapes) : null,
    converged: drawn.every(({ converged }) => converged),
    gradients: sum(({ gradients }) => gradients),
    parameters: posterior.names.map((name, at) => {
      const k = parts.findIndex(({ entries }) => entries.includes(at));
      return { ...drawn[k]!.parameters[parts[k]!.entries.indexOf(at)]!, name };
    }),
  };
}
