/** One chain, iteration by iteration: warm-up, then draws. Shapes: d = dimension. */
import type { RandomStream } from '../random/stream.ts';
import {
  copyPoint,
  createPoint,
  energyOf,
  type Integrator,
  type LogDensity,
  leapfrog,
  type Metric,
  type PhasePoint,
  rotation,
} from './hamiltonian.ts';
import { MAX_DEPTH, Nuts, type Transition } from './nuts.ts';
import { createDualAveraging, type DualAveraging, lastOf, WarmUp } from './warmUp.ts';
import { fromWhite, type Whitening, whiten } from './whiten.ts';

const TARGET_ACCEPTANCE = 0.8;

/**
 * For whitened chains: near the target's Gaussian the step is held by LONGEST_ROTATION, and elsewhere 0.65 … 0.8 cost
 * alike (25 independent log-gammas of shape 10: 0.15 effective tail draws a gradient at 0.65, 0.11 at 0.8; 100 of them:
 * 0.07 and 0.08).
 */
const WHITENED_ACCEPTANCE = 0.7;

/**
 * The longest step of whitened chains, an angle. On a normal target every step is accepted and a trajectory of 4 points
 * has turned, also across its seam, where 3 steps pass π: above 1.05. Measured for d = 5 … 100, effective draws a draw and
 * gradients a draw: 0.85: 1.2 … 1.8, 4.8 … 7.0; 1.0: 1.5 … 1.7, 3.4 … 5.1; 1.1: 1.9 … 2.2, 3.0; 1.2: 2.1 … 2.7, 3.0.
 * Longer ones bring nothing for the tails (0.5 … 0.6 effective draws a draw) and meet resonances at π / 2.
 */
const LONGEST_ROTATION = 1.2;

/**
 * The angle of a wide step: where a whitened target is so near its Gaussian that such steps are accepted, a draw is one of
 * them in the place of a tree of 3 gradients. Effective draws of 4,000, least of 21 … 23 parameters of 10,000 rows (three
 * families): bulk 10,400 … 12,000, trees 9,900 … 10,500; tails 2,600 … 2,800, 2,200 … 2,400; squares 1,500 … 1,600, 1,000 …
 * 1,200. Steps of 2.4 have more in the bulk and fewer than trees in the rest, steps of 2.1 fewer in the bulk.
 */
const WIDE_STEP = 2.2;
/** Mean acceptance from which draws of wide steps are worth as much as those of trees: at 0.84, two thirds. */
const WIDE_ACCEPTANCE = 0.88;
/** Iterations at the end of the warm-up in which wide steps are tried: the metric stays there. With fewer they are not. */
const TRIALS = 30;

/** How long a chain is and how it moves. */
export interface ChainOptions {
  /** Iterations that are kept and iterations of warm-up before them: exactly so many. */
  draws: number;
  tune: number;
  /** After the warm-up, one iteration in so many is kept: the last of them. A whole number; 1. */
  thin?: number;
  /** Where the mode and the Hessian are known. */
  whitening?: Whitening | null;
  /** Without whitening: the middle of the random starts, zeros if not given. d. */
  start?: Float64Array;
  /** Target of the step size's adaptation; 0.8, whitened 0.7. */
  targetAcceptance?: number;
  /** Doublings of a trajectory at most; 10. */
  maxDepth?: number;
}

/** Iterations of a chain from its start to its end, kept or not. */
export const iterationsOf = ({ draws, tune, thin = 1 }: ChainOptions): number => tune + draws * thin;

/** Statistics of the draws, one each, in order. */
interface ChainStats {
  /** Mean acceptance along the trajectory, 0 … 1. */
  acceptance: Float64Array;
  /** Doublings; the most since the draw before. */
  depth: Uint8Array;
  /** Gradients taken since the draw before. */
  leapfrogs: Int32Array;
  /** 1 where a trajectory since the draw before diverged. */
  diverging: Uint8Array;
  /** The Hamiltonian at the draw. */
  energy: Float64Array;
  /** The one step size of all draws. */
  stepSize: number;
  /** Gradients and divergences of the warm-up. */
  warmUp: { leapfrogs: number; divergences: number };
}

/** What a chain drew. */
export interface ChainResult {
  /** draws × d, row-major, in the coordinates of the density given (not whitened). */
  draws: Float64Array;
  stats: ChainStats;
}

export class Chain {
  readonly #options: ChainOptions;
  readonly #random: RandomStream;
  readonly #nuts: Nuts;
  readonly #steps: DualAveraging;
  readonly #warmUp: WarmUp;
  readonly #draws: Float64Array;
  readonly #stats: ChainStats;
  /** The iteration at which wide steps are tried; never: -1. */
  readonly #trial: number;
  readonly #wideAcceptance: number;
  #isWide = false;
  #accepted = 0;
  #at = 0;
  #divergences = 0;

  /** Finds a start and a first step size. Throws NoStartError where no start has a finite density. */
  constructor(density: LogDensity, options: ChainOptions, random: RandomStream) {
    const { draws, tune, whitening } = options;
    const targetAcceptance = options.targetAcceptance ?? (whitening ? WHITENED_ACCEPTANCE : TARGET_ACCEPTANCE);
    const { dimension } = density;
    const target = whitening ? whiten(density, whitening) : density;
    const integrator: Integrator = whitening ? rotation : leapfrog;
    const metric: Metric = { centre: new Float64Array(dimension), variance: new Float64Array(dimension).fill(1) };
    this.#options = options;
    this.#random = random;
    this.#nuts = new Nuts({ density: target, metric, integrator, maxDepth: options.maxDepth ?? MAX_DEPTH });
    const { current } = this.#nuts;
    findStart(target, whitening ? metric.centre : (options.start ?? metric.centre), random, current);
    if (!whitening) scaleByGradient(metric, current.gradient);
    const longest = whitening ? LONGEST_ROTATION : Number.POSITIVE_INFINITY;
    const search = { target: targetAcceptance, guess: 1, longest };
    const step = initialStepSize(target, metric, integrator, current, random, search);
    this.#steps = createDualAveraging(targetAcceptance, step, longest);
    this.#warmUp = new WarmUp(metric, tune, this.#steps);
    this.#trial = whitening && TRIALS <= lastOf(tune) ? tune - TRIALS : -1;
    this.#wideAcceptance = Math.max(WIDE_ACCEPTANCE, targetAcceptance);
    this.#draws = new Float64Array(draws * dimension);
    this.#stats = createStats(draws);
  }

  /** Iterations done, warm-up included. */
  get iteration(): number {
    return this.#at;
  }

  get finished(): boolean {
    return this.#at >= iterationsOf(this.#options);
  }

  /** Draws so far on whose way a trajectory diverged. */
  get divergences(): number {
    return this.#divergences;
  }

  /** One iteration; nothing once the chain is finished. */
  advance(): void {
    if (this.finished) return;
    const { tune, thin = 1 } = this.#options;
    const warming = this.#at < tune;
    if (this.#at === this.#trial) this.#isWide = true;
    else if (this.#at === tune && this.#isWide) this.#isWide = this.#accepted >= TRIALS * this.#wideAcceptance;
    const step = warming && !this.#isWide ? this.#steps.step() : this.#stepOfDraws();
    const transition = this.#nuts.transition(step, this.#random, this.#isWide ? 1 : this.#options.maxDepth);
    if (warming) this.#adapt(transition);
    else this.#count(Math.floor((this.#at - tune) / thin), transition);
    this.#at++;
    if (!warming && (this.#at - tune) % thin === 0) this.#keep((this.#at - tune) / thin - 1, transition);
  }

  #stepOfDraws(): number {
    return this.#isWide ? WIDE_STEP : this.#steps.settled();
  }

  /** All draws, once `finished`; before that the rest is zeros. */
  result(): ChainResult {
    this.#stats.stepSize = this.#stepOfDraws();
    return { draws: this.#draws, stats: this.#stats };
  }

  #adapt(transition: Transition): void {
    if (this.#isWide) this.#accepted += transition.acceptance;
    else this.#warmUp.adapt(this.#nuts.current, transition);
    this.#stats.warmUp.leapfrogs += transition.leapfrogs;
    if (transition.diverging) this.#stats.warmUp.divergences++;
  }

  /** Of an iteration on the way to a draw: what is not of its last one alone. */
  #count(draw: number, { depth, leapfrogs, diverging }: Transition): void {
    const stats = this.#stats;
    stats.depth[draw] = Math.max(stats.depth[draw]!, depth);
    stats.leapfrogs[draw] = stats.leapfrogs[draw]! + leapfrogs;
    if (!diverging || stats.diverging[draw] === 1) return;
    stats.diverging[draw] = 1;
    this.#divergences++;
  }

  #keep(draw: number, { acceptance, energy }: Transition): void {
    const { position } = this.#nuts.current;
    const { whitening } = this.#options;
    const row = this.#draws.subarray(draw * position.length, (draw + 1) * position.length);
    if (whitening) fromWhite(whitening, position, row);
    else row.set(position);
    this.#stats.acceptance[draw] = acceptance;
    this.#stats.energy[draw] = energy;
  }
}

/** A first guess, as nutpie has it: where x is of order 1, sd(x) / sd(α) is about 1 / |α|. */
function scaleByGradient(metric: Metric, gradient: Float64Array): void {
  for (let i = 0; i < gradient.length; i++) {
    metric.variance[i] = Math.min(1e10, Math.max(1e-10, 1 / Math.abs(gradient[i]!)));
  }
}

function createStats(draws: number): ChainStats {
  return {
    acceptance: new Float64Array(draws),
    depth: new Uint8Array(draws),
    leapfrogs: new Int32Array(draws),
    diverging: new Uint8Array(draws),
    energy: new Float64Array(draws),
    stepSize: Number.NaN,
    warmUp: { leapfrogs: 0, divergences: 0 },
  };
}

/**
 * Runs a chain of the No-U-Turn sampler (Hoffman and Gelman, 2014; Betancourt, 2017) to its end. The same stream gives the same draws.
 * Throws NoStartError where no start has a finite density.
 */
export function runChain(density: LogDensity, options: ChainOptions, random: RandomStream): ChainResult {
  const chain = new Chain(density, options, random);
  while (!chain.finished) chain.advance();
  return chain.result();
}

// The step size that a chain begins with (Hoffman and Gelman 2014, algorithm 4, in Stan's form).

/** Doublings or halvings of 1: steps from 1e-15 to 1e15. */
const STEP_TRIES = 50;

/**
 * Doubles or halves `guess` until the acceptance of one step from `start` crosses `target`; not above `longest`. Each try
 * has a momentum of its own.
 */
export function initialStepSize(
  density: LogDensity,
  metric: Metric,
  integrator: Integrator,
  start: PhasePoint,
  random: RandomStream,
  { target, guess, longest }: { target: number; guess: number; longest: number },
): number {
  const point = createPoint(density.dimension);
  const logTarget = Math.log(target);
  const accepts = (step: number): boolean => {
    copyPoint(start, point);
    for (let i = 0; i < point.momentum.length; i++) {
      point.momentum[i] = random.normal() / Math.sqrt(metric.variance[i]!);
    }
    const before = energyOf(metric, point);
    return before - integrator(density, metric, point, step) > logTarget;
  };
  let step = Math.min(guess, longest);
  const up = accepts(step);
  for (let i = 0; i < STEP_TRIES; i++) {
    const next = up ? step * 2 : step / 2;
    if (next >= longest) return longest;
    step = next;
    if (accepts(step) !== up) break;
  }
  return step;
}

// Where a chain begins: at random, and where the density is finite.

/** Half the width of the cube of starts, as in Stan. */
const RADIUS = 2;
const TRIES = 100;
/** After so many tries the cube is halved. */
const TRIES_A_RADIUS = 10;

/** Thrown where no start with a finite log density and gradient was found. */
export class NoStartError extends Error {
  override readonly name = 'NoStartError';
  readonly tries: number;

  constructor(tries: number) {
    super(
      `The log density or its gradient is not finite at any of ${tries} starts. Look for values in the data that overflow, ` +
        'such as 1e300, or for a family that cannot hold them.',
    );
    this.tries = tries;
  }
}

/** Fills position, gradient and log density of `point`, uniform on the cube around `centre`. Throws NoStartError. */
export function findStart(density: LogDensity, centre: Float64Array, random: RandomStream, point: PhasePoint): void {
  const { position, gradient } = point;
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const radius = RADIUS / 2 ** Math.floor(attempt / TRIES_A_RADIUS);
    for (let i = 0; i < position.length; i++) position[i] = centre[i]! + radius * (2 * random.uniform() - 1);
    point.logDensity = density.evaluate(position, gradient);
    if (Number.isFinite(point.logDensity) && gradient.every(Number.isFinite)) return;
  }
  throw new NoStartError(TRIES);
}
