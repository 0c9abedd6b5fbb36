/**
 * Diagnostics of m chains of n draws: Vehtari, Gelman, Simpson, Carpenter and Bürkner (2021), "Rank-normalization,
 * folding, and localization: an improved R̂", Bayesian Analysis 16(2).
 */
import { mean, variance } from '../moments.ts';
import { firstAtLeast } from '../search.ts';
import { normalQuantile } from '../special/normal.ts';
import { autocovariance } from './autocovariance.ts';

export type Chains = readonly Float64Array[];

const FEWEST_DRAWS = 4;

/** `draws`: draws × dimension, row-major. */
export function coordinateOf(draws: readonly Float64Array[], dimension: number, at: number): Float64Array[] {
  return draws.map((rows) => {
    const out = new Float64Array(rows.length / dimension);
    for (let i = 0; i < out.length; i++) out[i] = rows[i * dimension + at]!;
    return out;
  });
}

function split(chains: Chains): Float64Array[] {
  const n = chains[0]!.length;
  const half = Math.floor(n / 2);
  return [...chains.map((chain) => chain.subarray(0, half)), ...chains.map((chain) => chain.subarray(n - half))];
}

export const map = (chains: Chains, f: (x: number) => number): Float64Array[] => chains.map((chain) => chain.map(f));

export function pooled(chains: Chains): Float64Array {
  const n = chains[0]!.length;
  const out = new Float64Array(chains.length * n);
  chains.forEach((chain, i) => {
    out.set(chain, i * n);
  });
  return out;
}

const diagnosable = (chains: Chains): boolean =>
  chains.length > 0 && chains[0]!.length >= FEWEST_DRAWS && chains.every((chain) => chain.every(Number.isFinite));

/** Type 7. */
function quantileOf(sorted: Float64Array, probability: number): number {
  const at = probability * (sorted.length - 1);
  const below = Math.floor(at);
  const low = sorted[below]!;
  return low + (at - below) * (sorted[Math.min(below + 1, sorted.length - 1)]! - low);
}

/** Blom (1958). */
const OFFSET = 3 / 8;

/** Ties share their mean rank. */
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

function firstPlace(sorted: Float64Array, { least, perUnit, starts }: Buckets, x: number): number {
  const bucket = bucketOf(x, least, perUnit, sorted.length);
  return firstAtLeast(sorted, x, starts[bucket]!, starts[bucket + 1]!);
}

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

/** Cached for the last size, which all parameters share. */
let untied = new Float64Array(0);
function untiedScores(size: number): Float64Array {
  if (untied.length !== size) untied = Float64Array.from({ length: size }, (_, at) => scoreOf(at + 1, size));
  return untied;
}

/** Rank-normalised split R̂, the larger of bulk and folded: 1 if chains agree. NaN below 4 draws per chain. */
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

/** For long chains (Vehtari et al. 2021). */
const R_HAT_LIMIT = 1.01;
/** Chance excess of R-hat times n: the maximum over hundreds of parameters is about 1 + 6 / n for independent draws. */
const R_HAT_NOISE = 10;

/** 1.01 from 1,000 draws per chain. */
export const rHatLimit = (draws: number): number => Math.max(R_HAT_LIMIT, 1 + R_HAT_NOISE / draws);

/** √(((n - 1) W + B) / n W) for within variance W and variance B / n of means. */
function plainRHat(chains: Chains): number {
  const n = chains[0]!.length;
  const between = variance(Float64Array.from(chains, mean));
  const within = mean(Float64Array.from(chains, variance));
  return Math.sqrt(between / within + (n - 1) / n);
}

/** Estimated Bayesian fraction of missing information (Betancourt 2016); below 0.3 is bad. NaN below 3 energies. */
export function ebfmi(energy: Float64Array): number {
  if (energy.length < 3) return Number.NaN;
  let moves = 0;
  for (let i = 1; i < energy.length; i++) moves += (energy[i]! - energy[i - 1]!) ** 2;
  return moves / (energy.length - 1) / variance(energy);
}

/** Effective draws for the bulk (Vehtari et al. 2021). NaN below 4 draws per chain. */
export const bulkEss = (chains: Chains): number =>
  diagnosable(chains) ? plainEss(rankNormalise(split(chains))) : Number.NaN;

/** Effective draws for the worse 5 % or 95 % quantile (Vehtari et al. 2021). NaN below 4 draws per chain. */
export const tailEss = (chains: Chains): number => Math.min(quantileEss(chains, 0.05), quantileEss(chains, 0.95));

export const meanEss = (chains: Chains): number => (diagnosable(chains) ? plainEss(split(chains)) : Number.NaN);

export function quantileEss(chains: Chains, probability: number): number {
  if (!diagnosable(chains)) return Number.NaN;
  return essBelow(chains, quantileOf(pooled(chains).sort(), probability));
}

const essBelow = (chains: Chains, quantile: number): number =>
  plainEss(split(map(chains, (x) => (x <= quantile ? 1 : 0))));

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

/** Geyer's (1992) initial monotone sequence: τ = 1 + 2 Σ ρ_t over positive pairs, each capped by its predecessor. */
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

export interface Convergence {
  rHat: number;
  bulkEss: number;
  tailEss: number;
}

/** Shares sorting between diagnostics. NaN below 4 draws per chain. */
export function convergenceOf(chains: Chains): Convergence {
  if (!diagnosable(chains)) return { rHat: Number.NaN, bulkEss: Number.NaN, tailEss: Number.NaN };
  const halves = split(chains);
  const sorted = pooled(halves).sort();
  const scores = scoresAmong(halves, sorted);
  // Tail quantiles include a middle draw, halves do not.
  const all = chains[0]!.length % 2 === 0 ? sorted : pooled(chains).sort();
  return {
    rHat: Math.max(plainRHat(scores), foldedRHat(halves, sorted)),
    bulkEss: plainEss(scores),
    tailEss: Math.min(essBelow(chains, quantileOf(all, 0.05)), essBelow(chains, quantileOf(all, 0.95))),
  };
}
