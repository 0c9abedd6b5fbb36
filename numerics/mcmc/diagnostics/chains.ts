/**
 * Draws of one quantity, chain by chain: what all diagnostics take. Shapes: m chains of n draws each.
 * Source of all of them: Vehtari, Gelman, Simpson, Carpenter and Bürkner (2021), "Rank-normalization, folding, and
 * localization: an improved R̂", Bayesian Analysis 16(2).
 */

/** m arrays of equal length n. */
export type Chains = readonly Float64Array[];

/** Draws that a chain must have for diagnostics: below, they are NaN. */
export const FEWEST_DRAWS = 4;

/** Coordinate `at` of results that are draws × dimension, row-major. */
export function coordinateOf(draws: readonly Float64Array[], dimension: number, at: number): Float64Array[] {
  return draws.map((rows) => {
    const out = new Float64Array(rows.length / dimension);
    for (let i = 0; i < out.length; i++) out[i] = rows[i * dimension + at]!;
    return out;
  });
}

/** The two halves of each chain (a middle draw is left out), first halves first. */
export function split(chains: Chains): Float64Array[] {
  const n = chains[0]!.length;
  const half = Math.floor(n / 2);
  return [...chains.map((chain) => chain.subarray(0, half)), ...chains.map((chain) => chain.subarray(n - half))];
}

export const map = (chains: Chains, f: (x: number) => number): Float64Array[] => chains.map((chain) => chain.map(f));

/** All draws in one array, a copy. */
export function pooled(chains: Chains): Float64Array {
  const n = chains[0]!.length;
  const out = new Float64Array(chains.length * n);
  chains.forEach((chain, i) => {
    out.set(chain, i * n);
  });
  return out;
}

/** False where a diagnostic has no value: too few draws, or one that is not finite. */
export const diagnosable = (chains: Chains): boolean =>
  chains.length > 0 && chains[0]!.length >= FEWEST_DRAWS && chains.every((chain) => chain.every(Number.isFinite));

export function mean(x: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < x.length; i++) sum += x[i]!;
  return sum / x.length;
}

/** With divisor n - 1. */
export function variance(x: Float64Array): number {
  const centre = mean(x);
  let sum = 0;
  for (let i = 0; i < x.length; i++) sum += (x[i]! - centre) ** 2;
  return sum / (x.length - 1);
}

/** Quantile of type 7 of ascending values. */
export function quantileOf(sorted: Float64Array, probability: number): number {
  const at = probability * (sorted.length - 1);
  const below = Math.floor(at);
  const low = sorted[below]!;
  return low + (at - below) * (sorted[Math.min(below + 1, sorted.length - 1)]! - low);
}
