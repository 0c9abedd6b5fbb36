/**
 * A column's distribution over u (cumulative probability): atoms keep their weight, and lines join other numbers. Top-
 * and bottom-coding ends the released margin where at least k rows reach.
 */
import { z } from 'zod';
import type { RandomStream } from '../../numerics/random/stream.ts';
import { takeNumbers } from '../../numerics/rows.ts';
import { firstAbove, firstAtLeast } from '../../numerics/search.ts';
import { fitLattices, type Grid, type Lattices, latticesSchema, toLattice } from '../models/shared/lattices.ts';
import { float64Schema } from '../models/shared/savedArrays.ts';

/** Knots ascend. An atom has `from` < `upTo`: P(X < v) and P(X ≤ v). At a point of the line the two are one. */
export const marginSchema = z.object({
  values: float64Schema,
  from: float64Schema,
  upTo: float64Schema,
  grid: z.object({ scale: z.number(), multiple: z.number() }).nullable(),
  lattices: latticesSchema.nullable().default(null),
  coded: z.int(),
});

export interface Margin extends Knots {
  grid: Grid | null;
  lattices: Lattices | null;
  /** Rows beyond the margin's ends. */
  coded: number;
}

interface Knots {
  values: Float64Array;
  from: Float64Array;
  upTo: Float64Array;
}

export const CODED_NOTE =
  'were not released: values end where at least five rows lie at or beyond them. Set keep_rare to release all.';

const FEW_NUMBERS = 30;
const MAX_KNOTS = 10_000;

/**
 * Returns the margin of all numbers, which defines their u, and the released one.
 * @param numbers finite, not empty.
 * @param k minimum rows of an atom, and at or beyond the released ends.
 */
export function fitMargins(
  numbers: Float64Array,
  k: number,
  { keepRare = false }: { keepRare?: boolean } = {},
): { whole: Margin; released: Margin } {
  const sorted = Float64Array.from(numbers).sort();
  const runs = runsOf(sorted);
  const isFew = runs.length <= FEW_NUMBERS && sorted.length >= 2 * runs.length;
  const knots = knotsOf(sorted, runs, isFew ? 1 : Math.max(k, Math.ceil((2 * sorted.length) / MAX_KNOTS)));
  const grid = findGrid(sorted);
  const lattices = fitLattices(numbersOnLine(knots, runs, sorted.length), grid);
  const whole = { ...thinned(knots), grid, lattices, coded: 0 };
  if (keepRare) return { whole, released: whole };
  const { knots: ended, rows } = codedEnds(knots, sorted, k);
  return { whole, released: { ...whole, ...thinned(blocked(ended, sorted, k)), coded: rows } };
}

/**
 * Between two atoms, keeps the end points and replaces the rest by boundaries of blocks (≥ k rows, midpoints), so that
 * no single row's number is released.
 */
function blocked({ values, from, upTo }: Knots, sorted: Float64Array, k: number): Knots {
  const out: { value: number; from: number; upTo: number }[] = [];
  const isPoint = (i: number): boolean => i >= 0 && i < values.length && from[i] === upTo[i];
  let rows = 0;
  for (let i = 0; i < values.length; i++) {
    const isInside = isPoint(i - 1) && isPoint(i) && isPoint(i + 1);
    if (!isInside) {
      out.push({ value: values[i]!, from: from[i]!, upTo: upTo[i]! });
      rows = 0;
      continue;
    }
    rows += firstAbove(sorted, values[i]!) - firstAtLeast(sorted, values[i]!);
    if (rows < k || !isPoint(i + 2)) continue;
    const u = (from[i]! + from[i + 1]!) / 2;
    out.push({ value: (values[i]! + values[i + 1]!) / 2, from: u, upTo: u });
    rows = 0;
  }
  return {
    values: Float64Array.from(out, ({ value }) => value),
    from: Float64Array.from(out, (knot) => knot.from),
    upTo: Float64Array.from(out, (knot) => knot.upTo),
  };
}

/** Weights points by the rows on their line segments. */
function numbersOnLine({ values, from, upTo }: Knots, runs: Int32Array, n: number) {
  const isPoint = (i: number): boolean => i >= 0 && i < values.length && from[i] === upTo[i];
  const sides = values.map((_, i) => (isPoint(i) ? Number(isPoint(i - 1)) + Number(isPoint(i + 1)) : 0));
  const kept = [...values.keys()].filter((i) => sides[i]! > 0);
  return {
    values: takeNumbers(values, kept),
    weights: Float64Array.from(kept, (i) => (sides[i]! * ((runs[i + 1] ?? n) - runs[i]!)) / 2),
  };
}

export const fitMargin = (numbers: Float64Array, k: number, released: { keepRare?: boolean } = {}): Margin =>
  fitMargins(numbers, k, released).released;

function runsOf(sorted: Float64Array): Int32Array {
  const starts: number[] = [];
  for (let i = 0; i < sorted.length; i++) if (i === 0 || sorted[i] !== sorted[i - 1]) starts.push(i);
  return Int32Array.from(starts);
}

function knotsOf(sorted: Float64Array, runs: Int32Array, atomRows: number): Knots {
  const n = sorted.length;
  const at = ({ isUpper }: { isUpper: boolean }): Float64Array =>
    Float64Array.from(runs, (start, r) => {
      const end = runs[r + 1] ?? n;
      if (end - start < atomRows) return (start + end) / 2 / n;
      return (isUpper ? end : start) / n;
    });
  return {
    values: Float64Array.from(runs, (start) => sorted[start]!),
    from: at({ isUpper: false }),
    upTo: at({ isUpper: true }),
  };
}

function thinned(knots: Knots): Knots {
  const count = knots.values.length;
  const stride = Math.ceil(count / MAX_KNOTS);
  if (stride === 1) return knots;
  const ends = stride * TAIL_POINTS;
  const isKept = (i: number): boolean =>
    knots.from[i] !== knots.upTo[i] || i < ends || i >= count - ends || i % stride === 0;
  return takeKnots(
    knots,
    [...knots.values.keys()].filter((i) => isKept(i)),
  );
}

const takeKnots = ({ values, from, upTo }: Knots, kept: readonly number[]): Knots => ({
  values: takeNumbers(values, kept),
  from: takeNumbers(from, kept),
  upTo: takeNumbers(upTo, kept),
});

const TAIL_POINTS = 20;

/** Returns the number at u (0 to 1) on the grid. */
export function numberAt(margin: Margin, u: number): number {
  const { value } = pointAt(margin, u);
  return onGrid(margin.grid, value);
}

/** As `numberAt`, on a random lattice. */
export function drawNumber(margin: Margin, u: number, random: RandomStream): number {
  const { value, isOnLine } = pointAt(margin, u);
  const { values, lattices, grid } = margin;
  const moved = isOnLine && lattices ? toLattice(lattices, grid, value, random, (x) => isFree(margin, x)) : undefined;
  // Rounding must not leave the margin.
  return Math.min(values.at(-1)!, Math.max(values[0]!, moved ?? onGrid(grid, value)));
}

/** Excludes atoms, which already have their weight. */
function isFree({ values, from, upTo }: Margin, value: number): boolean {
  const k = firstAtLeast(values, value);
  if (k === values.length || value < values[0]!) return false;
  return values[k] !== value || from[k] === upTo[k];
}

function pointAt({ values, from, upTo }: Margin, u: number): { value: number; isOnLine: boolean } {
  const k = Math.min(firstAtLeast(upTo, u), values.length - 1);
  if (k === 0 || u >= from[k]!) return { value: values[k]!, isOnLine: false };
  const share = (u - upTo[k - 1]!) / (from[k]! - upTo[k - 1]!);
  const [fromAtom, toAtom] = [from[k - 1]! < upTo[k - 1]!, from[k]! < upTo[k]!];
  // No line leads from an atom, since nothing may lie beside it.
  if (fromAtom || toAtom) {
    const part = fromAtom === toAtom ? Math.round(share) : Number(fromAtom);
    return { value: values[k - 1 + part]!, isOnLine: false };
  }
  return { value: (1 - share) * values[k - 1]! + share * values[k]!, isOnLine: true };
}

/** Spreads each u on an atom over its width. */
export const spreadAtoms = ({ from, upTo }: Margin, u: Float64Array, random: RandomStream): Float64Array =>
  u.map((own) => {
    const k = firstAtLeast(upTo, own);
    const isAtom = k < upTo.length && from[k]! < upTo[k]! && own >= from[k]!;
    return isAtom ? from[k]! + random.uniform() * (upTo[k]! - from[k]!) : own;
  });

/** Returns P(X < v) and P(X ≤ v), equal on the line. */
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

/** Rounds numbers outside the column to the grid, or to the nearer knot beside atoms. */
export function nearestRange(margin: Margin, value: number): { from: number; upTo: number } {
  const { values, from, upTo } = margin;
  const own = onGrid(margin.grid, Math.min(values.at(-1)!, Math.max(values[0]!, value)));
  const k = firstAtLeast(values, own);
  if (k === 0 || k === values.length || values[k] === own) return uRangeOf(margin, own);
  const isLine = from[k - 1] === upTo[k - 1] && from[k] === upTo[k];
  if (isLine) return uRangeOf(margin, own);
  return uRangeOf(margin, own - values[k - 1]! < values[k]! - own ? values[k - 1]! : values[k]!);
}

// Whoever knows the tallest person would recognise a height near theirs.

/** Small tables must keep a margin. */
const MAX_SHARE = 0.25;

function rowsBeyond(sorted: Float64Array, k: number): number {
  const needed = Math.min(k, Math.floor(sorted.length * MAX_SHARE));
  let rows = 0;
  while (rows < needed) {
    const run = runEndingAt(sorted, sorted.length - 1 - rows);
    if (run >= needed || rows + run === sorted.length) break;
    rows += run;
  }
  return rows;
}

function runEndingAt(sorted: Float64Array, at: number): number {
  let run = 1;
  while (run <= at && sorted[at - run] === sorted[at]) run++;
  return run;
}

const negated = (sorted: Float64Array): Float64Array => sorted.map((value) => -value).reverse();

/** At least k rows lie at or beyond each end. */
export function releasedRange(numbers: Float64Array, k: number): { min: number; max: number } {
  const sorted = Float64Array.from(numbers).sort();
  const last = (ascending: Float64Array): number => ascending[ascending.length - 1 - rowsBeyond(ascending, k)]!;
  return { min: -last(negated(sorted)), max: last(sorted) };
}

/** Drops numbers that fewer than k rows reach. */
function codedEnds(knots: Knots, sorted: Float64Array, k: number): { knots: Knots; rows: number } {
  const mirrored = negated(sorted);
  const [above, below] = [rowsBeyond(sorted, k), rowsBeyond(mirrored, k)];
  const topped = codedTop(knots, sorted, above, k);
  return { knots: mirror(codedTop(mirror(topped), mirrored, below, k)), rows: above + below };
}

const mirror = ({ values, from, upTo }: Knots): Knots => ({
  values: negated(values),
  from: upTo.map((u) => 1 - u).reverse(),
  upTo: from.map((u) => 1 - u).reverse(),
});

/** Moves the withheld share to as many rows before, or to an atom, so that no number stands out. */
function codedTop(knots: Knots, sorted: Float64Array, beyond: number, k: number): Knots {
  if (beyond === 0) return knots;
  const n = sorted.length;
  const last = firstAtLeast(knots.values, sorted[n - 1 - beyond]!);
  const kept = takeKnots(knots, [...knots.values.keys()].slice(0, last + 1));
  const taking = rowsTaking(sorted, beyond, k);
  if (taking === 0) {
    kept.from[last] = (n - beyond - runEndingAt(sorted, n - 1 - beyond)) / n;
    kept.upTo[last] = 1;
    return kept;
  }
  const start = (n - beyond - taking) / n;
  const wider = (1 - start) / (kept.upTo[last]! - start);
  const stretched = (u: number): number => (u <= start ? u : Math.min(1, start + (u - start) * wider));
  return { values: kept.values, from: kept.from.map(stretched), upTo: kept.upTo.map(stretched) };
}

function rowsTaking(sorted: Float64Array, beyond: number, k: number): number {
  let rows = 0;
  while (rows < beyond) {
    const at = sorted.length - 1 - beyond - rows;
    const run = runEndingAt(sorted, at);
    if (run >= k || at + 1 - run < sorted.length / 2) break;
    rows += run;
  }
  return rows;
}

// The grid that a column's numbers lie on: whole numbers, decimals, multiples of five.

/** Decimals looked for, at most. */
const MAX_DECIMALS = 9;

/** Returns the coarsest grid, or null. */
export function findGrid(values: Float64Array): Grid | null {
  for (let decimals = 0; decimals <= MAX_DECIMALS; decimals++) {
    const multiple = commonDivisor(values, 10 ** decimals);
    if (multiple > 0) return { scale: 10 ** decimals, multiple };
  }
  return null;
}

/** Returns 0 if a scaled value is not whole. */
function commonDivisor(values: Float64Array, scale: number): number {
  let divisor = 0;
  for (let i = 0; i < values.length; i++) {
    let rest = Math.abs(Math.round(values[i]! * scale));
    if (!Number.isSafeInteger(rest) || Math.round(values[i]! * scale) / scale !== values[i]!) return 0;
    while (rest > 0) [divisor, rest] = [rest, divisor % rest];
  }
  return divisor;
}

/** Rounds to the grid as a decimal is written. */
export const onGrid = (grid: Grid | null, value: number): number =>
  grid === null ? value : (Math.round((value * grid.scale) / grid.multiple) * grid.multiple) / grid.scale;

export const gridStep = (grid: Grid | null): number => (grid === null ? 0 : grid.multiple / grid.scale);
