/** The product of likelihoods of which each sees entries of θ of its own. */
import type { Likelihood } from './likelihood.ts';

/** `entries`: where the entries of the part's θ stand in the whole's. */
export interface LikelihoodPart {
  likelihood: Likelihood;
  entries: Int32Array;
}

export function joinedLikelihood(parts: readonly LikelihoodPart[]): Likelihood {
  const size = parts.reduce((sum, { entries }) => sum + entries.length, 0);
  const buffers = parts.map(({ entries }) => ({
    theta: new Float64Array(entries.length),
    gradient: new Float64Array(entries.length),
  }));

  function gather(k: number, theta: Float64Array): Float64Array {
    const own = buffers[k]!.theta;
    const { entries } = parts[k]!;
    for (let i = 0; i < entries.length; i++) own[i] = theta[entries[i]!]!;
    return own;
  }

  return {
    size,
    evaluate(theta, gradient) {
      let value = 0;
      for (let k = 0; k < parts.length; k++) {
        const { likelihood, entries } = parts[k]!;
        const own = buffers[k]!.gradient;
        value += likelihood.evaluate(gather(k, theta), own);
        for (let i = 0; i < entries.length; i++) gradient[entries[i]!] = own[i]!;
      }
      return value;
    },
    subtractCurvature(theta, hessian, stride) {
      parts.forEach(({ likelihood, entries }, k) => {
        const p = entries.length;
        const own = new Float64Array(p * p);
        likelihood.subtractCurvature(gather(k, theta), own, p);
        for (let i = 0; i < p; i++) {
          for (let j = 0; j < p; j++) hessian[entries[i]! * stride + entries[j]!]! += own[i * p + j]!;
        }
      });
    },
  };
}
