/**
 * Warm-up: the schedule on which a chain adapts its metric and its step size. Windows as in nutpie: the metric is that of
 * the draws since the window before last began, so that it follows the chain and forgets where that came from.
 */
import type { Metric, PhasePoint } from './hamiltonian.ts';
import type { Transition } from './nuts.ts';

/** Shares of the warm-up: windows are short in the first, and in the last the metric stays and only the step size is adapted. */
const EARLY = 0.3;
const LAST = 0.15;
const EARLY_WINDOW = 10;
const WINDOW = 80;
/** Draws from which a metric is estimated at all. */
const FEWEST = 5;

/** Iterations at the end of `tune`, in which the metric stays. */
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

  /** `metric` is changed as the chain goes on; as it is now it is the prior of the estimates. `tune`: iterations. */
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

  /** Adapts to one transition that ended at `point`. */
  adapt(point: PhasePoint, transition: Transition): void {
    this.#steps.adapt(transition.acceptance);
    const at = this.#at++;
    if (at >= this.#metricEnd) return;
    // A trajectory that diverged at once stays where it is: it says nothing of the target's shape.
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

// A metric from draws x and gradients α of the log density there: the normal N(c, diag v) of least Fisher divergence
// from the target has v = sd(x) / sd(α) and c = mean(x) + v mean(α) (Seyboldt and Carpenter; as in nutpie).

/** Draws that the metric before counts for: it is all that is known at first. Stan's figure for its shrinkage. */
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

  /** Writes the estimate into `metric`, drawn on the log scale towards `prior`. A coordinate without an estimate stays. */
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

/** Means and variances of vectors that come one by one (Welford 1962). */

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

  /** Variance of coordinate i, with divisor count - 1: from two vectors on. */
  variance(i: number): number {
    return this.#squares[i]! / (this.count - 1);
  }

  clear(): void {
    this.count = 0;
    this.mean.fill(0);
    this.#squares.fill(0);
  }
}

// Step size by dual averaging (Hoffman and Gelman 2014, section 3.2; constants as in Stan).

const SHRINKAGE = 0.05;
const DELAY = 10;
const FORGETTING = 0.75;

export interface DualAveraging {
  /** The step to try next. */
  step(): number;
  /** The weighted mean of the steps tried (on the log scale): the step to keep. */
  settled(): number;
  /** Adapts to a transition's acceptance statistic (0 … 1). */
  adapt(acceptance: number): void;
  /** Forgets, and starts at `step`. */
  restart(step: number): void;
}

/** Finds the step at which the acceptance is `target` on average; none is above `longest`. */
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
        // Otherwise the surplus of acceptance at the ceiling would pile up, and hold the step there when it is needed lower.
        shortfall = (towards - ceiling) / slope;
      }
      const weight = count ** -FORGETTING;
      meanLog = weight * log + (1 - weight) * meanLog;
    },
  };
}
