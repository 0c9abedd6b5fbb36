import type { ChainResult } from '../mcmc/chain.ts';
import { type Convergence, convergenceOf, coordinateOf, ebfmi, rHatLimit } from '../mcmc/diagnostics.ts';
import { MAX_DEPTH } from '../mcmc/nuts.ts';
import { type ChainProgram, sampleChains } from '../mcmc/sampleChains.ts';
import type { Whitening } from '../mcmc/whiten.ts';
import { inSteps, type Steps } from '../steps.ts';
import type { Posterior } from './posterior.ts';
import { gradientFlops, openPosterior, type PreparedRegression } from './prepareRegression.ts';
import { type Agreement, CHAINS, type PosteriorDraws, type PosteriorTask } from './samplingTask.ts';

/** Effective draws required (Vehtari et al. 2021), or a quarter of all draws if fewer. */
const GOOD_ESS = 400;
/** Maximum share of divergent draws. */
const FEW_DIVERGENCES = 0.001;
/** The largest of hundreds exceeds 1.01 by chance; separated chains exceed this. */
const NEAR_R_HAT = 1.05;

/**
 * The curvature gives the metric, so only the step size adapts. For Student's t on 17,000 × 300, the number of
 * effective draws was the same after 100 steps as after 1,000.
 */
export const SHORT_WARM_UP = 200;

export interface ChainRun {
  stream: string;
  targetAcceptance: number;
  /** Maximum warm-up of whitened chains. */
  longest: number;
  times: number;
  thin: number;
}

export const FIRST: ChainRun = {
  stream: 'posterior',
  targetAcceptance: 0.8,
  longest: SHORT_WARM_UP,
  times: 1,
  thin: 1,
};
/** For chains that nearly agree. */
export const LONGER: ChainRun = { ...FIRST, stream: 'longer posterior', thin: 3 };
/** For stuck or divergent chains. */
export const SECOND: ChainRun = {
  stream: 'second posterior',
  targetAcceptance: 0.99,
  longest: Number.POSITIVE_INFINITY,
  times: 3,
  thin: 1,
};

/**
 * Repeats chains until converged: longer if they nearly agree, then with a longer warm-up. If gradients are long,
 * accepts divergences. Returns the converged run, else that of the lowest R-hat.
 */
export async function untilConverged<Run extends Judged>(
  { draws, onProgress }: Pick<PosteriorTask, 'draws' | 'onProgress'>,
  isLong: boolean,
  run: (how: ChainRun) => Promise<Run>,
): Promise<Run> {
  let last = await run(FIRST);
  let best = last;
  let { gradients } = last;
  for (const how of chainsNearlyAgree(last, draws) ? [LONGER, SECOND] : [SECOND]) {
    if (last.converged || (isLong && chainsAgree(last, draws))) break;
    const { worstRHat, leastBulkEss, divergences } = last;
    await onProgress({ fact: 'chains_repeated', parameter: null, worstRHat, leastBulkEss, divergences });
    last = await run(how);
    if (last.converged || last.worstRHat <= best.worstRHat) best = last;
    gradients += last.gradients;
  }
  return { ...best, gradients };
}

type Judged = Agreement & Pick<PosteriorDraws, 'converged' | 'gradients'>;

/** `positions`: draws × d per chain. */
export async function runChains(
  task: PosteriorTask,
  prepared: PreparedRegression,
  { position, whitening }: { position: Float64Array; whitening: Whitening | null },
  { stream, targetAcceptance, longest, times, thin }: ChainRun,
): Promise<{ drawn: PosteriorDraws; positions: Float64Array[] }> {
  const { draws, random, workers, yieldToEventLoop } = task;
  const posterior = openPosterior(prepared);
  const tune = Math.min(times * task.tune, whitening ? longest : Number.POSITIVE_INFINITY);
  await yieldToEventLoop();
  const results = await sampleChains({
    program: regressionProgram,
    data: prepared,
    options: { draws, tune, thin, whitening, start: position, targetAcceptance },
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
    drawn: { ...(await inSteps(judged(posterior, chains, results), yieldToEventLoop)), tune },
    positions: results.map((result) => result.draws),
  };
}

function naturalDraws(posterior: Posterior, { draws }: ChainResult): Float64Array {
  const d = posterior.dimension;
  const out = new Float64Array(draws.length);
  for (let at = 0; at < draws.length; at += d) out.set(posterior.constrain(draws.subarray(at, at + d)), at);
  return out;
}

function* judged(posterior: Posterior, chains: Float64Array[], results: readonly ChainResult[]): Steps<PosteriorDraws> {
  const stats = results.map((result) => result.stats);
  const divergences = stats.reduce((sum, { diverging }) => sum + diverging.reduce((a, b) => a + b, 0), 0);
  const all = stats.reduce((sum, { depth }) => sum + depth.length, 0);
  const isBound = (depth: number): boolean => depth >= MAX_DEPTH;
  const judgement = {
    method: 'chains' as const,
    posterior,
    chains,
    tune: 0,
    ...(yield* convergenceOfAll(posterior, chains)),
    divergences,
    depthExceeded: stats.reduce((sum, { depth }) => sum + depth.filter(isBound).length, 0),
    leastEbfmi: Math.min(...stats.map(({ energy }) => ebfmi(energy))),
    paretoShape: null,
    subsample: null,
    gradients: stats.reduce((sum, own) => sum + own.warmUp.leapfrogs + own.leapfrogs.reduce((a, b) => a + b, 0), 0),
  };
  const good = chainsAgree(judgement, all / results.length);
  return { ...judgement, converged: good && divergeRarely(judgement, all) };
}

type AgreementOfAll = Pick<PosteriorDraws, 'worstRHat' | 'leastBulkEss' | 'leastTailEss' | 'parameters'>;

export function* convergenceOfAll({ names, dimension }: Posterior, chains: Float64Array[]): Steps<AgreementOfAll> {
  const parameters: PosteriorDraws['parameters'] = [];
  for (const [at, name] of names.entries()) {
    parameters.push({ name, ...convergenceOf(coordinateOf(chains, dimension, at)) });
    yield;
  }
  const leastOf = (own: (of: Convergence) => number): number =>
    parameters.reduce((least, of) => Math.min(least, own(of)), Number.POSITIVE_INFINITY);
  return {
    worstRHat: parameters.reduce((most, { rHat }) => Math.max(most, rHat), 1),
    leastBulkEss: leastOf(({ bulkEss }) => bulkEss),
    leastTailEss: leastOf(({ tailEss }) => tailEss),
    parameters,
  };
}

/** `draws`: per chain. */
export const chainsAgree = (run: Agreement, draws: number): boolean =>
  run.worstRHat < rHatLimit(draws) && mixWell(run, draws);

/** Whether only R-hat fails, perhaps by chance. `draws`: per chain. */
const chainsNearlyAgree = (run: Agreement, draws: number): boolean =>
  run.worstRHat < NEAR_R_HAT && mixWell(run, draws) && divergeRarely(run, CHAINS * draws);

const mixWell = ({ leastBulkEss }: Agreement, draws: number): boolean =>
  leastBulkEss >= Math.min(GOOD_ESS, (CHAINS * draws) / 4);

/** `draws`: of all chains. */
const divergeRarely = ({ divergences }: Agreement, draws: number): boolean => divergences <= FEW_DIVERGENCES * draws;

// Threads receive prepared data instead of rows.

export const regressionProgram: ChainProgram<PreparedRegression> = {
  build: openPosterior,
  entry: new URL('./chainWorker.ts', import.meta.url),
};
