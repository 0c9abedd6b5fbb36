import { firstAtLeast } from '../search.ts';

/**
 * steps: `upTo[i]` = P(X ≤ values[i]) for distinct values. line: interpolated order statistics and their u; repeated
 * values keep their weight.
 */
export interface Empirical {
  shape: 'steps' | 'line';
  values: Float64Array;
  upTo: Float64Array;
}

/** Maximum knots; thinning keeps whole tails. */
export const MAX_KNOTS = 10_000;
const TAIL_KNOTS = 250;
/** Minimum mean repeats of a steps distribution. */
const REPEATS = 2;

/** Ignores NaN; undefined for an empty sample. */
export function fitEmpirical(sample: Float64Array): Empirical | undefined {
  const sorted = sample.filter((value) => !Number.isNaN(value)).sort();
  if (sorted.length === 0) return undefined;
  const distinct = countDistinct(sorted);
  const repeated = distinct <= MAX_KNOTS && sorted.length >= REPEATS * distinct;
  return repeated ? steps(sorted, distinct) : line(sorted);
}

/** Always interpolates: for comparing draws, not for output. */
export function fitReference(sample: Float64Array): Empirical {
  return line(Float64Array.from(sample).sort());
}

function countDistinct(sorted: Float64Array): number {
  let distinct = 1;
  for (let i = 1; i < sorted.length; i++) if (sorted[i] !== sorted[i - 1]) distinct++;
  return distinct;
}

function steps(sorted: Float64Array, distinct: number): Empirical {
  const values = new Float64Array(distinct);
  const upTo = new Float64Array(distinct);
  let k = 0;
  for (let i = 0; i < sorted.length; i++) {
    if (i > 0 && sorted[i] !== sorted[i - 1]) k++;
    values[k] = sorted[i]!;
    upTo[k] = (i + 1) / sorted.length;
  }
  return { shape: 'steps', values, upTo };
}

function line(sorted: Float64Array): Empirical {
  const ranks = keptRanks(sorted.length);
  const last = Math.max(1, sorted.length - 1);
  return {
    shape: 'line',
    values: Float64Array.from(ranks, (rank) => sorted[rank]!),
    upTo: Float64Array.from(ranks, (rank) => rank / last),
  };
}

function keptRanks(n: number): number[] {
  if (n <= MAX_KNOTS) return Array.from({ length: n }, (_, i) => i);
  const ranks = Array.from({ length: TAIL_KNOTS }, (_, i) => i);
  const inner = MAX_KNOTS - 2 * TAIL_KNOTS;
  const stride = (n - 2 * TAIL_KNOTS) / inner;
  for (let i = 0; i < inner; i++) ranks.push(TAIL_KNOTS + Math.floor((i + 0.5) * stride));
  for (let i = n - TAIL_KNOTS; i < n; i++) ranks.push(i);
  return ranks;
}

export function quantile(of: Empirical, u: number): number {
  const { values, upTo } = of;
  const k = Math.min(firstAtLeast(upTo, u), values.length - 1);
  if (of.shape === 'steps' || k === 0) return values[k]!;
  const below = upTo[k - 1]!;
  const share = Math.min(1, (u - below) / (upTo[k]! - below));
  const step = values[k]! - values[k - 1]!;
  // Avoids overflow.
  return Number.isFinite(step) ? values[k - 1]! + share * step : (1 - share) * values[k - 1]! + share * values[k]!;
}

/** P(X ≤ x). */
export function cdf(of: Empirical, x: number): number {
  const { values, upTo } = of;
  const k = firstAtLeast(values, x);
  if (k === values.length) return 1;
  if (of.shape === 'steps') return values[k] === x ? upTo[k]! : k === 0 ? 0 : upTo[k - 1]!;
  if (k === 0) return 0;
  const below = values[k - 1]!;
  const share = values[k]! > below ? shareBetween(below, x, values[k]!) : 1;
  return upTo[k - 1]! + share * (upTo[k]! - upTo[k - 1]!);
}

function shareBetween(low: number, x: number, high: number): number {
  const span = high - low;
  return Number.isFinite(span) ? (x - low) / span : (x / 2 - low / 2) / (high / 2 - low / 2);
}
