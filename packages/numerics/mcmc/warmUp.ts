/** Adapts as nutpie does: the metric uses draws since the last window but one, and so forgets the start. */
import type { Metric, PhasePoint } from './hamiltonian.ts';
import type { Transition } from './nuts.ts';

/** Shares of the warm-up: short windows first, only step-size adaptation last. */
const EARLY = 0.3;
const LAST = 0.15;
const EARLY_WINDOW = 10;
const WINDOW = 80;
const FEWEST = 5;

export const lastOf = (tune: number): number => Math.floor(LAST * tune);

export class WarmUp {
  readonly #metric: Metric;
  readonly #prior: Metric;
  readonly #steps: DualAveraging;
  readonly #earlyEnd: number;
  readonly #metricEnd: number;
  #foreground: MetricEstimate;
  #background: MetricEstimate;
  #at = 0;

  /** `metric` is updated; its initial value is the estimates' prior. */
  constructor(metric: Metric, tune: number, steps: DualAveraging) {
    const dimension = metric.variance.length;
    this.#metric = metric;
    this.#prior = { centre: metric.centre.slice(), variance: metric.variance.slice() };
    this.#steps = steps;
    this.#earlyEnd = Math.floor(EARLY * tune);
    this.#metricEnd = tune - lastOf(tune);
    this.#foreground = new MetricEstimate(dimension);
    this.#background = new MetricEstimate(dimension);
  }

  adapt(point: PhasePoint, transition: Transition): void {
    this.#steps.adapt(transition.acceptance);
    const at = this.#at++;
    if (at >= this.#metricEnd) return;
    // A trajectory that diverged at once carries no information.
    if (!transition.diverging) {
      this.#foreground.add(point);
      this.#background.add(point);
    }
    const window = at < this.#earlyEnd ? EARLY_WINDOW : WINDOW;
    if (this.#background.count >= window) this.#turn();
    if (this.#foreground.count >= FEWEST) this.#foreground.write(this.#metric, this.#prior);
  }

  #turn(): void {
    const emptied = this.#foreground;
    emptied.clear();
    this.#foreground = this.#background;
    this.#background = emptied;
  }
}

// The normal of least Fisher divergence has centre mean(x) + v mean(α) and v = sd(x) / sd(α), α the gradients (Seyboldt
// and Carpenter; nutpie).

/** Prior weight in draws, as in Stan. */
const PRIOR_DRAWS = 5;

const SMALLEST = 1e-20;
const LARGEST = 1e20;

const usable = (v: number): boolean => v > SMALLEST && v < LARGEST;

export class MetricEstimate {
  readonly #draws: RunningMoments;
  readonly #gradients: RunningMoments;

  constructor(dimension: number) {
    this.#draws = new RunningMoments(dimension);
    this.#gradients = new RunningMoments(dimension);
  }

  get count(): number {
    return this.#draws.count;
  }

  add(point: PhasePoint): void {
    this.#draws.add(point.position);
    this.#gradients.add(point.gradient);
  }

  clear(): void {
    this.#draws.clear();
    this.#gradients.clear();
  }

  /** Shrinks towards `prior` on the log scale. Coordinates without an estimate stay. */
  write(metric: Metric, prior: Metric): void {
    const draws = this.#draws;
    const gradients = this.#gradients;
    const trust = draws.count / (draws.count + PRIOR_DRAWS);
    for (let i = 0; i < metric.variance.length; i++) {
      const raw = Math.sqrt(draws.variance(i) / gradients.variance(i));
      if (!usable(raw)) continue;
      metric.variance[i] = Math.exp(trust * Math.log(raw) + (1 - trust) * Math.log(prior.variance[i]!));
      const centre = draws.mean[i]! + raw * gradients.mean[i]!;
      metric.centre[i] = trust * centre + (1 - trust) * prior.centre[i]!;
    }
  }
}

/** Running moments (Welford 1962). */

export class RunningMoments {
  readonly mean: Float64Array;
  readonly #squares: Float64Array;
  count = 0;

  constructor(dimension: number) {
    this.mean = new Float64Array(dimension);
    this.#squares = new Float64Array(dimension);
  }

  add(x: Float64Array): void {
    const { mean } = this;
    const squares = this.#squares;
    this.count++;
    const weight = 1 / this.count;
    for (let i = 0; i < mean.length; i++) {
      const before = x[i]! - mean[i]!;
      mean[i]! += weight * before;
      squares[i]! += before * (x[i]! - mean[i]!);
    }
  }

  /** Divisor count - 1. */
  variance(i: number): number {
    return this.#squares[i]! / (this.count - 1);
  }

  clear(): void {
    this.count = 0;
    this.mean.fill(0);
    this.#squares.fill(0);
  }
}

// Dual averaging (Hoffman and Gelman 2014, section 3.2; Stan's constants).

const SHRINKAGE = 0.05;
const DELAY = 10;
const FORGETTING = 0.75;

export interface DualAveraging {
  step(): number;
  /** Geometric weighted mean. */
  settled(): number;
  /** `acceptance` lies in 0 … 1. */
  adapt(acceptance: number): void;
  restart(step: number): void;
}

export function createDualAveraging(target: number, first: number, longest: number): DualAveraging {
  const ceiling = Math.log(longest);
  let towards = 0;
  let count = 0;
  let shortfall = 0;
  let log = 0;
  let meanLog = 0;
  const restart = (step: number): void => {
    log = Math.min(ceiling, Math.log(step));
    towards = Math.log(10) + log;
    count = 0;
    shortfall = 0;
    meanLog = log;
  };
  restart(first);
  return {
    step: () => Math.exp(log),
    settled: () => Math.exp(meanLog),
    restart,
    adapt(acceptance) {
      count++;
      const rate = 1 / (count + DELAY);
      shortfall = (1 - rate) * shortfall + rate * (target - acceptance);
      const slope = Math.sqrt(count) / SHRINKAGE;
      log = towards - slope * shortfall;
      if (log > ceiling) {
        log = ceiling;
        // Prevents accumulated acceptance at the ceiling from delaying a decrease.
        shortfall = (towards - ceiling) / slope;
      }
      const weight = count ** -FORGETTING;
      meanLog = weight * log + (1 - weight) * meanLog;
    },
  };
}
