/** Draws from the posterior of a planned regression, and says how well that went. */

import type { ChainResult } from '../../../numerics/mcmc/chain.ts';
import { bulkEss, tailEss } from '../../../numerics/mcmc/diagnostics/effectiveSampleSize.ts';
import { energyFraction } from '../../../numerics/mcmc/diagnostics/energyFraction.ts';
import { rHat } from '../../../numerics/mcmc/diagnostics/rHat.ts';
import { MAX_DEPTH } from '../../../numerics/mcmc/nuts.ts';
import type { RandomStream } from '../../../numerics/random/stream.ts';
import { openPosterior } from '../../../numerics/regression/createPosterior.ts';
import { findMode } from '../../../numerics/regression/findMode.ts';
import type { Posterior } from '../../../numerics/regression/posterior.ts';
import { prepareRegression } from '../../../numerics/regression/prepareRegression.ts';
import type { RegressionSpec } from '../../../numerics/regression/spec.ts';
import type { Report } from '../model.ts';
import { drawByImportance } from './drawByImportance.ts';
import { bySums } from './fixPools.ts';
import { regressionProgram } from './regressionProgram.ts';
import { sampleChains } from './sampleChains.ts';

export const CHAINS = 4;

/** What a converged posterior keeps to (Vehtari et al., 2021). */
const GOOD_R_HAT = 1.01;
const GOOD_ESS = 400;
/** Past this, four chains would take minutes on two cores. */
const MOST_FLOPS = 1.2e11;
/** Of the draws. */
const FEW_DIVERGENCES = 0.001;

export interface PosteriorTask {
  spec: RegressionSpec;
  /** Where the search for the mode begins. */
  start: Float64Array;
  draws: number;
  tune: number;
  random: RandomStream;
  report: Report;
  breathe(): Promise<void>;
}

export interface PosteriorDraws {
  posterior: Posterior;
  /** Natural scale, one array a chain: draws × d, row-major. */
  chains: Float64Array[];
  tune: number;
  worstRHat: number;
  leastBulkEss: number;
  leastTailEss: number;
  divergences: number;
  depthExceeded: number;
  leastEnergyFraction: number;
  /** Of importance weights; null where chains were run. */
  paretoShape: number | null;
  converged: boolean;
}

/**
 * `draws` and `tune` are per chain. Where chains would take too long, the posterior of all rows is drawn from by importance
 * from its Laplace approximation; they too are given as four chains of `draws`. A run that did not converge is tried once more with a longer warm-up. */
export async function drawPosterior(task: PosteriorTask): Promise<PosteriorDraws> {
  if (costOfChains(task) > MOST_FLOPS) return drawByImportance(task);
  const first = await sampleOnce(task, 'posterior', 0.8);
  if (first.converged) return first;
  await task.report(`Sampling did not converge (${shortcomings(first)}): once more with a longer warm-up`);
  const second = await sampleOnce({ ...task, tune: 3 * task.tune }, 'second posterior', 0.95);
  return second.worstRHat <= first.worstRHat || second.converged ? second : first;
}

async function sampleOnce(task: PosteriorTask, stream: string, targetAcceptance: number): Promise<PosteriorDraws> {
  const { spec, draws, tune, random, report, breathe } = task;
  await breathe();
  const prepared = prepareRegression(spec);
  const posterior = openPosterior(prepared);
  const mode = findMode(posterior, task.start);
  await breathe();
  const whitening = mode.factor ? { mode: mode.position, factor: mode.factor } : null;
  const results = await sampleChains({
    program: regressionProgram,
    data: prepared,
    options: { draws, tune, whitening, start: mode.position, targetAcceptance },
    chains: CHAINS,
    gradientFlops: flopsOf(spec, posterior.dimension),
    random: random.child(stream),
    report,
    breathe,
  });
  const chains = results.map((result) => naturalDraws(posterior, result));
  await breathe();
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
    const own = chains.map((chain) => Float64Array.from({ length: chain.length / d }, (_, i) => chain[i * d + at]!));
    worstRHat = Math.max(worstRHat, rHat(own));
    leastBulkEss = Math.min(leastBulkEss, bulkEss(own));
    leastTailEss = Math.min(leastTailEss, tailEss(own));
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
    leastEnergyFraction: Math.min(...stats.map(({ energy }) => energyFraction(energy))),
    paretoShape: null,
  };
  const enough = Math.min(GOOD_ESS, all / 4);
  const good = worstRHat < GOOD_R_HAT + (all < 1000 ? 0.04 : 0) && leastBulkEss >= enough;
  return { ...judgement, converged: good && divergences <= FEW_DIVERGENCES * all };
}

/** What stands between a run and a good one, for a sentence. */
export function shortcomings({ worstRHat, leastBulkEss, divergences }: PosteriorDraws): string {
  return `R-hat ${worstRHat.toFixed(3)}, least effective sample size ${Math.round(leastBulkEss)}, ${divergences} divergences`;
}

/** Multiplications and additions of four chains, about: trajectories take three to four gradients. */
const costOfChains = ({ spec, draws, tune }: PosteriorTask): number =>
  CHAINS * (draws + tune) * 3.5 * flopsOf(spec, dimensionOf(spec));

const dimensionOf = ({ predictors }: RegressionSpec): number =>
  predictors.reduce((sum, own) => sum + (own.kind === 'linear' ? own.design.cols : 1), 0);

/** Multiplications and additions of a gradient, about. */
export function flopsOf(spec: RegressionSpec, dimension: number): number {
  const whitening = 2 * dimension * dimension;
  if (bySums(spec.family)) return whitening + 2 * dimension * dimension;
  const entries = spec.predictors.reduce(
    (sum, predictor) => sum + (predictor.kind === 'linear' ? predictor.design.values.length : 0),
    0,
  );
  return whitening + 4 * entries + 60 * spec.y.length;
}
