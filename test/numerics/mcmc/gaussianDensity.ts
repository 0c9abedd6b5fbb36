/** A density that is cheap and known, and can be told to misbehave: for the tests of worker threads. */
import type { LogDensity } from '../../../packages/numerics/mcmc/hamiltonian.ts';

export interface GaussianData {
  mean: Float64Array;
  /** After so many gradients it throws; null: never. */
  failsAfter: number | null;
  /** Where it is false no position has a finite density. */
  finite: boolean;
  /** Gradients are worked out this many times. */
  repeats: number;
}

export function gaussianDensity({ mean, failsAfter, finite, repeats }: GaussianData): LogDensity {
  let calls = 0;
  return {
    dimension: mean.length,
    evaluate(position, gradient) {
      if (failsAfter !== null && calls++ >= failsAfter) throw new Error('told to fail');
      let sum = 0;
      for (let r = 0; r < repeats; r++) {
        sum = 0;
        for (let i = 0; i < mean.length; i++) {
          const u = position[i]! - mean[i]!;
          gradient[i] = -u;
          sum -= 0.5 * u * u;
        }
      }
      return finite ? sum : Number.NaN;
    },
  };
}
