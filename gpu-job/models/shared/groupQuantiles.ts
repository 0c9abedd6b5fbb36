/**
 * How a column lies within groups of rows, by quantiles, and places carried over to them: rows keep their order within a
 * group. Steps are equal, and halved again and again towards both ends: of a cost that ninety-nine rows in a hundred do not
 * have, all that varies lies beyond the last equal step.
 */
import { z } from 'zod';
import type { JsonValue } from '../model.ts';
import { float64Schema, int32Schema, saveArray } from './savedArrays.ts';

/** Group `groups[i]` has the quantiles `quantiles[i (KNOTS + 1)]` …, at `SHARES`. */
export const groupQuantilesSchema = z.object({ groups: int32Schema, quantiles: float64Schema });
export type GroupQuantiles = z.infer<typeof groupQuantilesSchema>;

const EQUAL_STEPS = 32;
/** 1/64 … 1/2048 of a group, at either end. */
const HALVINGS = 6;
/** Rows beyond a quantile of a halved step, at least: fewer tell more of themselves than of their group. */
const ROWS_BEYOND = 50;
const HALVED = Array.from({ length: HALVINGS }, (_, k) => 1 / (EQUAL_STEPS * 2 ** (HALVINGS - k)));
/** Shares of a group at which its quantiles stand, ascending. */
export const SHARES = Float64Array.from([
  0,
  ...HALVED,
  ...Array.from({ length: EQUAL_STEPS - 1 }, (_, k) => (k + 1) / EQUAL_STEPS),
  ...HALVED.map((share) => 1 - share).reverse(),
  1,
]);
const KNOTS = SHARES.length - 1;

/** Rows with a place (it is not NaN) by group; groups are small whole numbers from -1 on. */
function rowsByGroup(groupOf: Int32Array, places: Float64Array): Map<number, Int32Array> {
  const sizes: number[] = [];
  for (let row = 0; row < groupOf.length; row++) {
    const at = groupOf[row]! + 1;
    if (!Number.isNaN(places[row]!)) sizes[at] = (sizes[at] ?? 0) + 1;
  }
  const rows = sizes.map((size) => new Int32Array(size));
  const filled = new Int32Array(sizes.length);
  for (let row = 0; row < groupOf.length; row++) {
    const at = groupOf[row]! + 1;
    if (!Number.isNaN(places[row]!)) rows[at]![filled[at]!++] = row;
  }
  return new Map(rows.flatMap((own, at): [number, Int32Array][] => [[at - 1, own]]));
}

/** A loop, since `from` with a function asks an iterator for each of millions of rows. */
function placesAt(places: Float64Array, rows: Int32Array): Float64Array {
  const out = new Float64Array(rows.length);
  for (let i = 0; i < rows.length; i++) out[i] = places[rows[i]!]!;
  return out;
}

/**
 * Of groups with `least` rows, the `most` largest; null where there is none, or all rows are of one group.
 * @param places n, on [0, 1], NaN where the cell is missing.
 */
export function fitGroupQuantiles(
  groupOf: Int32Array,
  places: Float64Array,
  { least, most }: { least: number; most: number },
): GroupQuantiles | null {
  const groups = rowsByGroup(groupOf, places);
  const kept = [...groups]
    .filter(([, rows]) => rows.length >= least)
    .sort(([a, one], [b, other]) => other.length - one.length || a - b)
    .slice(0, most);
  // Of one group alone the margin says it all.
  if (kept.length === 0 || groups.size === 1) return null;
  const quantiles = kept.flatMap(([, rows]) => [...knotsOf(placesAt(places, rows))]);
  return { groups: Int32Array.from(kept, ([group]) => group), quantiles: Float64Array.from(quantiles) };
}

/** Brings the places of each group of `least` rows, in `places` itself, to the quantiles that it has in the data; NaN stays. */
export function rakeGroups(
  places: Float64Array,
  groupOf: Int32Array,
  { groups, quantiles }: GroupQuantiles,
  least: number,
): void {
  const rowsOf = rowsByGroup(groupOf, places);
  groups.forEach((group, i) => {
    const rows = rowsOf.get(group);
    if (!rows || rows.length < least) return;
    const inGroup = placesAt(places, rows);
    const carry = carrier(knotsOf(inGroup), quantiles.subarray(i * (KNOTS + 1), (i + 1) * (KNOTS + 1)));
    for (let at = 0; at < rows.length; at++) places[rows[at]!] = carry(inGroup[at]!);
  });
}

/** Rows from which on quantiles are read off counts in boxes: sorting would take longer than all else. */
const MANY_ROWS = 4000;
const BOXES = 16_384;

/** Quantiles of `values`, on [0, 1], in any order. */
export function knotsOf(values: Float64Array): Float64Array {
  return straightEnds(
    values.length < MANY_ROWS ? knotsOfFew(values.slice().sort()) : knotsOfMany(values),
    values.length,
  );
}

/** Quantiles beyond which too few of `rows` lie are put on the line to the end. */
function straightEnds(knots: Float64Array, rows: number): Float64Array {
  const least = Math.min(1 / EQUAL_STEPS, ROWS_BEYOND / rows);
  const first = SHARES.findIndex((share) => share >= least);
  const onLine = (k: number, from: number, to: number): number =>
    knots[from]! + ((SHARES[k]! - SHARES[from]!) / (SHARES[to]! - SHARES[from]!)) * (knots[to]! - knots[from]!);
  return knots.map((knot, k) => {
    if (k > 0 && k < first) return onLine(k, 0, first);
    return k > KNOTS - first && k < KNOTS ? onLine(k, KNOTS - first, KNOTS) : knot;
  });
}

function knotsOfFew(sorted: Float64Array): Float64Array {
  const last = sorted.length - 1;
  return Float64Array.from({ length: KNOTS + 1 }, (_, k) => {
    const at = SHARES[k]! * last;
    const low = Math.floor(at);
    return sorted[low]! + (at - low) * (sorted[Math.min(last, low + 1)]! - sorted[low]!);
  });
}

/** Right to a box's width: values of a box are taken to lie evenly in it. */
function knotsOfMany(values: Float64Array): Float64Array {
  const counts = new Int32Array(BOXES);
  let [least, greatest] = [1, 0];
  for (const value of values) {
    counts[Math.min(BOXES - 1, Math.floor(value * BOXES))]!++;
    if (value < least) least = value;
    if (value > greatest) greatest = value;
  }
  const knots = new Float64Array(KNOTS + 1);
  let [box, below] = [0, 0];
  for (let k = 1; k < KNOTS; k++) {
    const wanted = SHARES[k]! * values.length;
    while (below + counts[box]! < wanted) below += counts[box++]!;
    const at = (box + (wanted - below) / counts[box]!) / BOXES;
    knots[k] = Math.min(greatest, Math.max(least, at));
  }
  knots[0] = least;
  knots[KNOTS] = greatest;
  return knots;
}

/** Parts of [0, 1] that know their interval: from there it is a step or two, where a search takes five. */
const PARTS = 64;

/** Carries a number on [0, 1] over from one line of knots to the other, both ascending. */
function carrier(own: Float64Array, real: Float64Array): (x: number) => number {
  const firstOf = new Int32Array(PARTS + 1);
  for (let part = 0, k = 0; part <= PARTS; part++) {
    while (k < KNOTS - 1 && own[k + 1]! < part / PARTS) k++;
    firstOf[part] = k;
  }
  return (x) => {
    // The first interval whose end reaches x, or the last.
    let k = firstOf[Math.floor(x * PARTS)]!;
    while (k < KNOTS - 1 && own[k + 1]! < x) k++;
    const width = own[k + 1]! - own[k]!;
    const share = width > 0 ? Math.min(1, Math.max(0, (x - own[k]!) / width)) : 0.5;
    return real[k]! + share * (real[k + 1]! - real[k]!);
  };
}

export const saveGroupQuantiles = ({ groups, quantiles }: GroupQuantiles): JsonValue => ({
  groups: saveArray(groups),
  quantiles: saveArray(quantiles),
});
