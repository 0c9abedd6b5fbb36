/**
 * Warm-up: the schedule on which a chain learns its frame and its step size. Windows as in nutpie: the frame is that of
 * the draws since the window before last began, so that it follows the chain and forgets where that came from.
 */
import type { DualAveraging } from './dualAveraging.ts';
import { FrameEstimate } from './frameEstimate.ts';
import type { Frame, PhasePoint } from './hamiltonian.ts';
import type { Transition } from './nuts.ts';

/** Shares of the warm-up: windows are short in the first, and in the last the frame stays and only the step is learnt. */
const EARLY = 0.3;
const LAST = 0.15;
const EARLY_WINDOW = 10;
const WINDOW = 80;
/** Draws from which a frame is estimated at all. */
const FEWEST = 5;

export class WarmUp {
  readonly #frame: Frame;
  readonly #prior: Frame;
  readonly #steps: DualAveraging;
  readonly #earlyEnd: number;
  readonly #frameEnd: number;
  #foreground: FrameEstimate;
  #background: FrameEstimate;
  #at = 0;

  /** `frame` is changed as the chain goes on; as it is now it is the prior of the estimates. `tune`: iterations. */
  constructor(frame: Frame, tune: number, steps: DualAveraging) {
    const dimension = frame.variance.length;
    this.#frame = frame;
    this.#prior = { centre: frame.centre.slice(), variance: frame.variance.slice() };
    this.#steps = steps;
    this.#earlyEnd = Math.floor(EARLY * tune);
    this.#frameEnd = tune - Math.floor(LAST * tune);
    this.#foreground = new FrameEstimate(dimension);
    this.#background = new FrameEstimate(dimension);
  }

  /** Learns from one transition that ended at `point`. */
  learn(point: PhasePoint, transition: Transition): void {
    this.#steps.learn(transition.acceptance);
    const at = this.#at++;
    if (at >= this.#frameEnd) return;
    // A trajectory that diverged at once stays where it is: it tells nothing of the target's shape.
    if (!transition.diverging) {
      this.#foreground.add(point);
      this.#background.add(point);
    }
    const window = at < this.#earlyEnd ? EARLY_WINDOW : WINDOW;
    if (this.#background.count >= window) this.#turn();
    if (this.#foreground.count >= FEWEST) this.#foreground.write(this.#frame, this.#prior);
  }

  #turn(): void {
    const emptied = this.#foreground;
    emptied.clear();
    this.#foreground = this.#background;
    this.#background = emptied;
  }
}
