/**
 * The distribution of a column's numbers, as its places on [0, 1]: heaps keep their weight and come out as they are,
 * between single numbers lies a line, and beyond the k-th largest and smallest a fitted tail stands for the numbers.
 */
import { z } from 'zod';
import { firstAtLeast } from '../../../numerics/distributions/empirical.ts';
import type { RandomStream } from '../../../numerics/random/stream.ts';
import type { JsonValue } from '../model.ts';
import { findGrid, onGrid } from './grid.ts';
import { float64Schema, saveArray } from './savedArrays.ts';
import { addTails, type Knots } from './tails.ts';

/** Knots ascend. A heap has places `from` < `upTo`: P(X < v) and P(X ≤ v). A point of the line has one place. */
export const marginSchema = z.object({
  values: float64Schema,
  from: float64Schema,
  upTo: float64Schema,
  grid: z.object({ scale: z.number(), multiple: z.number() }).nullable(),
  /** Numbers that do not come out: those that the tails stand for. Ascending. */
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
export const WITHHELD_NOTE = 'were not released: fitted tails stand in their place. Send keep_rare: true to keep them.';

/** A column of at most so many numbers, each of several rows, has only heaps. */
const FEW_NUMBERS = 30;
/** Knots, about: larger columns are thinned. */
const MOST_KNOTS = 10_000;

/**
 * @param numbers finite, at least one.
 * @param k rows that a number needs to be a heap, and rows in each tail.
 * @param keepRare the largest and smallest numbers come out as they are.
 */
export function fitMargin(numbers: Float64Array, k: number, keepRare = false): Margin {
  const sorted = Float64Array.from(numbers).sort();
  const runs = runsOf(sorted);
  const isFew = runs.length <= FEW_NUMBERS && sorted.length >= 2 * runs.length;
  const heapRows = isFew ? 1 : Math.max(k, Math.ceil((2 * sorted.length) / MOST_KNOTS));
  const grid = findGrid(sorted);
  const { knots, withheld } =
    isFew || keepRare
      ? { knots: knotsOf(sorted, runs, heapRows), withheld: new Float64Array(0) }
      : addTails(knotsOf(sorted, runs, heapRows), sorted, k, heapRows);
  const { values, from, upTo } = thinned(knots);
  return { values: onLine(values), from: onLine(from), upTo: onLine(upTo), grid, withheld };
}

const onLine = (numbers: number[]): Float64Array => Float64Array.from(numbers);

/** First places of runs of equal numbers. */
function runsOf(sorted: Float64Array): Int32Array {
  const starts: number[] = [];
  for (let i = 0; i < sorted.length; i++) if (i === 0 || sorted[i] !== sorted[i - 1]) starts.push(i);
  return Int32Array.from(starts);
}

function knotsOf(sorted: Float64Array, runs: Int32Array, heapRows: number): Knots {
  const knots: Knots = { values: [], from: [], upTo: [] };
  const n = sorted.length;
  runs.forEach((start, r) => {
    const end = runs[r + 1] ?? n;
    const isHeap = end - start >= heapRows;
    knots.values.push(sorted[start]!);
    knots.from.push(isHeap ? start / n : (start + end) / 2 / n);
    knots.upTo.push(isHeap ? end / n : (start + end) / 2 / n);
  });
  return knots;
}

/** Heaps stay, and so do the ends; of the points between them every so many. */
function thinned(knots: Knots): Knots {
  const count = knots.values.length;
  const stride = Math.ceil(count / MOST_KNOTS);
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

/** The number at a place (0 to 1). */
export function numberAt(margin: Margin, place: number): number {
  const k = Math.min(firstAtLeast(margin.upTo, place), margin.values.length - 1);
  const { values, from, upTo } = margin;
  if (k === 0 || place >= from[k]!) return released(margin, onGrid(margin.grid, values[k]!));
  const share = (place - upTo[k - 1]!) / (from[k]! - upTo[k - 1]!);
  // Beside a heap there may be nothing at all: no line leads away from it.
  const isBroken = from[k - 1]! < upTo[k - 1]! || from[k]! < upTo[k]!;
  const part = isBroken ? Math.round(share) : share;
  return released(margin, onGrid(margin.grid, (1 - part) * values[k - 1]! + part * values[k]!));
}

/** Places that fall on a heap, anywhere on its width: all of them are its number. */
export const spreadPlaces = ({ from, upTo }: Margin, places: Float64Array, random: RandomStream): Float64Array =>
  places.map((place) => {
    const k = firstAtLeast(upTo, place);
    const isHeap = k < upTo.length && from[k]! < upTo[k]! && place >= from[k]!;
    return isHeap ? from[k]! + random.uniform() * (upTo[k]! - from[k]!) : place;
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

/** Places of a number: those of its heap, or twice the same place on the line. */
export function placesOf(margin: Margin, value: number): { from: number; upTo: number } {
  const { values, from, upTo } = margin;
  const k = firstAtLeast(values, value);
  if (k === values.length) return { from: 1, upTo: 1 };
  if (values[k] === value) return { from: from[k]!, upTo: upTo[k]! };
  if (k === 0) return { from: 0, upTo: 0 };
  const share = (value - values[k - 1]!) / (values[k]! - values[k - 1]!);
  const place = upTo[k - 1]! + share * (from[k]! - upTo[k - 1]!);
  return { from: place, upTo: place };
}
