import { firstAtLeast } from '../search.ts';
/** The distribution of a sample, point masses and empty stretches included: its quantile function and its distribution function. */

/**
 * steps: `values` are the distinct values in order and `upTo[i]` is P(X ≤ values[i]): only observed values come out.
 * line: `values` are order statistics and `upTo` their u: values between neighbours come out, too, and a
 * value that stands many times in a row keeps its weight.
 */
export interface Empirical {
  shape: 'steps' | 'line';
  values: Float64Array;
  upTo: Float64Array;
}

/** Knots of a distribution, at most: larger samples are thinned, their tails kept whole. */
export const MAX_KNOTS = 10_000;
const TAIL_KNOTS = 250;
/** A column whose values stand this often on average is one of repeated values: nothing is interpolated. */
const REPEATS = 2;

/** From the numbers of a sample, NaN left out. Undefined where none is left. */
export function fitEmpirical(sample: Float64Array): Empirical | undefined {
  const sorted = sample.filter((value) => !Number.isNaN(value)).sort();
  if (sorted.length === 0) return undefined;
  const distinct = countDistinct(sorted);
  const repeated = distinct <= MAX_KNOTS && sorted.length >= REPEATS * distinct;
  return repeated ? steps(sorted, distinct) : line(sorted);
}

/** A line through all order statistics, whatever the repeats: for draws that are compared, not emitted. */
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

/** All ranks of a small sample; of a large one the tails and evenly spaced ranks between them. */
function keptRanks(n: number): number[] {
  if (n <= MAX_KNOTS) return Array.from({ length: n }, (_, i) => i);
  const ranks = Array.from({ length: TAIL_KNOTS }, (_, i) => i);
  const inner = MAX_KNOTS - 2 * TAIL_KNOTS;
  const stride = (n - 2 * TAIL_KNOTS) / inner;
  for (let i = 0; i < inner; i++) ranks.push(TAIL_KNOTS + Math.floor((i + 0.5) * stride));
  for (let i = n - TAIL_KNOTS; i < n; i++) ranks.push(i);
  return ranks;
}

/** The value below which a share `u` (0 to 1) of the distribution lies. */
export function quantile(of: Empirical, u: number): number {
  const { values, upTo } = of;
  const k = Math.min(firstAtLeast(upTo, u), values.length - 1);
  if (of.shape === 'steps' || k === 0) return values[k]!;
  const below = upTo[k - 1]!;
  const share = Math.min(1, (u - below) / (upTo[k]! - below));
  const step = values[k]! - values[k - 1]!;
  // From -1e308 to 1e308 is no number, and a part of it is.
  return Number.isFinite(step) ? values[k - 1]! + share * step : (1 - share) * values[k - 1]! + share * values[k]!;
}

/** P(X ≤ x), 0 to 1; for a line interpolated between its knots. */
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

/** (x - low) / (high - low), where that difference is no number by halves. */
function shareBetween(low: number, x: number, high: number): number {
  const span = high - low;
  return Number.isFinite(span) ? (x - low) / span : (x / 2 - low / 2) / (high / 2 - low / 2);
}
