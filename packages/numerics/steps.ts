/** Long computations as generators, a step between two yields, so that whoever runs them may stop or see to other things. */

export type Steps<T> = Generator<void, T, void>;

/** Runs to the end, all at once. */
export function finish<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

// Runs a long computation and yields to the event loop between its steps.

/** Throws what `yieldToEventLoop` throws, within a step. */
export async function inSteps<T>(steps: Steps<T>, yieldToEventLoop: () => Promise<void>): Promise<T> {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    await yieldToEventLoop();
  }
}
