/** Draws from the posterior of a planned regression, and says how well that went. */
import { counted } from '../../../domain/table/wording.ts';
import type { ChainResult } from '../../../numerics/mcmc/chain.ts';
import { bulkEss, tailEss } from '../../../numerics/mcmc/diagnostics/effectiveSampleSize.ts';
import { energyFraction } from '../../../numerics/mcmc/diagnostics/energyFraction.ts';
import { rHat } from '../../../numerics/mcmc/diagnostics/rHat.ts';
import { MAX_DEPTH } from '../../../numerics/mcmc/nuts.ts';
import { openPosterior } from '../../../numerics/regression/createPosterior.ts';
import type { Posterior } from '../../../numerics/regression/posterior.ts';
import { prepareRegression } from '../../../numerics/regression/prepareRegression.ts';
import { splitAtoms } from '../../../numerics/regression/splitAtoms.ts';
import { drawByImportance } from './drawByImportance.ts';
import { drawParts } from './drawParts.ts';
import { CHAINS, costOfChains, flopsOf, type PosteriorDraws, type PosteriorTask } from './posteriorTask.ts';
import { regressionProgram } from './regressionProgram.ts';
import { sampleChains } from './sampleChains.ts';
import { whitenPosterior } from './whitenPosterior.ts';

/** What a converged posterior keeps to (Vehtari et al., 2021). */
const GOOD_R_HAT = 1.01;
const GOOD_ESS = 400;
/**
 * What R-hat is above 1 by chance, times the draws of a chain: of halves of n / 2 independent draws the greatest over
 * hundreds of parameters is near 1 + 6 / n, and draws are not all independent. From 1,000 draws on 1.01 decides.
 */
const R_HAT_NOISE = 10;
/** Past this, four chains would take minutes on two cores. */
const MOST_FLOPS = 1.2e11;
/** Of the draws. */
const FEW_DIVERGENCES = 0.001;

/**
 * `draws` and `tune` are per chain. A family with atoms is drawn part by part. Where chains would take too long, the
 * posterior of all rows is drawn from by importance from its Laplace approximation; these draws too are given as four
 * chains of `draws`. A run of chains that did not converge is tried once more with a longer warm-up.
 */
export function drawPosterior(task: PosteriorTask): Promise<PosteriorDraws> {
  const parts = splitAtoms(task.spec);
  return parts ? drawParts(task, parts, drawOne) : drawOne(task);
}

const drawOne = (task: PosteriorTask): Promise<PosteriorDraws> =>
  costOfChains(task) > MOST_FLOPS ? drawByImportance(task) : drawByChains(task);

async function drawByChains(task: PosteriorTask): Promise<PosteriorDraws> {
  const first = await sampleOnce(task, 'posterior', 0.8);
  if (first.converged) return first;
  await task.report(`Sampling did not converge (${agreementInWords(first)}): once more with a longer warm-up`);
  const second = await sampleOnce({ ...task, tune: 3 * task.tune }, 'second posterior', 0.95);
  return second.worstRHat <= first.worstRHat || second.converged ? second : first;
}

async function sampleOnce(task: PosteriorTask, stream: string, targetAcceptance: number): Promise<PosteriorDraws> {
  const { spec, draws, tune, random, report, breathe } = task;
  await breathe();
  const prepared = prepareRegression(spec);
  const posterior = openPosterior(prepared);
  const { position, whitening } = await whitenPosterior(task, posterior);
  await breathe();
  const results = await sampleChains({
    program: regressionProgram,
    data: prepared,
    options: { draws, tune, whitening, start: position, targetAcceptance },
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
  const good = worstRHat < Math.max(GOOD_R_HAT, 1 + (R_HAT_NOISE * results.length) / all) && leastBulkEss >= enough;
  return { ...judgement, converged: good && divergences <= FEW_DIVERGENCES * all };
}

/** How well the chains of a run agree, for a sentence. */
export function agreementInWords({ worstRHat, leastBulkEss, divergences }: PosteriorDraws): string {
  const ratio = Number.isFinite(worstRHat) ? worstRHat.toFixed(worstRHat < 100 ? 3 : 0) : 'not to be had';
  return `R-hat ${ratio}, least effective sample size ${Number.isFinite(leastBulkEss) ? Math.round(leastBulkEss) : 0}, ${counted(divergences, 'divergence')}`;
}
