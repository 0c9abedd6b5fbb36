/**
 * Continuous ranked probability scores of u (Gneiting and Raftery, 2007); lower is better.
 * ∫ (F(t) - [t ≥ y])² dt = E|X - y| - ½ E|X - X'|.
 */
import { firstAtLeast } from '../../../numerics/search.ts';
import { normalCdf } from '../../../numerics/special/normal.ts';

/** Returns a scorer of u by leaf. */
export function leafScores(leafOf: Int32Array, leaves: number, u: Float64Array): (leaf: number, x: number) => number {
  const groups: number[][] = Array.from({ length: leaves }, () => []);
  leafOf.forEach((leaf, row) => {
    groups[leaf]!.push(u[row]!);
  });
  const sorted = groups.map((group) => Float64Array.from(group).sort());
  const spreads = sorted.map(meanDifference);
  const sums = sorted.map(runningSums);
  return (leaf, x) => {
    const own = sorted[leaf]!;
    const sum = sums[leaf]!;
    const n = own.length;
    const below = firstAtLeast(own, x);
    const distance = x * below - sum[below]! + (sum[n]! - sum[below]!) - x * (n - below);
    return distance / n - 0.5 * spreads[leaf]!;
  };
}

function meanDifference(sorted: Float64Array): number {
  const n = sorted.length;
  let sum = 0;
  for (let i = 0; i < n; i++) sum += (2 * i + 1 - n) * sorted[i]!;
  return n > 1 ? (2 * sum) / (n * (n - 1)) : 0;
}

function runningSums(values: Float64Array): Float64Array {
  const sums = new Float64Array(values.length + 1);
  for (let i = 0; i < values.length; i++) sums[i + 1] = sums[i]! + values[i]!;
  return sums;
}

/** Scores y by ascending, equally weighted entries. */
export function entriesScore(sorted: Float64Array, y: number): number {
  const n = sorted.length;
  let [distance, spread] = [0, 0];
  for (let i = 0; i < n; i++) {
    distance += Math.abs(sorted[i]! - y);
    spread += (2 * i + 1 - n) * sorted[i]!;
  }
  return n === 0 ? 0 : distance / n - spread / (n * n);
}

/** Scores y by ascending normal scores, lifted by `by`. */
export function liftedScore(scores: Float64Array, by: number, y: number): number {
  const n = scores.length;
  let [distance, spread] = [0, 0];
  for (let i = 0; i < n; i++) {
    const u = normalCdf(scores[i]! + by);
    distance += Math.abs(u - y);
    spread += (2 * i + 1 - n) * u;
  }
  return n === 0 ? 0 : distance / n - spread / (n * n);
}

/** Scores y by bins, uniform within. */
export function binsScore(ends: Float64Array, p: Float64Array, y: number): number {
  let [sum, start, below] = [0, 0, 0];
  for (let k = 0; k < ends.length; k++) {
    const end = ends[k]!;
    const above = below + p[k]!;
    const cut = Math.min(end, Math.max(start, y));
    const middle = end > start ? below + ((above - below) * (cut - start)) / (end - start) : above;
    sum += ((cut - start) * meanSquare(below, middle) + (end - cut) * meanSquare(1 - middle, 1 - above)) / 3;
    start = end;
    below = above;
  }
  return sum;
}

const meanSquare = (a: number, b: number): number => a * a + a * b + b * b;

const MAX_ENTRIES = 64;

export function thinned(values: readonly number[]): Float64Array {
  const sorted = Float64Array.from(values).sort();
  const size = Math.min(sorted.length, MAX_ENTRIES);
  return Float64Array.from({ length: size }, (_, i) => sorted[Math.floor(((i + 0.5) * sorted.length) / size)]!);
}
