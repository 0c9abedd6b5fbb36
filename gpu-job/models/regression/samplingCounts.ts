/** How far the chains are, in words, ten times at most. */

import { counted } from '../../../domain/table/wording.ts';
import type { Report } from '../model.ts';

const LINES = 10;

export interface SamplingCounts {
  /** Says how far the chains are, if that is a tenth further than when it was last said. */
  report(): Promise<void>;
}

/** `counters`: two a chain, iterations done and divergences among the draws. `iterations`: of all chains together. */
export function createCounts(counters: Int32Array, iterations: number, report: Report): SamplingCounts {
  let said = 0;
  const total = (offset: 0 | 1): number => {
    let sum = 0;
    for (let i = offset; i < counters.length; i += 2) sum += Atomics.load(counters, i);
    return sum;
  };
  return {
    async report() {
      const done = total(0);
      const tenth = Math.floor((LINES * done) / iterations);
      if (tenth <= said) return;
      said = tenth;
      await report(`Sampling: ${done} of ${counted(iterations, 'iteration')}, ${counted(total(1), 'divergence')}`);
    },
  };
}
