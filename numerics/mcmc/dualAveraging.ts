/** Step size by dual averaging (Hoffman and Gelman 2014, section 3.2; constants as in Stan). */

const SHRINKAGE = 0.05;
const DELAY = 10;
const FORGETTING = 0.75;

export interface DualAveraging {
  /** The step to try next. */
  step(): number;
  /** The weighted mean of the steps tried (on the log scale): the step to keep. */
  settled(): number;
  /** Learns from a transition's acceptance statistic (0 … 1). */
  learn(acceptance: number): void;
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
    learn(acceptance) {
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
