/** Runs a long computation and lets the process breathe between its steps. */
import type { Steps } from '../../../numerics/regression/steps.ts';

/** Throws what `breathe` throws, within a step. */
export async function inSteps<T>(steps: Steps<T>, breathe: () => Promise<void>): Promise<T> {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    await breathe();
  }
}
