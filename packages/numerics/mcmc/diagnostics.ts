/**
 * Draws of one quantity, chain by chain: what all diagnostics take. Shapes: m chains of n draws each.
 * Source of all of them: Vehtari, Gelman, Simpson, Carpenter and Bürkner (2021), "Rank-normalization, folding, and
 * localization: an improved R̂", Bayesian Analysis 16(2).
 */
import { mean, variance } from '../moments.ts';
import { firstAtLeast } from '../search.ts';
import { normalQuantile } from '../special/normal.ts';
import { autocovariance } from './autocovariance.ts';

/** m arrays of equal length n. */
export type Chains = readonly Float64Array[];

/** Draws that a chain must have for diagnostics: below, they are NaN. */
const FEWEST_DRAWS = 4;

/** Coordinate `at` of results that are draws × dimension, row-major. */
export function coordinateOf(draws: readonly Float64Array[], dimension: number, at: number): Float64Array[] {
  return draws.map((rows) => {
    const out = new Float64Array(rows.length / dimension);
    for (let i = 0; i < out.length; i++) out[i] = rows[i * dimension + at]!;
    return out;
  });
}

/** The two halves of each chain (a middle draw is left out), first halves first. */
function split(chains: Chains): Float64Array[] {
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
const diagnosable = (chains: Chains): boolean =>
  chains.length > 0 && chains[0]!.length >= FEWEST_DRAWS && chains.every((chain) => chain.every(Number.isFinite));

/** Quantile of type 7 of ascending values. */
function quantileOf(sorted: Float64Array, probability: number): number {
  const at = probability * (sorted.length - 1);
  const below = Math.floor(at);
  const low = sorted[below]!;
  return low + (at - below) * (sorted[Math.min(below + 1, sorted.length - 1)]! - low);
}

// Normal scores: each draw replaced by the normal quantile of its rank among all.

/** Blom's offset (1958). */
const OFFSET = 3 / 8;

/** Ties have their mean rank. */
export const rankNormalise = (chains: Chains): Float64Array[] => scoresAmong(chains, pooled(chains).sort());

function scoresAmong(chains: Chains, sorted: Float64Array): Float64Array[] {
  const scores = scoresOf(sorted);
  const buckets = bucketsOf(sorted);
  return chains.map((chain) => {
    const out = new Float64Array(chain.length);
    for (let i = 0; i < out.length; i++) out[i] = scores[firstPlace(sorted, buckets, chain[i]!)]!;
    return out;
  });
}

/** As many of equal width as there are values, and where the values of each begin. */
interface Buckets {
  least: number;
  perUnit: number;
  starts: Int32Array;
}

function bucketsOf(sorted: Float64Array): Buckets {
  const size = sorted.length;
  const least = sorted[0]!;
  const width = (sorted[size - 1]! - least) / size;
  const perUnit = width > 0 ? 1 / width : 0;
  const starts = new Int32Array(size + 1);
  for (let at = 0; at < size; at++) starts[bucketOf(sorted[at]!, least, perUnit, size) + 1] = at + 1;
  for (let bucket = 1; bucket <= size; bucket++) {
    if (starts[bucket]! < starts[bucket - 1]!) starts[bucket] = starts[bucket - 1]!;
  }
  return { least, perUnit, starts };
}

const bucketOf = (x: number, least: number, perUnit: number, size: number): number =>
  Math.min(size - 1, ((x - least) * perUnit) | 0);

/** Where a value that is there stands first. */
function firstPlace(sorted: Float64Array, { least, perUnit, starts }: Buckets, x: number): number {
  const bucket = bucketOf(x, least, perUnit, sorted.length);
  return firstAtLeast(sorted, x, starts[bucket]!, starts[bucket + 1]!);
}

/** By place of the first of its ties: the score of their mean rank. */
function scoresOf(sorted: Float64Array): Float64Array {
  const size = sorted.length;
  const scores = untiedScores(size).slice();
  for (let from = 0; from < size; ) {
    let to = from + 1;
    while (to < size && sorted[to] === sorted[from]) to++;
    if (to - from > 1) scores[from] = scoreOf((from + 1 + to) / 2, size);
    from = to;
  }
  return scores;
}

const scoreOf = (rank: number, size: number): number => normalQuantile((rank - OFFSET) / (size - 2 * OFFSET + 1));

/** Of ranks 1 … size, for the size that was asked for last: that of every parameter of a posterior. */
let untied = new Float64Array(0);
function untiedScores(size: number): Float64Array {
  if (untied.length !== size) untied = Float64Array.from({ length: size }, (_, at) => scoreOf(at + 1, size));
  return untied;
}

// R̂: how much wider the draws of all chains lie than those of each. 1 where they agree.

/**
 * R̂ of m chains of n draws: 1 where they agree, above `rHatLimit` where they do not yet. The larger of bulk and tail:
 * rank-normalised split R̂ of the draws, and of their distances from the median. NaN below 4 draws a chain.
 */
export function rHat(chains: Chains): number {
  if (!diagnosable(chains)) return Number.NaN;
  const halves = split(chains);
  return Math.max(plainRHat(rankNormalise(halves)), foldedRHat(halves, pooled(halves).sort()));
}

function foldedRHat(halves: Chains, sorted: Float64Array): number {
  const median = quantileOf(sorted, 0.5);
  const folded = map(halves, (x) => Math.abs(x - median));
  return plainRHat(scoresAmong(folded, foldedAt(median, sorted)));
}

/** Distances of ascending values from one among them, ascending: those of either side are so already. */
function foldedAt(median: number, sorted: Float64Array): Float64Array {
  const out = new Float64Array(sorted.length);
  let above = firstAtLeast(sorted, median);
  let below = above - 1;
  for (let i = 0; i < out.length; i++) {
    const up = above < sorted.length ? Math.abs(sorted[above]! - median) : Number.POSITIVE_INFINITY;
    const down = below >= 0 ? Math.abs(sorted[below]! - median) : Number.POSITIVE_INFINITY;
    out[i] = Math.min(up, down);
    if (up <= down) above++;
    else below--;
  }
  return out;
}

/** What R-hat stays below in long chains that have converged (Vehtari et al., 2021). */
const R_HAT_LIMIT = 1.01;
/**
 * What R-hat is above 1 by chance, times the draws of a chain: of halves of n / 2 independent draws the greatest over
 * hundreds of parameters is near 1 + 6 / n, and draws are not all independent.
 */
const R_HAT_NOISE = 10;

/** Chains of so many draws each have converged where every R-hat is below this: 1.01 from 1,000 draws on. */
export const rHatLimit = (draws: number): number => Math.max(R_HAT_LIMIT, 1 + R_HAT_NOISE / draws);

/** √(((n - 1) W + B) / n W), W the mean variance within and B / n the variance of the chains' means. */
function plainRHat(chains: Chains): number {
  const n = chains[0]!.length;
  const between = variance(Float64Array.from(chains, mean));
  const within = mean(Float64Array.from(chains, variance));
  return Math.sqrt(between / within + (n - 1) / n);
}

// E-BFMI (Betancourt 2016): the share of the energy's variance that one refreshment of the momentum moves. Below 0.3 is bad.

/**
 * The estimated Bayesian fraction of missing information (Betancourt, 2016) of one chain's energies, in order: below 0.3 the
 * chain moves too slowly between energies. NaN below 3 of them.
 */
export function ebfmi(energy: Float64Array): number {
  if (energy.length < 3) return Number.NaN;
  let moves = 0;
  for (let i = 1; i < energy.length; i++) moves += (energy[i]! - energy[i - 1]!) ** 2;
  return moves / (energy.length - 1) / variance(energy);
}

// Effective sample size: of how many independent draws the chains are worth.

/**
 * Effective sample size, in draws, of the normal scores of m chains (Vehtari et al., 2021): how well the middle of the
 * distribution is known, whatever its variance. NaN below 4 draws a chain.
 */
export const bulkEss = (chains: Chains): number =>
  diagnosable(chains) ? plainEss(rankNormalise(split(chains))) : Number.NaN;

/** Effective sample size, in draws, of the 5 % or the 95 % quantile, the lesser (Vehtari et al., 2021). NaN below 4 draws a chain. */
export const tailEss = (chains: Chains): number => Math.min(quantileEss(chains, 0.05), quantileEss(chains, 0.95));

/** Effective sample size for the mean. */
export const meanEss = (chains: Chains): number => (diagnosable(chains) ? plainEss(split(chains)) : Number.NaN);

/** Effective sample size for a quantile: that of the indicator of the draws up to it. */
export function quantileEss(chains: Chains, probability: number): number {
  if (!diagnosable(chains)) return Number.NaN;
  return essBelow(chains, quantileOf(pooled(chains).sort(), probability));
}

const essBelow = (chains: Chains, quantile: number): number =>
  plainEss(split(map(chains, (x) => (x <= quantile ? 1 : 0))));

/** m n / τ. Draws that are all one value count for as many as they are. */
function plainEss(chains: Chains): number {
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

// All three of one quantity, sorted and ranked once.

export interface Convergence {
  rHat: number;
  bulkEss: number;
  tailEss: number;
}

/** `rHat`, `bulkEss` and `tailEss` of m chains of n draws, for less than the three cost alone. NaN below 4 draws a chain. */
export function convergenceOf(chains: Chains): Convergence {
  if (!diagnosable(chains)) return { rHat: Number.NaN, bulkEss: Number.NaN, tailEss: Number.NaN };
  const halves = split(chains);
  const sorted = pooled(halves).sort();
  const scores = scoresAmong(halves, sorted);
  // Halves leave a middle draw out, which the quantiles of the tails count.
  const all = chains[0]!.length % 2 === 0 ? sorted : pooled(chains).sort();
  return {
    rHat: Math.max(plainRHat(scores), foldedRHat(halves, sorted)),
    bulkEss: plainEss(scores),
    tailEss: Math.min(essBelow(chains, quantileOf(all, 0.05)), essBelow(chains, quantileOf(all, 0.95))),
  };
}
