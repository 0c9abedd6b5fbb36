/**
 * Draws from the posterior of a regression, and says how well that went: by chains, or by importance where chains would
 * take too long; part by part where a family has atoms.
 */

import type { ChainResult } from '../mcmc/chain.ts';
import { convergenceOf, coordinateOf, ebfmi, rHatLimit } from '../mcmc/diagnostics.ts';
import { MAX_DEPTH } from '../mcmc/nuts.ts';
import { type ChainProgram, sampleChains } from '../mcmc/sampleChains.ts';
import type { RandomStream } from '../random/stream.ts';
import { inSteps } from '../steps.ts';
import { ownNames, type SpecPart, splitAtoms } from './aggregateRows.ts';
import { findModeInSteps } from './findMode.ts';
import { isSummed } from './gaussianStatistics.ts';
import type { Posterior } from './posterior.ts';
import { openPosterior, type PreparedRegression, prepareRegression, whitenPosterior } from './prepareRegression.ts';
import { LaplaceSampler, USABLE_SHAPE } from './sampleLaplace.ts';
import type { RegressionSpec } from './spec.ts';

export const CHAINS = 4;

/** How well the chains of a run agree. */
export interface Agreement {
  worstRHat: number;
  leastBulkEss: number;
  divergences: number;
}

/** `parameter`: the part of a family with atoms that is being sampled; null where it is sampled whole. */
export type SamplingProgress = { parameter: string | null } & (
  | { fact: 'chains_sampled'; done: number; total: number; divergences: number }
  | ({ fact: 'chains_repeated' } & Agreement)
  | { fact: 'importance_sampling'; rows: number }
  | { fact: 'proposals_weighted'; done: number; total: number }
);

/** Throws where the work is to stop. */
export type OnSamplingProgress = (progress: SamplingProgress) => void | Promise<void>;

export interface PosteriorTask {
  spec: RegressionSpec;
  /** Where the search for the mode begins. */
  start: Float64Array;
  draws: number;
  tune: number;
  random: RandomStream;
  onProgress: OnSamplingProgress;
  /** Throws where the work is to stop; called about every 100 ms. */
  yieldToEventLoop(): Promise<void>;
  /** Worker threads: as many as pay if not given; 0 runs all chains here. */
  workers?: number | undefined;
}

/** How well sampling went; figures that have no value are NaN. */
export interface Diagnostics extends Agreement {
  /** Warm-up of each chain. */
  tune: number;
  leastTailEss: number;
  /** Draws whose trajectory reached the greatest depth. */
  depthExceeded: number;
  leastEbfmi: number;
  /** Of importance weights; null where chains were run. */
  paretoShape: number | null;
  converged: boolean;
  /** Evaluations of the log density and its gradient, warm-up included. */
  gradients: number;
}

export interface PosteriorDraws extends Diagnostics {
  posterior: Posterior;
  /** Natural scale, one array a chain: draws × d, row-major. */
  chains: Float64Array[];
}

/** Multiplications and additions of four chains, about: trajectories take three to four gradients. */
const costOfChains = ({ spec, draws, tune }: PosteriorTask): number =>
  CHAINS * (draws + tune) * 3.5 * flopsOf(spec, dimensionOf(spec));

const dimensionOf = ({ predictors }: RegressionSpec): number =>
  predictors.reduce((sum, own) => sum + (own.kind === 'linear' ? own.design.cols : 1), 0);

/** Multiplications and additions of a gradient, about. */
function flopsOf(spec: RegressionSpec, dimension: number): number {
  const whitening = 2 * dimension * dimension;
  if (isSummed(spec.family)) return whitening + 2 * dimension * dimension;
  const entries = spec.predictors.reduce(
    (sum, predictor) => sum + (predictor.kind === 'linear' ? predictor.design.values.length : 0),
    0,
  );
  return whitening + 4 * entries + 60 * spec.y.length;
}

// Draws from the posterior of a planned regression, and says how well that went.

/** Effective draws of a converged posterior (Vehtari et al., 2021); a quarter of all draws where those are fewer. */
const GOOD_ESS = 400;
/** Past this, four chains would take minutes on two cores. */
const MAX_FLOPS = 1.2e11;
/** Divergences of a converged posterior, as a share of the draws. */
const FEW_DIVERGENCES = 0.001;

/**
 * `draws` and `tune` are per chain. A family with atoms is drawn part by part. Where chains would take too long, the
 * posterior of all rows is drawn from by importance from its Laplace approximation; these draws too are given as four
 * chains of `draws`. A run of chains that did not converge is tried once more with a longer warm-up.
 */
export function samplePosterior(task: PosteriorTask): Promise<PosteriorDraws> {
  const parts = splitAtoms(task.spec);
  return parts ? drawParts(task, parts, drawOne) : drawOne(task);
}

const drawOne = (task: PosteriorTask): Promise<PosteriorDraws> =>
  costOfChains(task) > MAX_FLOPS ? drawByImportance(task) : drawByChains(task);

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
  let [worstRHat, leastBulkEss, leastTailEss] = [1, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let at = 0; at < d; at++) {
    const own = convergenceOf(coordinateOf(chains, d, at));
    worstRHat = Math.max(worstRHat, own.rHat);
    leastBulkEss = Math.min(leastBulkEss, own.bulkEss);
    leastTailEss = Math.min(leastTailEss, own.tailEss);
  }
  const stats = results.map((result) => result.stats);
  const divergences = stats.reduce((sum, { diverging }) => sum + diverging.reduce((a, b) => a + b, 0), 0);
  const all = stats.reduce((sum, { depth }) => sum + depth.length, 0);
  const isBound = (depth: number): boolean => depth >= MAX_DEPTH;
  const judgement = {
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

// The way where chains would take too long: importance draws from the Laplace approximation, weighted by all rows.

/** Proposals by what they cost: as many as fit, within these. */
const FLOPS = 1e10;
const MIN_PROPOSALS = 400;
const MAX_PROPOSALS = 4000;
/** Times that progress is said. */
const REPORTS = 4;

export async function drawByImportance(task: PosteriorTask): Promise<PosteriorDraws> {
  const { spec, draws, random, onProgress, yieldToEventLoop } = task;
  await onProgress({ fact: 'importance_sampling', parameter: null, rows: spec.y.length });
  const posterior = openPosterior(prepareRegression(spec));
  const { position: mode, factor } = await inSteps(findModeInSteps(posterior, task.start), yieldToEventLoop);
  await yieldToEventLoop();
  if (!factor) throw new RangeError(`a posterior of ${posterior.dimension} parameters is too wide for its Hessian`);
  const affordable = Math.floor(FLOPS / flopsOf(spec, posterior.dimension));
  const proposals = Math.max(MIN_PROPOSALS, Math.min(MAX_PROPOSALS, affordable));
  const sampler = new LaplaceSampler(posterior, { mode, factor, random: random.child('importance'), proposals });
  for (let done = 1; !sampler.finished; done++) {
    sampler.advance();
    await yieldToEventLoop();
    if (done % Math.ceil(proposals / REPORTS) === 0)
      await onProgress({ fact: 'proposals_weighted', parameter: null, done, total: proposals });
  }
  const { draws: positions, shape } = sampler.result(CHAINS * draws);
  return {
    posterior,
    chains: Array.from({ length: CHAINS }, (_, c) => {
      const d = posterior.dimension;
      const own = new Float64Array(draws * d);
      for (let i = 0; i < draws; i++) {
        const at = (c * draws + i) * d;
        own.set(posterior.constrain(positions.subarray(at, at + d)), i * d);
      }
      return own;
    }),
    tune: 0,
    worstRHat: Number.NaN,
    leastBulkEss: Number.NaN,
    leastTailEss: Number.NaN,
    divergences: 0,
    depthExceeded: 0,
    leastEbfmi: Number.NaN,
    paretoShape: shape,
    converged: shape < USABLE_SHAPE,
    gradients: proposals,
  };
}

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
  const shapes = drawn.flatMap(({ paretoShape }) => (paretoShape === null ? [] : [paretoShape]));
  const known = (of: (part: PosteriorDraws) => number): number[] => drawn.map(of).filter((x) => !Number.isNaN(x));
  const least = (of: (part: PosteriorDraws) => number): number =>
    known(of).length > 0 ? Math.min(...known(of)) : Number.NaN;
  const sum = (of: (part: PosteriorDraws) => number): number => drawn.reduce((all, part) => all + of(part), 0);
  return {
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
  };
}
