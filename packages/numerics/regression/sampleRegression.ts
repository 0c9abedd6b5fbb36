import type { FamilyName } from '../distributions/families.ts';
import { NoStartError } from '../mcmc/chain.ts';
import type { RandomStream } from '../random/stream.ts';
import type { Design, DroppedColumn, Predictor } from './design/design.ts';
import { fitScaleGroups } from './design/scaleGroups.ts';
import { fixPools } from './fixPools.ts';
import { isSummed } from './gaussianStatistics.ts';
import { type LeaveOneOut, leaveOneOut } from './leaveOneOut.ts';
import { DEFAULT_PRIORS, type PriorScales, planRegression } from './planRegression.ts';
import { checkPredictive, type PredictiveModel, type PredictivePValues, thinnedDraws } from './predict.ts';
import { ofStandard, type ResponseScale, type StandardUnits, scaleResponse } from './responseScale.ts';
import { samplePosterior } from './samplePosterior.ts';
import type { Sampler } from './samplers.ts';
import {
  CHAINS,
  type Diagnostics,
  type ParameterConvergence,
  type PosteriorDraws,
  type SamplingProgress,
} from './samplingTask.ts';
import type { Prior, RegressionSpec } from './spec.ts';

/** No chain found a start with a finite density. */
export class NoDensityError extends Error {
  override readonly name = 'NoDensityError';
  readonly family: FamilyName;
  readonly least: number;
  readonly greatest: number;

  constructor({ family, response }: RegressionProblem, cause: NoStartError) {
    const [least, greatest] = [Math.min, Math.max].map((pick) => response.reduce((a, b) => pick(a, b)));
    super(`a response from ${least} to ${greatest} has no finite density under ${family}: ${cause.message}`, { cause });
    this.family = family;
    this.least = least!;
    this.greatest = greatest!;
  }
}

/** A response, its predictors, and how to sample. */
export interface RegressionProblem {
  /** n finite numbers in the support; shares may be percentages. */
  response: Float64Array;
  family: FamilyName;
  /** Named columns (n). NaN and codes outside levels are missing. */
  columns: readonly Predictor[];
  /** Multiples of default scales; default 1. */
  priors?: Partial<PriorScales>;
  /** Kept draws and warm-up per chain (four chains); positive. */
  draws: number;
  tune: number;
  /**
   * `nuts`: chains over all rows, at any cost. `approximate`: a checked approximation, else chains. `auto` (default):
   * chains if feasible.
   */
  sampler?: Sampler;
}

/** Progress; `columns` counts those of all designs. */
export type RegressionProgress = SamplingProgress | { fact: 'planned'; columns: number; rows: number };

/** Randomness, progress and cancellation of a regression. */
export interface RegressionRun {
  /** The same stream gives the same draws for any `workers`. */
  random: RandomStream;
  /** Throws to stop. */
  onProgress?(progress: RegressionProgress): void | Promise<void>;
  /** Called about every 100 ms; throws to stop. Defaults to a timer turn. */
  yieldToEventLoop?(): Promise<void>;
  signal?: AbortSignal;
  /** Number of threads; 0 uses this thread. By default, as few as save time. */
  workers?: number;
}

/** Draws, summaries and diagnostics of a regression. */
export interface SampledRegression {
  model: PredictiveModel;
  chains: number;
  /** Natural-scale draws × parameters by chain, row-major, in scaled units. */
  draws: Float64Array[];
  /** Coefficients of each design, then constants. */
  names: readonly string[];
  /** Summaries of the first `limit` parameters, in response units. */
  coefficients(limit?: number): Coefficient[];
  diagnostics: Diagnostics;
  rows: number;
  checks: PredictivePValues;
  /** Null if a density is not finite. */
  loo: LeaveOneOut | null;
  dropped: DroppedColumn[];
  /** response = offset + factor · sampled value. */
  scale: ResponseScale;
  /** Outliers moved to a fence. */
  fenced: number;
}

/**
 * Fits the design, sets priors and samples the posterior. Throws a RangeError for different lengths or numbers outside
 * the support, NoDensityError, WorkerDiedError, and what the hooks throw.
 */
export async function sampleRegression(problem: RegressionProblem, run: RegressionRun): Promise<SampledRegression> {
  const { random, onProgress = () => undefined, workers } = run;
  const scaled = scaleResponse(problem.family, problem.response);
  const yieldToEventLoop = yieldsOf(run);
  await yieldToEventLoop();
  const { plan, start } = await planProblem(problem, scaled.y, random, yieldToEventLoop);
  const { spec, designs, scale, halves } = plan;
  const columns = designs.reduce((sum, design) => sum + (design ? design.columns.length : 0), 0);
  await onProgress({ fact: 'planned', columns, rows: spec.y.length });
  const { draws, tune, sampler = 'auto' } = problem;
  const drawn = await samplePosterior({
    spec,
    start,
    draws,
    tune,
    sampler,
    random,
    onProgress,
    yieldToEventLoop,
    workers,
  }).catch((error) => {
    throw error instanceof NoStartError ? new NoDensityError(problem, error) : error;
  });
  const coefficients = (limit?: number) => summariseCoefficients(spec, drawn, scaled.units, limit);
  const { family } = problem;
  const model = { family, designs, scale, ...thinnedDraws(family, spec, drawn) };
  const { posterior, chains, ...diagnostics } = drawn;
  return {
    model,
    chains: CHAINS,
    draws: chains,
    names: posterior.names,
    coefficients,
    diagnostics,
    rows: spec.y.length,
    checks: checkPredictive(model, problem.columns, scaled, random.child('checks')),
    loo: await leaveOneOut({
      model,
      predictors: problem.columns,
      y: scaled.y,
      halves,
      factor: scaled.scale.factor,
      random: random.child('loo'),
      yieldToEventLoop,
    }),
    dropped: designs.flatMap((design) => design?.dropped ?? []),
    scale: scaled.scale,
    fenced: scaled.fenced,
  };
}

function yieldsOf({ yieldToEventLoop, signal }: RegressionRun): () => Promise<void> {
  const turn = yieldToEventLoop ?? (() => new Promise<void>((resolve) => setTimeout(resolve)));
  return async () => {
    await turn();
    signal?.throwIfAborted();
  };
}

interface Plan {
  spec: RegressionSpec;
  designs: readonly (Design | null)[];
  scale: PredictiveModel['scale'];
  halves: Uint8Array;
}

async function planProblem(
  { family, columns, priors }: RegressionProblem,
  y: Float64Array,
  random: RandomStream,
  yieldToEventLoop: () => Promise<void>,
): Promise<{ plan: Plan; start: Float64Array }> {
  const scales = { ...DEFAULT_PRIORS, ...priors };
  const {
    spec: pooled,
    designs,
    halves,
  } = await planRegression(family, y, columns, random.child('design'), yieldToEventLoop, scales);
  const { spec, start } = await fixPools(pooled, yieldToEventLoop);
  const design = designs[0];
  if (!isSummed(family) || !design) return { plan: { spec, designs, halves, scale: null }, start };
  const location = start.slice(0, design.columns.length);
  const groups = fitScaleGroups({ family, y, design, location, halves }, columns, random.child('scale'));
  if (!groups) return { plan: { spec, designs, halves, scale: null }, start };
  return { plan: { spec: { ...spec, weights: groups.weights }, designs, halves, scale: groups.scale }, start };
}

/** Normal about 0 with `sd` times the pool's scale. */
export type CoefficientPrior = Prior | { kind: 'pooled'; pool: string; sd: number };

export interface Coefficient extends ParameterConvergence {
  prior: CoefficientPrior;
  mean: number;
  sd: number;
  q05: number;
  q95: number;
}

/** Omits nonfinite summaries. */
function summariseCoefficients(
  spec: RegressionSpec,
  { posterior, chains, parameters }: Pick<PosteriorDraws, 'posterior' | 'chains' | 'parameters'>,
  units: StandardUnits | null,
  limit = Number.POSITIVE_INFINITY,
): Coefficient[] {
  const d = posterior.dimension;
  const scales = scalesOf(spec, units);
  const priors = priorsOf(inUnits(spec, scales));
  return parameters.slice(0, limit).flatMap((parameter, at) => {
    const { offset, factor } = scales[at] ?? SAME;
    const values = Float64Array.from(
      chains.flatMap((chain) => Array.from({ length: chain.length / d }, (_, i) => chain[i * d + at]!)),
    ).sort();
    const mean = values.reduce((sum, value) => sum + value / values.length, 0);
    const sd = Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2 / values.length, 0));
    const quantileOf = (share: number): number => offset + factor * values[Math.round(share * (values.length - 1))]!;
    const figures = { mean: offset + factor * mean, sd: factor * sd, q05: quantileOf(0.05), q95: quantileOf(0.95) };
    return Object.values(figures).every(Number.isFinite) ? [{ ...parameter, prior: priors[at]!, ...figures }] : [];
  });
}

interface Scale {
  offset: number;
  factor: number;
}

const SAME: Scale = { offset: 0, factor: 1 };

/** The location's coefficients and sigma have units. */
function scalesOf({ predictors }: RegressionSpec, units: StandardUnits | null): Scale[] {
  const location = units ? ofStandard(units) : SAME;
  const difference = { offset: 0, factor: location.factor };
  return predictors.flatMap((own, k) => {
    if (own.kind === 'constant') return [own.parameter === 'sigma' ? difference : SAME];
    if (k > 0) return own.names.map(() => SAME);
    return own.names.map((_, j) => (j === 0 ? location : difference));
  });
}

function inUnits(spec: RegressionSpec, scales: readonly Scale[]): RegressionSpec {
  let at = 0;
  const predictors = spec.predictors.map((own) => {
    if (own.kind === 'constant') return { ...own, prior: scaled(own.prior, scales[at++]!) };
    return { ...own, priors: own.priors.map((prior) => scaled(prior, scales[at++]!)) };
  });
  return { ...spec, predictors };
}

function scaled(prior: Prior, { offset, factor }: Scale): Prior {
  if (prior.kind === 'normal') return { ...prior, mean: offset + factor * prior.mean, sd: factor * prior.sd };
  if (prior.kind === 'exponential_above') return { ...prior, rate: prior.rate / factor, error: prior.error * factor };
  return prior;
}

function priorsOf({ predictors }: RegressionSpec): CoefficientPrior[] {
  const priors: CoefficientPrior[] = [];
  const scales: CoefficientPrior[] = [];
  for (const predictor of predictors) {
    if (predictor.kind === 'constant') {
      priors.push(predictor.prior);
      continue;
    }
    const own: CoefficientPrior[] = [...predictor.priors];
    for (const { name, columns, sds, scale } of predictor.pools) {
      columns.forEach((column, j) => {
        own[column] = { kind: 'pooled', pool: name, sd: sds[j]! };
      });
      scales.push(scale);
    }
    priors.push(...own);
  }
  return [...priors, ...scales];
}
