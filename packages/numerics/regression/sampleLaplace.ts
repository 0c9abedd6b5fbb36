/** Importance sampling from a Laplace approximation. d: dimension. */

import { fitPareto, paretoQuantile } from '../distributions/generalisedPareto.ts';
import type { Convergence } from '../mcmc/diagnostics.ts';
import type { LogDensity } from '../mcmc/hamiltonian.ts';
import { solveLowerTransposedInPlace } from '../mcmc/whiten.ts';
import { shuffle } from '../random/draws.ts';
import type { RandomStream } from '../random/stream.ts';
import { inSteps } from '../steps.ts';
import { findModeInSteps } from './findMode.ts';
import { gradientFlops, openPosterior, type PreparedRegression, prepareRegression } from './prepareRegression.ts';
import { CHAINS, type PosteriorDraws, type PosteriorTask } from './samplingTask.ts';

/** Evaluations over all rows; more draws are resampled with replacement. */
const PROPOSALS = 1_000;
export const USABLE_SHAPE = 0.7;

export interface LaplaceOptions {
  mode: Float64Array;
  /** Lower L (d × d) with L Lᵀ the negative Hessian at the mode. */
  factor: Float64Array;
  random: RandomStream;
  proposals?: number;
}

export class LaplaceSampler {
  readonly #density: LogDensity;
  readonly #options: LaplaceOptions;
  readonly #positions: Float64Array;
  readonly #logRatios: Float64Array;
  readonly #gradient: Float64Array;
  readonly #df: number;
  #at = 0;

  constructor(density: LogDensity, options: LaplaceOptions) {
    const { dimension } = density;
    const proposals = options.proposals ?? PROPOSALS;
    this.#density = density;
    this.#options = options;
    this.#positions = new Float64Array(proposals * dimension);
    this.#logRatios = new Float64Array(proposals);
    this.#gradient = new Float64Array(dimension);
    // Few degrees of freedom cover the tails, but in high dimensions the radius alone would scatter the weights.
    this.#df = Math.max(10, dimension * dimension);
  }

  get finished(): boolean {
    return this.#at === this.#logRatios.length;
  }

  advance(): void {
    if (this.finished) return;
    const { mode, factor, random } = this.#options;
    const d = mode.length;
    const position = this.#positions.subarray(this.#at * d, (this.#at + 1) * d);
    const spread = Math.sqrt(this.#df / (2 * random.gamma(this.#df / 2)));
    let squares = 0;
    for (let i = 0; i < d; i++) {
      position[i] = spread * random.normal();
      squares += position[i]! * position[i]!;
    }
    solveLowerTransposedInPlace(factor, d, position);
    for (let i = 0; i < d; i++) position[i]! += mode[i]!;
    const value = this.#density.evaluate(position, this.#gradient);
    const proposal = -0.5 * (this.#df + d) * Math.log1p(squares / this.#df);
    this.#logRatios[this.#at++] = Number.isFinite(value) ? value - proposal : Number.NEGATIVE_INFINITY;
  }

  /** Resamples `draws` × d systematically, shuffled. */
  result(draws: number): { draws: Float64Array; shape: number } {
    const smoothed = paretoSmooth(this.#logRatios);
    const chosen = resample(smoothed, draws, this.#options.random);
    const d = this.#options.mode.length;
    const out = new Float64Array(draws * d);
    chosen.forEach((proposal, i) => {
      out.set(this.#positions.subarray(proposal * d, (proposal + 1) * d), i * d);
    });
    return { draws: out, shape: smoothed.shape };
  }
}

function resample({ logWeights }: SmoothedWeights, draws: number, random: RandomStream): Int32Array {
  const chosen = new Int32Array(draws);
  const offset = random.uniform();
  let proposal = 0;
  let reached = Math.exp(logWeights[0]!);
  for (let i = 0; i < draws; i++) {
    while (proposal < logWeights.length - 1 && reached * draws < i + offset)
      reached += Math.exp(logWeights[++proposal]!);
    chosen[i] = proposal;
  }
  shuffle(chosen, random);
  return chosen;
}

// Pareto-smoothed importance weights (Vehtari, Simpson, Gelman, Yao and Gabry 2024, JMLR 25(72)).

/** Log of the smallest normal double. */
const MIN_LOG = Math.log(2.2250738585072014e-308);
const FEWEST_IN_TAIL = 5;

interface SmoothedWeights {
  /** exp(logWeights) sums to 1. */
  logWeights: Float64Array;
  /** k̂: up to 0.5 good, 0.7 usable; Infinity without a tail. */
  shape: number;
}

/**
 * Replaces the largest `logRatios` (log target - log proposal; at least 2) by order statistics of a fitted generalised
 * Pareto. `efficiency`: effective share of draws.
 */
export function paretoSmooth(logRatios: Float64Array, efficiency = 1): SmoothedWeights {
  const size = logRatios.length;
  const largest = logRatios.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
  const logWeights = logRatios.map((x) => x - largest);
  const tailSize = Math.ceil(Math.min(size / 5, 3 * Math.sqrt(size / efficiency)));
  const cutoff = Math.max(logWeights.toSorted()[Math.max(0, size - tailSize - 1)]!, MIN_LOG);
  const tail = Uint32Array.from([...logWeights.keys()].filter((i) => logWeights[i]! > cutoff));
  tail.sort((i, j) => logWeights[i]! - logWeights[j]! || i - j);
  const shape = tail.length >= FEWEST_IN_TAIL ? smoothTail(logWeights, tail, cutoff) : Number.POSITIVE_INFINITY;
  normalise(logWeights);
  return { logWeights, shape };
}

function smoothTail(logWeights: Float64Array, tail: Uint32Array, cutoff: number): number {
  const threshold = Math.exp(cutoff);
  const { shape, scale } = fitPareto(Float64Array.from(tail, (i) => Math.exp(logWeights[i]!) - threshold));
  if (!Number.isFinite(shape)) return shape;
  tail.forEach((proposal, i) => {
    const weight = threshold + paretoQuantile((i + 0.5) / tail.length, shape, scale);
    // Caps at the largest raw weight.
    logWeights[proposal] = Math.min(0, Math.log(weight));
  });
  return shape;
}

function normalise(logWeights: Float64Array): void {
  const total = Math.log(logWeights.reduce((sum, x) => sum + Math.exp(x), 0));
  for (let i = 0; i < logWeights.length; i++) logWeights[i]! -= total;
}

/** Budget that determines the number of proposals. */
const FLOPS = 1e10;
const MIN_PROPOSALS = 400;
const MAX_PROPOSALS = 4000;
const REPORTS = 4;

const UNKNOWN: Convergence = { rHat: Number.NaN, bulkEss: Number.NaN, tailEss: Number.NaN };

/** Discard the draws unless `converged`. */
export async function drawByImportance(
  task: PosteriorTask,
  prepared: PreparedRegression = prepareRegression(task.spec),
): Promise<PosteriorDraws & { paretoShape: number }> {
  const { spec, draws, random, onProgress, yieldToEventLoop } = task;
  await onProgress({ fact: 'importance_sampling', parameter: null, rows: spec.y.length });
  const posterior = openPosterior(prepared);
  const { position: mode, factor } = await inSteps(findModeInSteps(posterior, task.start), yieldToEventLoop);
  await yieldToEventLoop();
  if (!factor) throw new RangeError(`a posterior of ${posterior.dimension} parameters is too wide for its Hessian`);
  const affordable = Math.floor(FLOPS / gradientFlops(prepared));
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
    method: 'importance',
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
    subsample: null,
    converged: shape < USABLE_SHAPE,
    gradients: proposals,
    parameters: posterior.names.map((name) => ({ name, ...UNKNOWN })),
  };
}
