/**
 * A frame from draws x and gradients α of the log density there: the normal N(c, diag v) of least Fisher divergence from
 * the target has v = sd(x) / sd(α) and c = mean(x) + v mean(α) (Seyboldt and Carpenter; as in nutpie).
 */
import type { Frame, PhasePoint } from './hamiltonian.ts';
import { RunningMoments } from './runningMoments.ts';

/** Draws that the frame before counts for: it is all that is known at first. Stan's figure for its shrinkage. */
const PRIOR_DRAWS = 5;

const SMALLEST = 1e-20;
const LARGEST = 1e20;

const usable = (v: number): boolean => v > SMALLEST && v < LARGEST;

export class FrameEstimate {
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

  /** Writes the estimate into `frame`, drawn on the log scale towards `prior`. A coordinate without an estimate stays. */
  write(frame: Frame, prior: Frame): void {
    const draws = this.#draws;
    const gradients = this.#gradients;
    const trust = draws.count / (draws.count + PRIOR_DRAWS);
    for (let i = 0; i < frame.variance.length; i++) {
      const raw = Math.sqrt(draws.variance(i) / gradients.variance(i));
      if (!usable(raw)) continue;
      frame.variance[i] = Math.exp(trust * Math.log(raw) + (1 - trust) * Math.log(prior.variance[i]!));
      const centre = draws.mean[i]! + raw * gradients.mean[i]!;
      frame.centre[i] = trust * centre + (1 - trust) * prior.centre[i]!;
    }
  }
}
