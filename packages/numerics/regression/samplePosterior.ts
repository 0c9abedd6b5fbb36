import { ownNames, type SpecPart, splitAtoms } from './aggregateRows.ts';
import { drawShare } from './drawShare.ts';
import {
  gradientFlops,
  openPosterior,
  type PreparedRegression,
  prepareRegression,
  staysLong,
  whitenPosterior,
} from './prepareRegression.ts';
import { type ChainRun, FIRST, runChains, untilConverged } from './runChains.ts';
import { drawByImportance } from './sampleLaplace.ts';
import type { Sampler } from './samplers.ts';
import { errorOfSubsample, prepareSubsample } from './sampleSubsample.ts';
import type { OnSamplingProgress, PosteriorDraws, PosteriorTask } from './samplingTask.ts';
import type { RegressionSpec } from './spec.ts';

/**
 * Samples part by part for families with atoms. `draws` and `tune` are per chain; importance draws form four chains,
 * too. Repeats unconverged chains.
 */
export function samplePosterior(task: PosteriorTask): Promise<PosteriorDraws> {
  const parts = splitAtoms(task.spec);
  return parts ? drawParts(task, parts, drawOne) : drawOne(task);
}

/**
 * Maximum operations per gradient for chains over all rows: 15 minutes on two cores with 1,000 draws (decision 0057).
 */
export const ALL_ROWS = 5e8;
export const SOME_ROWS = ALL_ROWS / 4;
/** Accepted error of posterior means, in standard deviations. */
const SMALL_ERROR = 0.1;

async function drawOne(task: PosteriorTask): Promise<PosteriorDraws> {
  const { spec, sampler = 'auto', yieldToEventLoop } = task;
  await yieldToEventLoop();
  const share = drawShare(task);
  if (share) return share;
  const prepared = prepareRegression(spec);
  const isHuge = gradientFlops(prepared) > ALL_ROWS;
  const some: Way = (...own) =>
    drawBySubsample(...own, Math.floor((spec.y.length * SOME_ROWS) / gradientFlops(prepared)));
  const ways: Record<Sampler, Way[]> = {
    nuts: [],
    auto: isHuge ? [some, drawByWeights] : [],
    approximate: isHuge ? [drawByWeights, some] : [drawByWeights],
  };
  for (const way of ways[sampler]) {
    const drawn = await way(task, prepared);
    if (drawn) return drawn;
  }
  return drawByChains(task, prepared);
}

/** Null if its check fails. */
type Way = (task: PosteriorTask, prepared: PreparedRegression) => Promise<PosteriorDraws | null>;

async function drawByWeights(task: PosteriorTask, prepared: PreparedRegression): Promise<PosteriorDraws | null> {
  const drawn = await drawByImportance(task, prepared);
  if (drawn.converged) return drawn;
  await task.onProgress({ fact: 'approximation_rejected', parameter: null, paretoShape: drawn.paretoShape });
  return null;
}

/** Null if `rows` represent the others badly. */
export async function drawBySubsample(
  task: PosteriorTask,
  prepared: PreparedRegression,
  rows: number,
): Promise<PosteriorDraws | null> {
  const { spec, random, onProgress, yieldToEventLoop } = task;
  const total = spec.y.length;
  await onProgress({ fact: 'rows_chosen', parameter: null, rows, total });
  const whitened = await whitenPosterior(spec, task.start, openPosterior(prepared), yieldToEventLoop);
  const some = prepareSubsample(spec, prepared, whitened.position, rows, random.child('subsample'));
  const { positions, drawn } = await runChains(task, some, whitened, FIRST);
  const error = await errorOfSubsample(prepared, some, positions, yieldToEventLoop);
  if (drawn.converged && error <= SMALL_ERROR) return { ...drawn, method: 'subsample', subsample: { rows, error } };
  await onProgress({ fact: 'rows_rejected', parameter: null, error });
  return null;
}

async function drawByChains(task: PosteriorTask, prepared: PreparedRegression): Promise<PosteriorDraws> {
  const { spec, start, yieldToEventLoop } = task;
  const whitened = await whitenPosterior(spec, start, openPosterior(prepared), yieldToEventLoop);
  const run = async (how: ChainRun) => (await runChains(task, prepared, whitened, how)).drawn;
  return untilConverged(task, staysLong(prepared), run);
}

// Parts share no coefficients, so posteriors are independent.

async function drawParts(
  task: PosteriorTask,
  parts: readonly SpecPart[],
  draw: (task: PosteriorTask) => Promise<PosteriorDraws>,
): Promise<PosteriorDraws> {
  const drawn: PosteriorDraws[] = [];
  const places = parts.map((part) => placesOf(task.spec, part));
  for (const [k, { spec }] of parts.entries()) {
    const own = ownNames(spec);
    const { parameter } = spec.predictors[0]!;
    const onProgress: OnSamplingProgress = (progress) => task.onProgress({ ...progress, parameter });
    const start = Float64Array.from(places[k]!, (at) => task.start[at]!);
    drawn.push(await draw({ ...task, spec: own, start, onProgress, random: task.random.child(`part ${k}`) }));
  }
  return joined(task, places, drawn);
}

function placesOf({ predictors }: RegressionSpec, { spec, entries }: SpecPart): number[] {
  const sizes = predictors.map((own) => (own.kind === 'linear' ? own.design.cols : 1));
  let scale = sizes.reduce((sum, size) => sum + size, 0);
  const own = new Set(spec.predictors.map(({ parameter }) => parameter));
  const scales: number[] = [];
  for (const predictor of predictors) {
    if (predictor.kind === 'constant') continue;
    for (const _ of predictor.pools) {
      if (own.has(predictor.parameter)) scales.push(scale);
      scale++;
    }
  }
  return [...entries, ...scales];
}

function joined(
  task: PosteriorTask,
  places: readonly (readonly number[])[],
  drawn: readonly PosteriorDraws[],
): PosteriorDraws {
  const posterior = openPosterior(prepareRegression(task.spec));
  const d = posterior.dimension;
  const chains = drawn[0]!.chains.map((_, c) => {
    const whole = new Float64Array(task.draws * d);
    places.forEach((entries, k) => {
      const own = drawn[k]!.chains[c]!;
      const size = entries.length;
      for (let i = 0; i < task.draws; i++)
        for (let j = 0; j < size; j++) whole[i * d + entries[j]!] = own[i * size + j]!;
    });
    return whole;
  });
  const approximate = drawn.find(({ method }) => method !== 'chains');
  const subsamples = drawn.flatMap(({ subsample }) => subsample ?? []);
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
    subsample: subsamples.sort((one, other) => other.error - one.error)[0] ?? null,
    converged: drawn.every(({ converged }) => converged),
    gradients: sum(({ gradients }) => gradients),
    parameters: posterior.names.map((name, at) => {
      const k = places.findIndex((entries) => entries.includes(at));
      return { ...drawn[k]!.parameters[places[k]!.indexOf(at)]!, name };
    }),
  };
}
