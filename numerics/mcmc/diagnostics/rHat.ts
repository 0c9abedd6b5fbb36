/** R̂: how much wider the draws of all chains lie than those of each. 1 is converged; above 1.01 is not. */
import { type Chains, diagnosable, map, mean, pooled, quantileOf, split, variance } from './chains.ts';
import { rankNormalise } from './rankNormalise.ts';

/** The larger of bulk and tail: rank-normalised split R̂ of the draws, and of their distances from the median. */
export function rHat(chains: Chains): number {
  if (!diagnosable(chains)) return Number.NaN;
  const halves = split(chains);
  const median = quantileOf(pooled(halves).sort(), 0.5);
  const folded = map(halves, (x) => Math.abs(x - median));
  return Math.max(plainRHat(rankNormalise(halves)), plainRHat(rankNormalise(folded)));
}

/** √(((n - 1) W + B) / n W), W the mean variance within and B / n the variance of the chains' means. */
function plainRHat(chains: Chains): number {
  const n = chains[0]!.length;
  const between = variance(Float64Array.from(chains, mean));
  const within = mean(Float64Array.from(chains, variance));
  return Math.sqrt(between / within + (n - 1) / n);
}
