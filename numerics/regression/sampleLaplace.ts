/**
 * Draws of a posterior of so many rows that a chain would take hours: proposals from its Laplace approximation, each
 * weighted by the posterior of the full data, and resampled by Pareto-smoothed weights. d: dimension.
 */
import { paretoSmooth, type SmoothedWeights } from '../mcmc/diagnostics/paretoSmooth.ts';
import type { LogDensity } from '../mcmc/logDensity.ts';
import { solveLowerTransposedInPlace } from '../mcmc/triangularSolve.ts';
import type { RandomStream } from '../random/stream.ts';

/** Entries that an evaluation reads (`costOf`), from which this is the way: chains would take a quarter of an hour there. */
export const LAPLACE_FROM_ENTRIES = 2e7;
/** Evaluations, each over all rows; more draws than that are made of these with replacement. */
export const PROPOSALS = 1_000;
/** Pareto k̂ up to which the draws stand for the posterior. */
export const USABLE_SHAPE = 0.7;

export interface LaplaceOptions {
  mode: Float64Array;
  /** Lower L, L Lᵀ the negative Hessian at the mode, d × d. */
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
    // A t of few degrees has tails that cover, but in many dimensions its radius alone would scatter the weights.
    this.#df = Math.max(10, dimension * dimension);
  }

  get finished(): boolean {
    return this.#at === this.#logRatios.length;
  }

  /** One proposal: a multivariate t about the mode, and its log ratio of posterior to proposal. */
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

  /** `draws` rows of d, drawn by the smoothed weights (systematic resampling, in random order), and k̂ of the weights. */
  result(draws: number): { draws: Float64Array; shape: number } {
    const smoothed = paretoSmooth(this.#logRatios);
    const chosen = resample(smoothed, draws, this.#options.random);
    const d = this.#options.mode.length;
    const out = new Float64Array(draws * d);
    chosen.forEach((place, i) => {
      out.set(this.#positions.subarray(place * d, (place + 1) * d), i * d);
    });
    return { draws: out, shape: smoothed.shape };
  }
}

/** Places by weight: points at equal distances along the summed weights, then shuffled (Fisher and Yates). */
function resample({ logWeights }: SmoothedWeights, draws: number, random: RandomStream): Int32Array {
  const chosen = new Int32Array(draws);
  const offset = random.uniform();
  let place = 0;
  let reached = Math.exp(logWeights[0]!);
  for (let i = 0; i < draws; i++) {
    while (place < logWeights.length - 1 && reached * draws < i + offset) reached += Math.exp(logWeights[++place]!);
    chosen[i] = place;
  }
  for (let i = draws - 1; i > 0; i--) {
    const j = random.integer(i + 1);
    [chosen[i], chosen[j]] = [chosen[j]!, chosen[i]!];
  }
  return chosen;
}
