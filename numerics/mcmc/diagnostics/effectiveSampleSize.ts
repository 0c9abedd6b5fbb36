/** Effective sample size: of how many independent draws the chains are worth. */
import { autocovariance } from './autocovariance.ts';
import { type Chains, diagnosable, map, mean, pooled, quantileOf, split, variance } from './chains.ts';
import { rankNormalise } from './rankNormalise.ts';

/** Of the normal scores: how well the middle of the distribution is known, whatever its variance. */
export const bulkEss = (chains: Chains): number =>
  diagnosable(chains) ? plainEss(rankNormalise(split(chains))) : Number.NaN;

/** The lesser of those of the 5 % and 95 % quantiles. */
export const tailEss = (chains: Chains): number => Math.min(quantileEss(chains, 0.05), quantileEss(chains, 0.95));

/** Of the mean. */
export const meanEss = (chains: Chains): number => (diagnosable(chains) ? plainEss(split(chains)) : Number.NaN);

/** Of a quantile: of the indicator of the draws up to it. */
export function quantileEss(chains: Chains, probability: number): number {
  if (!diagnosable(chains)) return Number.NaN;
  const quantile = quantileOf(pooled(chains).sort(), probability);
  return plainEss(split(map(chains, (x) => (x <= quantile ? 1 : 0))));
}

/** m n / τ. Draws that are all one value count for as many as they are. */
export function plainEss(chains: Chains): number {
  const m = chains.length;
  const n = chains[0]!.length;
  if (chains.every((chain) => chain.every((x) => x === chains[0]![0]))) return m * n;
  const covariances = chains.map(autocovariance);
  const covariance = (lag: number): number => covariances.reduce((sum, at) => sum + at(lag), 0) / m;
  const within = (covariance(0) * n) / (n - 1);
  const total = covariance(0) + (m > 1 ? variance(Float64Array.from(chains, mean)) : 0);
  const tau = autocorrelationTime((lag) => 1 - (within - covariance(lag)) / total, n);
  return (m * n) / Math.max(tau, 1 / Math.log10(m * n));
}

/**
 * τ = 1 + 2 Σ ρ_t, the sum truncated by Geyer's (1992) initial monotone sequence: pairs ρ_2k + ρ_2k+1 are taken up to the
 * last one above 0, each for no more than the one before it; of the pair where that ends the even term counts once.
 */
function autocorrelationTime(rho: (lag: number) => number, n: number): number {
  let even = 1;
  let odd = rho(1);
  let sum = 0;
  let least = Number.POSITIVE_INFINITY;
  for (let lag = 1; lag < n - 3 && even + odd > 0; lag += 2) {
    least = Math.min(least, even + odd);
    sum += least;
    even = rho(lag + 1);
    odd = rho(lag + 2);
  }
  return -1 + 2 * sum + (even > 0 || even + odd >= 0 ? even : 0);
}
