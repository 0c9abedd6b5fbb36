/** Tails: beyond the k-th number from either end a generalised Pareto line stands for the numbers, within their range. */
import { fitPareto, paretoQuantile } from '../../../numerics/mcmc/diagnostics/generalisedPareto.ts';

export interface Knots {
  values: number[];
  from: number[];
  upTo: number[];
}

/** Rows that the tail is learnt from: this share of all, between the two bounds. */
const TAIL_SHARE = 0.02;
const LEAST_TAIL_ROWS = 25;
const MOST_TAIL_ROWS = 500;
/** Points of the line that stands for a tail. */
const POINTS = 8;
/** Of a small column no more than this share of the rows lies in either tail. */
const MOST_SHARE = 0.1;

/**
 * Replaces the knots of the last rows at either end, up to the k-th row or the first heap, by the fitted tail's.
 * @param sorted the numbers, ascending; `heapRows` rows or more of one number are a heap.
 */
export function addTails(
  knots: Knots,
  sorted: Float64Array,
  k: number,
  heapRows: number,
): { knots: Knots; withheld: Float64Array } {
  const rows = Math.min(k, Math.floor(sorted.length * MOST_SHARE));
  const mirrored = sorted.map((value) => -value).reverse();
  const above = tailOf(sorted, rows, heapRows);
  const below = tailOf(mirrored, rows, heapRows);
  const inner = { from: below.rows / sorted.length, upTo: (sorted.length - above.rows) / sorted.length };
  const kept = knots.values.flatMap((_, i) => (knots.from[i]! < inner.from || knots.upTo[i]! > inner.upTo ? [] : [i]));
  const low = below.points.map(({ value, place }) => ({ value: -value, place: 1 - place })).reverse();
  const withheld = [...mirrored.subarray(sorted.length - below.rows)].map((value) => -value).reverse();
  withheld.push(...sorted.subarray(sorted.length - above.rows));
  const line = (at: 'from' | 'upTo'): number[] => [
    ...low.map(({ place }) => place),
    ...kept.map((i) => knots[at][i]!),
    ...above.points.map(({ place }) => place),
  ];
  const values = [
    ...low.map(({ value }) => value),
    ...kept.map((i) => knots.values[i]!),
    ...above.points.map(({ value }) => value),
  ];
  return { knots: { values, from: line('from'), upTo: line('upTo') }, withheld: Float64Array.from(withheld) };
}

interface Tail {
  rows: number;
  points: { value: number; place: number }[];
}

/** The upper tail of at most `most` rows: the numbers above the last heap, all of them equal numbers together. */
function tailOf(sorted: Float64Array, most: number, heapRows: number): Tail {
  const n = sorted.length;
  let rows = 0;
  while (rows < most) {
    let run = 1;
    while (run < n - rows && sorted[n - 1 - rows - run] === sorted[n - 1 - rows]) run++;
    if (run >= heapRows || rows + run >= n) break;
    rows += run;
  }
  if (rows === 0) return { rows, points: [] };
  const start = sorted[n - 1 - rows]!;
  const reach = sorted[n - 1]! - start;
  const excess = excessOf(sorted, rows, start);
  const points = Array.from({ length: POINTS }, (_, i) => {
    const share = (i + 1) / POINTS;
    return { value: start + excess(share) * reach, place: 1 - (rows / n) * (1 - share) };
  });
  return { rows, points };
}

/** The quantile function of the excess over `start` within its reach, from share 0 … 1 to 0 … 1. */
function excessOf(sorted: Float64Array, rows: number, start: number): (share: number) => number {
  const n = sorted.length;
  const reach = sorted[n - 1]! - start;
  const wanted = Math.min(MOST_TAIL_ROWS, Math.max(LEAST_TAIL_ROWS, Math.round(n * TAIL_SHARE)));
  const learnt = Math.max(rows, Math.min(wanted, n - 1));
  const threshold = sorted[n - 1 - learnt]!;
  const over = sorted
    .subarray(n - learnt)
    .filter((value) => value > threshold)
    .map((value) => (value - threshold) / reach);
  const { shape, scale } = over.length < 5 ? { shape: 0, scale: Number.NaN } : fitPareto(over);
  const own = scale + shape * ((start - threshold) / reach);
  if (!(own > 0) || !Number.isFinite(own) || !Number.isFinite(shape)) return (share) => share;
  // P(excess ≤ 1): the tail is cut where the real one ends.
  const whole = shape === 0 ? -Math.expm1(-1 / own) : 1 - Math.max(0, 1 + shape / own) ** (-1 / shape);
  if (!(whole > 0)) return (share) => share;
  return (share) => (share >= 1 ? 1 : Math.min(1, paretoQuantile(share * whole, shape, own)));
}
