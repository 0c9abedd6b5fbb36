/**
 * The distribution of a column's numbers, over u (cumulative probabilities, on [0, 1]): atoms keep their weight and come
 * out as they are, between single numbers lies a line, and beyond the k-th largest and smallest a fitted tail stands for the numbers.
 */
import { z } from 'zod';
import { fitPareto, paretoQuantile } from '../../../numerics/distributions/generalisedPareto.ts';
import type { RandomStream } from '../../../numerics/random/stream.ts';
import { firstAtLeast } from '../../../numerics/search.ts';
import type { JsonValue } from '../model.ts';
import { float64Schema, saveArray } from './savedArrays.ts';

/** Knots ascend. An atom has `from` < `upTo`: P(X < v) and P(X ≤ v). At a point of the line the two are one. */
export const marginSchema = z.object({
  values: float64Schema,
  from: float64Schema,
  upTo: float64Schema,
  grid: z.object({ scale: z.number(), multiple: z.number() }).nullable(),
  /** Numbers that are not released: those that the tails replace. Ascending. */
  withheld: float64Schema,
});
export type Margin = z.infer<typeof marginSchema>;

export const saveMargin = ({ values, from, upTo, grid, withheld }: Margin): JsonValue => ({
  values: saveArray(values),
  from: saveArray(from),
  upTo: saveArray(upTo),
  grid: grid && { ...grid },
  withheld: saveArray(withheld),
});

/** What a note says of withheld numbers. */
export const WITHHELD_NOTE = 'were not released; values from fitted tails replace them. Set keep_rare to keep them.';

/** A column of at most so many numbers, each of several rows, has only atoms. */
const FEW_NUMBERS = 30;
/** Knots, about: larger columns are thinned. */
const MAX_KNOTS = 10_000;

/**
 * @param numbers finite, at least one.
 * @param k rows that a number needs to be an atom, and rows in each tail.
 * @param keepRare the largest and smallest numbers are released as they are.
 */
export function fitMargin(numbers: Float64Array, k: number, keepRare = false): Margin {
  const sorted = Float64Array.from(numbers).sort();
  const runs = runsOf(sorted);
  const isFew = runs.length <= FEW_NUMBERS && sorted.length >= 2 * runs.length;
  const atomRows = isFew ? 1 : Math.max(k, Math.ceil((2 * sorted.length) / MAX_KNOTS));
  const grid = findGrid(sorted);
  const { knots, withheld } =
    isFew || keepRare
      ? { knots: knotsOf(sorted, runs, atomRows), withheld: new Float64Array(0) }
      : addTails(knotsOf(sorted, runs, atomRows), sorted, k, atomRows);
  const { values, from, upTo } = thinned(knots);
  return { values: onLine(values), from: onLine(from), upTo: onLine(upTo), grid, withheld };
}

const onLine = (numbers: number[]): Float64Array => Float64Array.from(numbers);

/** First indices of runs of equal numbers. */
function runsOf(sorted: Float64Array): Int32Array {
  const starts: number[] = [];
  for (let i = 0; i < sorted.length; i++) if (i === 0 || sorted[i] !== sorted[i - 1]) starts.push(i);
  return Int32Array.from(starts);
}

function knotsOf(sorted: Float64Array, runs: Int32Array, atomRows: number): Knots {
  const knots: Knots = { values: [], from: [], upTo: [] };
  const n = sorted.length;
  runs.forEach((start, r) => {
    const end = runs[r + 1] ?? n;
    const isAtom = end - start >= atomRows;
    knots.values.push(sorted[start]!);
    knots.from.push(isAtom ? start / n : (start + end) / 2 / n);
    knots.upTo.push(isAtom ? end / n : (start + end) / 2 / n);
  });
  return knots;
}

/** Atoms stay, and so do the ends; of the points between them every so many. */
function thinned(knots: Knots): Knots {
  const count = knots.values.length;
  const stride = Math.ceil(count / MAX_KNOTS);
  if (stride === 1) return knots;
  const out: Knots = { values: [], from: [], upTo: [] };
  const ends = stride * TAIL_POINTS;
  for (let i = 0; i < count; i++) {
    const isEnd = i < ends || i >= count - ends;
    if (knots.from[i] === knots.upTo[i] && !isEnd && i % stride !== 0) continue;
    out.values.push(knots.values[i]!);
    out.from.push(knots.from[i]!);
    out.upTo.push(knots.upTo[i]!);
  }
  return out;
}

/** Points kept whole at either end of a thinned column, times the stride. */
const TAIL_POINTS = 20;

/** The number at u (0 to 1). */
export function numberAt(margin: Margin, u: number): number {
  const k = Math.min(firstAtLeast(margin.upTo, u), margin.values.length - 1);
  const { values, from, upTo } = margin;
  if (k === 0 || u >= from[k]!) return released(margin, onGrid(margin.grid, values[k]!));
  const share = (u - upTo[k - 1]!) / (from[k]! - upTo[k - 1]!);
  // Beside an atom there may be nothing at all: no line leads away from it.
  const isBroken = from[k - 1]! < upTo[k - 1]! || from[k]! < upTo[k]!;
  const part = isBroken ? Math.round(share) : share;
  return released(margin, onGrid(margin.grid, (1 - part) * values[k - 1]! + part * values[k]!));
}

/** Each u that falls on an atom, anywhere on its width: all of that is its number. */
export const spreadAtoms = ({ from, upTo }: Margin, u: Float64Array, random: RandomStream): Float64Array =>
  u.map((own) => {
    const k = firstAtLeast(upTo, own);
    const isAtom = k < upTo.length && from[k]! < upTo[k]! && own >= from[k]!;
    return isAtom ? from[k]! + random.uniform() * (upTo[k]! - from[k]!) : own;
  });

/** A number that the tail's line has hit by chance is moved inwards, to the next that is no one's. */
function released(margin: Margin, value: number): number {
  const { withheld, grid, values } = margin;
  if (withheld.length === 0 || !withheld.includes(value)) return value;
  const inwards = value > values[values.length >> 1]! ? -1 : 1;
  let moved = value;
  for (let i = 0; i < withheld.length && withheld.includes(moved); i++) {
    moved = grid
      ? onGrid(grid, moved + (inwards * grid.multiple) / grid.scale)
      : moved + inwards * (Math.abs(moved) || 1) * 2 ** -40;
  }
  return moved;
}

/** P(X < v) and P(X ≤ v) of a number: equal on the line. */
export function uRangeOf(margin: Margin, value: number): { from: number; upTo: number } {
  const { values, from, upTo } = margin;
  const k = firstAtLeast(values, value);
  if (k === values.length) return { from: 1, upTo: 1 };
  if (values[k] === value) return { from: from[k]!, upTo: upTo[k]! };
  if (k === 0) return { from: 0, upTo: 0 };
  const share = (value - values[k - 1]!) / (values[k]! - values[k - 1]!);
  const u = upTo[k - 1]! + share * (from[k]! - upTo[k - 1]!);
  return { from: u, upTo: u };
}

// Tails: beyond the k-th number from either end a generalised Pareto line stands for the numbers, within their range.

interface Knots {
  values: number[];
  from: number[];
  upTo: number[];
}

/** Rows that the tail is fitted to: this share of all, between the two bounds. */
const TAIL_SHARE = 0.02;
const MIN_TAIL_ROWS = 25;
const MAX_TAIL_ROWS = 500;
/** Points of the line that stands for a tail. */
const POINTS = 8;
/** Largest share of the rows in either tail of a small column. */
const MAX_SHARE = 0.1;

/**
 * Replaces the knots of the last rows at either end, up to the k-th row or the first atom, by the fitted tail's.
 * @param sorted the numbers, ascending; `atomRows` rows or more of one number are an atom.
 */
function addTails(
  knots: Knots,
  sorted: Float64Array,
  k: number,
  atomRows: number,
): { knots: Knots; withheld: Float64Array } {
  const rows = Math.min(k, Math.floor(sorted.length * MAX_SHARE));
  const mirrored = sorted.map((value) => -value).reverse();
  const above = tailOf(sorted, rows, atomRows);
  const below = tailOf(mirrored, rows, atomRows);
  const inner = { from: below.rows / sorted.length, upTo: (sorted.length - above.rows) / sorted.length };
  const kept = knots.values.flatMap((_, i) => (knots.from[i]! < inner.from || knots.upTo[i]! > inner.upTo ? [] : [i]));
  const low = below.points.map(({ value, u }) => ({ value: -value, u: 1 - u })).reverse();
  const withheld = [...mirrored.subarray(sorted.length - below.rows)].map((value) => -value).reverse();
  withheld.push(...sorted.subarray(sorted.length - above.rows));
  const line = (at: 'from' | 'upTo'): number[] => [
    ...low.map(({ u }) => u),
    ...kept.map((i) => knots[at][i]!),
    ...above.points.map(({ u }) => u),
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
  points: { value: number; u: number }[];
}

/** The upper tail of at most `most` rows: the numbers above the last atom, all of them equal numbers together. */
function tailOf(sorted: Float64Array, most: number, atomRows: number): Tail {
  const n = sorted.length;
  let rows = 0;
  while (rows < most) {
    let run = 1;
    while (run < n - rows && sorted[n - 1 - rows - run] === sorted[n - 1 - rows]) run++;
    if (run >= atomRows || rows + run >= n) break;
    rows += run;
  }
  if (rows === 0) return { rows, points: [] };
  const start = sorted[n - 1 - rows]!;
  const reach = sorted[n - 1]! - start;
  const excess = excessOf(sorted, rows, start);
  const points = Array.from({ length: POINTS }, (_, i) => {
    const share = (i + 1) / POINTS;
    return { value: start + excess(share) * reach, u: 1 - (rows / n) * (1 - share) };
  });
  return { rows, points };
}

/** The quantile function of the excess over `start` within its reach, from share 0 … 1 to 0 … 1. */
function excessOf(sorted: Float64Array, rows: number, start: number): (share: number) => number {
  const n = sorted.length;
  const reach = sorted[n - 1]! - start;
  const wanted = Math.min(MAX_TAIL_ROWS, Math.max(MIN_TAIL_ROWS, Math.round(n * TAIL_SHARE)));
  const inTail = Math.max(rows, Math.min(wanted, n - 1));
  const threshold = sorted[n - 1 - inTail]!;
  const over = sorted
    .subarray(n - inTail)
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

// The grid that a column's numbers lie on: whole numbers, decimals, multiples of five.

/** Decimals looked for, at most. */
const MAX_DECIMALS = 9;

/** All numbers are multiples of `multiple` / `scale`. */
interface Grid {
  scale: number;
  multiple: number;
}

/** The coarsest grid of `values` (finite numbers); null where there is none. */
export function findGrid(values: Float64Array): Grid | null {
  for (let decimals = 0; decimals <= MAX_DECIMALS; decimals++) {
    const multiple = commonDivisor(values, 10 ** decimals);
    if (multiple > 0) return { scale: 10 ** decimals, multiple };
  }
  return null;
}

/** The greatest common divisor of values · scale; 0 where one is no whole number or all are 0. */
function commonDivisor(values: Float64Array, scale: number): number {
  let divisor = 0;
  for (let i = 0; i < values.length; i++) {
    let rest = Math.abs(Math.round(values[i]! * scale));
    if (!Number.isSafeInteger(rest) || Math.round(values[i]! * scale) / scale !== values[i]!) return 0;
    while (rest > 0) [divisor, rest] = [rest, divisor % rest];
  }
  return divisor;
}

/** The nearest number on the grid, as a decimal is written. */
export const onGrid = (grid: Grid | null, value: number): number =>
  grid === null ? value : (Math.round((value * grid.scale) / grid.multiple) * grid.multiple) / grid.scale;

/** The distance of neighbours on the grid; 0 where there is none. */
export const gridStep = (grid: Grid | null): number => (grid === null ? 0 : grid.multiple / grid.scale);
