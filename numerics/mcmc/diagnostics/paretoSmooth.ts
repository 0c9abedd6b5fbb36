/** Pareto-smoothed importance weights (Vehtari, Simpson, Gelman, Yao and Gabry 2024, JMLR 25(72)). */
import { fitPareto, paretoQuantile } from './generalisedPareto.ts';

/** Weights below this have no logarithm worth keeping: the smallest normal double. */
const LEAST_LOG = Math.log(2.2250738585072014e-308);
const FEWEST_IN_TAIL = 5;

export interface SmoothedWeights {
  /** Normalised: they sum to 1 as exp(logWeights). In the order given. */
  logWeights: Float64Array;
  /** k̂, the tail's shape: to 0.5 good, to 0.7 usable, above it the weights do not say what they should. Infinity: no tail to fit. */
  shape: number;
}

/**
 * Replaces the largest of `logRatios` (log target - log proposal, up to a constant; at least 2) by the order statistics of
 * a generalised Pareto distribution fitted to them. `efficiency`: effective share of the draws, 1 for independent ones.
 */
export function paretoSmooth(logRatios: Float64Array, efficiency = 1): SmoothedWeights {
  const size = logRatios.length;
  const largest = logRatios.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
  const logWeights = logRatios.map((x) => x - largest);
  const order = Uint32Array.from(logWeights.keys()).sort((i, j) => logWeights[i]! - logWeights[j]! || i - j);
  const tailSize = Math.ceil(Math.min(size / 5, 3 * Math.sqrt(size / efficiency)));
  const cutoff = Math.max(logWeights[order[Math.max(0, size - tailSize - 1)]!]!, LEAST_LOG);
  const tail = order.filter((i) => logWeights[i]! > cutoff);
  const shape = tail.length >= FEWEST_IN_TAIL ? smoothTail(logWeights, tail, cutoff) : Number.POSITIVE_INFINITY;
  normalise(logWeights);
  return { logWeights, shape };
}

/** `tail`: places of the weights above the cutoff, ascending by weight. */
function smoothTail(logWeights: Float64Array, tail: Uint32Array, cutoff: number): number {
  const threshold = Math.exp(cutoff);
  const { shape, scale } = fitPareto(Float64Array.from(tail, (i) => Math.exp(logWeights[i]!) - threshold));
  if (!Number.isFinite(shape)) return shape;
  tail.forEach((place, i) => {
    const weight = threshold + paretoQuantile((i + 0.5) / tail.length, shape, scale);
    // No weight becomes larger than the largest raw one, which is 1.
    logWeights[place] = Math.min(0, Math.log(weight));
  });
  return shape;
}

function normalise(logWeights: Float64Array): void {
  const total = Math.log(logWeights.reduce((sum, x) => sum + Math.exp(x), 0));
  for (let i = 0; i < logWeights.length; i++) logWeights[i]! -= total;
}
