/**
 * A Bayesian regression in one call: numbers and columns in; draws of the posterior, diagnostics and cost out. n rows.
 */

import type { FamilyName } from '../distributions/families.ts';
import { familyOf } from '../distributions/families.ts';
import { NoStartError } from '../mcmc/chain.ts';
import type { RandomStream } from '../random/stream.ts';
import type { Design, DroppedColumn, Predictor } from './design/design.ts';
import { fitScaleGroups } from './design/scaleGroups.ts';
import { fixPools } from './fixPools.ts';
import { isSummed } from './gaussianStatistics.ts';
import { DEFAULT_PRIORS, type PriorScales, planRegression } from './planRegression.ts';
import { checkPredictive, type PredictiveModel, type PredictivePValues } from './predict.ts';
import { toLink } from './priors.ts';
import { type ResponseScale, type ScaledResponse, scaleResponse } from './responseScale.ts';
import {
  CHAINS,
  type Diagnostics,
  type PosteriorDraws,
  type SamplingProgress,
  samplePosterior,
} from './samplePosterior.ts';
import type { RegressionSpec } from './spec.ts';
import { type Coefficient, summariseCoefficients } from './summarise.ts';

/** The density is finite nowhere that a chain could begin. */
export class NoDensityError extends Error {
  override readonly name = 'NoDensityError';
  readonly family: FamilyName;
  /** Range of the response. */
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

/** A response, what it is explained by, and how it is sampled. */
export interface RegressionProblem {
  /** n finite numbers that the family can have; shares may be percent. */
  response: Float64Array;
  family: FamilyName;
  /** Columns of n rows, each with a name of its own. NaN, and a code outside of the levels, is a missing cell. */
  columns: readonly Predictor[];
  /** Multiples of the scales of the weakly informative priors; 1 each if not given. */
  priors?: Partial<PriorScales>;
  /** Draws that are kept, and warm-up before them, of each of four chains: above 0. */
  draws: number;
  tune: number;
}

/** `columns`: of all designs together. */
export type RegressionProgress = SamplingProgress | { fact: 'planned'; columns: number; rows: number };

/** What a regression draws from, reports to, and stops by. */
export interface RegressionRun {
  /** The same stream gives the same draws, whatever `workers` is. */
  random: RandomStream;
  /** Throws where the work is to stop. */
  onProgress?(progress: RegressionProgress): void | Promise<void>;
  /** Lets others have their turn, about every 100 ms; throws where the work is to stop. A turn of timers if not given. */
  yieldToEventLoop?(): Promise<void>;
  /** Stops the work with its reason. */
  signal?: AbortSignal;
  /** Worker threads: as many as pay if not given; 0 samples in this thread. */
  workers?: number;
}

/** A regression that was sampled: draws, summaries and diagnostics. */
export interface SampledRegression {
  /** For `predictResponse` and its kin. */
  model: PredictiveModel;
  chains: number;
  /** Draws of each chain on the natural scale, draws × parameters, row-major, in units of the scaled response. */
  draws: Float64Array[];
  /** Names of the parameters, in their order: coefficients of each design, constants. */
  names: readonly string[];
  /** Posterior summaries of the first parameters, in units of the response. */
  coefficients(limit?: number): Coefficient[];
  diagnostics: Diagnostics;
  /** n. */
  rows: number;
  /** Posterior predictive p-values. */
  checks: PredictivePValues;
  /** Columns without information, or with none of their own. */
  dropped: DroppedColumn[];
  /** response = offset + factor · what was sampled. */
  scale: ResponseScale;
  /** Values of the response so far from the others that they count as nearer. */
  fenced: number;
}

/**
 * Fits the design, plans priors, and draws from the posterior: by NUTS, or by importance where four chains would take
 * minutes. Throws RangeError where lengths differ or a number is outside of the family's support, NoDensityError where the
 * density is finite nowhere, WorkerDiedError where a thread dies, and what the hooks of the run throw.
 */
export async function sampleRegression(problem: RegressionProblem, run: RegressionRun): Promise<SampledRegression> {
  const { random, onProgress = () => undefined, workers } = run;
  const scaled = scaleResponse(problem.family, problem.response);
  requireSupport(problem.family, scaled.y);
  const yieldToEventLoop = yieldsOf(run);
  await yieldToEventLoop();
  const { plan, start } = await planProblem(problem, scaled.y, random, yieldToEventLoop);
  const { spec, designs, scale } = plan;
  const columns = designs.reduce((sum, design) => sum + (design ? design.columns.length : 0), 0);
  await onProgress({ fact: 'planned', columns, rows: spec.y.length });
  const { draws, tune } = problem;
  const drawn = await samplePosterior({
    spec,
    start,
    draws,
    tune,
    random,
    onProgress,
    yieldToEventLoop,
    workers,
  }).catch((error) => {
    throw error instanceof NoStartError ? new NoDensityError(problem, error) : error;
  });
  const model = { family: problem.family, designs, scale, ...thinnedDraws(problem.family, spec, drawn) };
  const { posterior, chains, ...diagnostics } = drawn;
  return {
    model,
    chains: CHAINS,
    draws: chains,
    names: posterior.names,
    coefficients: (limit) => summariseCoefficients(spec, drawn, scaled.units, limit),
    diagnostics,
    rows: spec.y.length,
    checks: checkPredictive(model, problem.columns, scaled, random.child('checks')),
    dropped: designs.flatMap((design) => design?.dropped ?? []),
    scale: scaled.scale,
    fenced: scaled.fenced,
  };
}

function requireSupport(family: FamilyName, y: ScaledResponse['y']): void {
  const { support } = familyOf(family);
  const at = y.findIndex((value) => !support.holds(value));
  if (at >= 0)
    throw new RangeError(`the response of row ${at} is outside of the support of ${family}: ${support.words}`);
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
}

/** Designs and priors, the scales of pools held, a scale by groups; and where the search for the mode begins. */
async function planProblem(
  { family, columns, priors }: RegressionProblem,
  y: Float64Array,
  random: RandomStream,
  yieldToEventLoop: () => Promise<void>,
): Promise<{ plan: Plan; start: Float64Array }> {
  const scales = { ...DEFAULT_PRIORS, ...priors };
  const { spec: pooled, designs } = await planRegression(
    family,
    y,
    columns,
    random.child('design'),
    yieldToEventLoop,
    scales,
  );
  const { spec, start } = await fixPools(pooled, yieldToEventLoop);
  const design = designs[0];
  if (!isSummed(family) || !design) return { plan: { spec, designs, scale: null }, start };
  const location = start.slice(0, design.columns.length);
  const groups = fitScaleGroups({ family, y, design, location }, columns, random.child('scale'));
  if (!groups) return { plan: { spec, designs, scale: null }, start };
  return { plan: { spec: { ...spec, weights: groups.weights }, designs, scale: groups.scale }, start };
}

/** Posterior draws that are kept to predict from, at most, and numbers in them. */
const KEPT_DRAWS = 500;
const KEPT_NUMBERS = 400_000;

/** Evenly thinned draws of θ, constants back on their links. */
function thinnedDraws(
  family: FamilyName,
  { predictors }: RegressionSpec,
  { posterior, chains }: PosteriorDraws,
): Pick<PredictiveModel, 'draws' | 'width'> {
  const d = posterior.dimension;
  const width = predictors.reduce((sum, own) => sum + (own.kind === 'linear' ? own.design.cols : 1), 0);
  const { parameters } = familyOf(family);
  const links = predictors.flatMap((own, k) =>
    own.kind === 'linear' ? Array.from({ length: own.design.cols }, () => null) : [parameters[k]!.link],
  );
  const all = chains.reduce((sum, chain) => sum + chain.length / d, 0);
  const count = Math.max(1, Math.min(all, KEPT_DRAWS, Math.floor(KEPT_NUMBERS / width)));
  const draws = new Float32Array(count * width);
  const perChain = all / chains.length;
  for (let i = 0; i < count; i++) {
    const at = Math.floor((i * all) / count);
    const chain = chains[Math.floor(at / perChain)]!;
    const from = (at % perChain) * d;
    links.forEach((link, j) => {
      const value = chain[from + j]!;
      draws[i * width + j] = link === null ? value : toLink(link, value);
    });
  }
  return { draws, width };
}
