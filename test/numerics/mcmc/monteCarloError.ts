/** Monte Carlo standard errors: how far estimates from the draws lie from those of endless ones. */

import { type Chains, map, meanEss, pooled, quantileEss } from '../../../packages/numerics/mcmc/diagnostics.ts';
import { mean, variance } from '../../../packages/numerics/moments.ts';
import { betaP } from '../../../packages/numerics/special/incomplete.ts';

/** Probabilities of a normal one standard deviation to each side. */
const ONE_BELOW = 0.1586553;
const ONE_ABOVE = 0.8413447;

export const errorOfMean = (chains: Chains): number => Math.sqrt(variance(pooled(chains)) / meanEss(chains));

export function errorOfSd(chains: Chains): number {
  const centre = mean(pooled(chains));
  const squares = map(chains, (x) => (x - centre) ** 2);
  const all = pooled(squares);
  const second = mean(all);
  const fourth = mean(all.map((x) => x * x));
  return Math.sqrt((fourth - second ** 2) / meanEss(squares) / second / 4);
}

/** Half of the draws' span over one standard deviation of the quantile's own probability to either side. */
export function errorOfQuantile(chains: Chains, probability: number): number {
  const ess = quantileEss(chains, probability);
  if (!Number.isFinite(ess)) return Number.NaN;
  const a = ess * probability + 1;
  const b = ess * (1 - probability) + 1;
  const sorted = pooled(chains).sort();
  const last = sorted.length - 1;
  const below = Math.floor(Math.max(0, betaQuantile(ONE_BELOW, a, b) * sorted.length - 1));
  const above = Math.ceil(Math.min(last, betaQuantile(ONE_ABOVE, a, b) * sorted.length - 1));
  return (sorted[above]! - sorted[below]!) / 2;
}

/** By bisection: each step halves the error, and 60 of them leave 1e-18. */
function betaQuantile(probability: number, a: number, b: number): number {
  let low = 0;
  let high = 1;
  for (let i = 0; i < 60; i++) {
    const middle = (low + high) / 2;
    if (betaP(a, b, middle) < probability) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}
