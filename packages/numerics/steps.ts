/** Long computations that pause at each yield and can be stopped there. */

export type Steps<T> = Generator<void, T, void>;

/** Runs all steps synchronously. */
export function finish<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** Awaits `yieldToEventLoop` between steps and throws what it throws. */
export async function inSteps<T>(steps: Steps<T>, yieldToEventLoop: () => Promise<void>): Promise<T> {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    await yieldToEventLoop();
  }
}

/**
 * Runs two computations concurrently. If one fails, the other's yield throws the same error; rejects once both have
 * ended.
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
