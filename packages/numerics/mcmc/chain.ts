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
 * Near a Gaussian, LONGEST_ROTATION limits the step; elsewhere 0.65 … 0.8 cost alike. Effective tail draws per gradient
 * for log-gammas of shape 10: 25: 0.15 at 0.65, 0.11 at 0.8; 100: 0.07 and 0.08.
 */
const WHITENED_ACCEPTANCE = 0.7;

/**
 * Maximum angle of whitened steps. A normal target accepts all, and 4 points turn once 3 steps pass π (above 1.05).
 * Effective draws and gradients per draw, d = 5 … 100:
 * 0.85: 1.2 … 1.8, 4.8 … 7.0; 1.0: 1.5 … 1.7, 3.4 … 5.1; 1.1: 1.9 … 2.2, 3.0; 1.2: 2.1 … 2.7, 3.0.
 * Longer steps do not improve tails (0.5 … 0.6) and resonate at π / 2.
 */
const LONGEST_ROTATION = 1.2;

/**
 * Angle of wide steps, which replace trees of 3 gradients on nearly Gaussian targets. Minimum effective draws of 4,000
 * (21 … 23 parameters, 10,000 rows, three families): bulk 10,400 … 12,000 (trees 9,900 … 10,500), tails 2,600 … 2,800
 * (2,200 … 2,400), squares 1,500 … 1,600 (1,000 … 1,200). Steps of 2.4 beat trees only in the bulk; steps of 2.1 gain
 * less there.
 */
const WIDE_STEP = 2.2;
/** Mean acceptance at which wide steps match trees; 0.84 achieves two thirds. */
const WIDE_ACCEPTANCE = 0.88;
/** Final warm-up iterations that test wide steps. */
const TRIALS = 30;

/** Length and moves of a chain. */
export interface ChainOptions {
  /** Iterations kept, and warm-up before them. */
  draws: number;
  tune: number;
  /** Keeps the last of every `thin` iterations after warm-up. Default 1. */
  thin?: number;
  /** Set if the mode and Hessian are known. */
  whitening?: Whitening | null;
  /** Centre of random starts without whitening (d). Default 0. */
  start?: Float64Array;
  /** For step-size adaptation. Default 0.8, or 0.7 if whitened. */
  targetAcceptance?: number;
  /** Maximum doublings. Default 10. */
  maxDepth?: number;
}

export const iterationsOf = ({ draws, tune, thin = 1 }: ChainOptions): number => tune + draws * thin;

interface ChainStats {
  /** Mean acceptance along the trajectory, 0 … 1. */
  acceptance: Float64Array;
  /** Maximum doublings since the last draw. */
  depth: Uint8Array;
  /** Gradients since the last draw. */
  leapfrogs: Int32Array;
  /** 1 if diverged since the last draw. */
  diverging: Uint8Array;
  energy: Float64Array;
  stepSize: number;
  warmUp: { leapfrogs: number; divergences: number };
}

/** Draws of a chain, with statistics. */
export interface ChainResult {
  /** draws × d, row-major, unwhitened. */
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
  /** -1 for no trial. */
  readonly #trial: number;
  readonly #wideAcceptance: number;
  #isWide = false;
  #accepted = 0;
  #at = 0;
  #divergences = 0;

  /** Throws NoStartError if no start has a finite density. */
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

  /** Includes warm-up. */
  get iteration(): number {
    return this.#at;
  }

  get finished(): boolean {
    return this.#at >= iterationsOf(this.#options);
  }

  get divergences(): number {
    return this.#divergences;
  }

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

/** First guess of nutpie: sd(x) / sd(α) is about 1 / |α| for x of order 1. */
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
 * Runs a No-U-Turn chain (Hoffman and Gelman 2014; Betancourt 2017), deterministically given the stream. Throws
 * NoStartError.
 */
export function runChain(density: LogDensity, options: ChainOptions, random: RandomStream): ChainResult {
  const chain = new Chain(density, options, random);
  while (!chain.finished) chain.advance();
  return chain.result();
}

// Initial step size (Hoffman and Gelman 2014, algorithm 4, as in Stan).

const STEP_TRIES = 50;

/** Doubles or halves `guess`, up to `longest`, until acceptance crosses `target`. */
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

/** Half the start cube's width, as in Stan. */
const RADIUS = 2;
const TRIES = 100;
/** Tries before halving the cube. */
const TRIES_A_RADIUS = 10;

/** No start has a finite log density and gradient. */
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

/** Starts uniformly in the cube around `centre`. Throws NoStartError. */
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
