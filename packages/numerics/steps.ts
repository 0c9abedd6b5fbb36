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

// Two of them at once: while one waits for threads, the other goes on.

/**
 * What both give, each of which is given a yield that throws what the other failed by. Throws what failed first, when neither goes
 * on any more.
 */
export async function sideBySide<A, B>(
  yieldToEventLoop: () => Promise<void>,
  one: (yieldToEventLoop: () => Promise<void>) => Promise<A>,
  other: (yieldToEventLoop: () => Promise<void>) => Promise<B>,
): Promise<[A, B]> {
  let failure: { error: unknown } | null = null;
  const yieldOrEnd = async (): Promise<void> => {
    await yieldToEventLoop();
    if (failure) throw failure.error;
  };
  const noted = <T>(work: Promise<T>): Promise<T> =>
    work.catch((error) => {
      failure ??= { error };
      throw failure.error;
    });
  const [own, others] = await Promise.allSettled([noted(one(yieldOrEnd)), noted(other(yieldOrEnd))]);
  if (own.status === 'rejected') throw own.reason;
  if (others.status === 'rejected') throw others.reason;
  return [own.value, others.value];
}
