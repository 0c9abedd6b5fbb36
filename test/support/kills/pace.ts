/** How long things take on this machine, so that a random part of them can be waited for. */
import type { RandomStream } from '../../../packages/numerics/random/stream.ts';

/** Beyond the end, so that what has just ended is killed, too. */
const REACH = 1.3;

class Span {
  #ms: number;

  /** `ms`: a first guess. */
  constructor(ms: number) {
    this.#ms = ms;
  }

  /** Some milliseconds of it. */
  part(random: RandomStream): number {
    return random.uniform() * REACH * this.#ms;
  }

  took(ms: number): void {
    this.#ms = ms;
  }

  /** It has not ended in that time: how long it takes is not known, but soon found by doubling. */
  notYet(ms: number): void {
    this.#ms = Math.max(this.#ms, 2 * ms);
  }
}

/** Of requests to a server that was just started, and of the processes of jobs. */
export class Pace {
  readonly upload = new Span(300);
  readonly start = new Span(100);
  readonly job = new Span(2000);
  /** Until a slot that nobody holds is freed, and the job that waits for it has started. */
  readonly turn = new Span(5000);
  readonly sample = new Span(100);
  readonly sampleJob = new Span(1000);
  readonly erase = new Span(40);
  readonly release = new Span(30);
  readonly call = new Span(1200);
}
