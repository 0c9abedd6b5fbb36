/** The way where chains would take too long: importance draws from the Laplace approximation, weighted by all rows. */
import { counted } from '../../../domain/table/wording.ts';
import { openPosterior } from '../../../numerics/regression/createPosterior.ts';
import { findModeInSteps } from '../../../numerics/regression/findMode.ts';
import { prepareRegression } from '../../../numerics/regression/prepareRegression.ts';
import { LaplaceSampler, USABLE_SHAPE } from '../../../numerics/regression/sampleLaplace.ts';
import { inSteps } from '../shared/inSteps.ts';
import { CHAINS, flopsOf, type PosteriorDraws, type PosteriorTask } from './posteriorTask.ts';

/** Proposals by what they cost: as many as fit, within these. */
const FLOPS = 1e10;
const LEAST_PROPOSALS = 400;
const MOST_PROPOSALS = 4000;
const LINES = 4;

export async function drawByImportance(task: PosteriorTask): Promise<PosteriorDraws> {
  const { spec, draws, random, report, breathe } = task;
  await report(
    `Sampling: chains over ${counted(spec.y.length, 'row')} would take too long; draws from the Laplace approximation are weighted by all rows instead`,
  );
  const posterior = openPosterior(prepareRegression(spec));
  const { position: mode, factor } = await inSteps(findModeInSteps(posterior, task.start), breathe);
  await breathe();
  if (!factor) throw new RangeError(`a posterior of ${posterior.dimension} parameters is too wide for its Hessian`);
  const affordable = Math.floor(FLOPS / flopsOf(spec, posterior.dimension));
  const proposals = Math.max(LEAST_PROPOSALS, Math.min(MOST_PROPOSALS, affordable));
  const sampler = new LaplaceSampler(posterior, { mode, factor, random: random.child('importance'), proposals });
  for (let done = 1; !sampler.finished; done++) {
    sampler.advance();
    await breathe();
    if (done % Math.ceil(proposals / LINES) === 0)
      await report(`Sampling: ${done} of ${counted(proposals, 'proposal')}`);
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
    leastEnergyFraction: Number.NaN,
    paretoShape: shape,
    converged: shape < USABLE_SHAPE,
  };
}
