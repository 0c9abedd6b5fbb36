/** A column's places on [0, 1] within the leaves of its tree: ranks of rows in their leaf, and back from rank to place. */
import type { RandomStream } from '../../../numerics/random/stream.ts';

/** Leaf l has the entries start[l] … start[l + 1] - 1, ascending. A heap has from < upTo, a point of the line one place. */
export interface LeafPlaces {
  start: Int32Array;
  from: Float64Array;
  upTo: Float64Array;
}

/** Entries of a leaf, at most: larger leaves keep evenly spaced ones. */
const MOST_ENTRIES = 4096;

/** Places of n rows, and the leaf of each, 0 … leaves - 1. */
export interface PlacedRows {
  leafOf: Int32Array;
  leaves: number;
  from: Float64Array;
  upTo: Float64Array;
}

/** Ranks (n, in (0, 1)): each row's place among those of its leaf, equal ones in random order, and random within its own. */
export function rankInLeaves(rows: PlacedRows, random: RandomStream): { ranks: Float64Array; places: LeafPlaces } {
  const { leafOf, leaves, from, upTo } = rows;
  const n = leafOf.length;
  const start = startsOf(leafOf, leaves);
  const next = start.slice();
  const order = new Int32Array(n);
  for (let row = 0; row < n; row++) order[next[leafOf[row]!]!++] = row;
  const tie = Float64Array.from({ length: n }, () => random.uniform());
  const ranks = new Float64Array(n);
  for (let leaf = 0; leaf < leaves; leaf++) {
    const own = order.subarray(start[leaf]!, start[leaf + 1]!);
    own.sort((a, b) => from[a]! - from[b]! || upTo[a]! - upTo[b]! || tie[a]! - tie[b]!);
    own.forEach((row, rank) => {
      ranks[row] = (rank + random.uniform()) / own.length;
    });
  }
  return { ranks, places: keep(start, order, rows) };
}

function startsOf(leafOf: Int32Array, leaves: number): Int32Array {
  const start = new Int32Array(leaves + 1);
  for (const leaf of leafOf) start[leaf + 1]!++;
  for (let leaf = 0; leaf < leaves; leaf++) start[leaf + 1]! += start[leaf]!;
  return start;
}

function keep(start: Int32Array, order: Int32Array, { from, upTo }: PlacedRows): LeafPlaces {
  const kept: number[] = [];
  const begins = start.map((begin, leaf) => {
    const first = kept.length;
    const size = (start[leaf + 1] ?? begin) - begin;
    const entries = Math.min(size, MOST_ENTRIES);
    for (let i = 0; i < entries; i++) kept.push(order[begin + Math.floor(((i + 0.5) * size) / entries)]!);
    return first;
  });
  return {
    start: begins,
    from: Float64Array.from(kept, (row) => from[row]!),
    upTo: Float64Array.from(kept, (row) => upTo[row]!),
  };
}

/**
 * The place that stands at `rank` (in (0, 1)) of a leaf. Each entry has an equal share of the ranks: a heap stays where it
 * is, a point spreads half-way to its neighbours, and at the ends of the leaf as far outwards as inwards.
 */
export function placeAtRank({ start, from, upTo }: LeafPlaces, leaf: number, rank: number): number {
  const first = start[leaf]!;
  const last = start[leaf + 1]! - 1;
  const at = rank * (last - first + 1);
  const k = Math.min(first + Math.floor(at), last);
  const place = (from[k]! + upTo[k]!) / 2;
  if (from[k]! < upTo[k]!) return place;
  const below = k > first ? (place - upTo[k - 1]!) / 2 : Number.NaN;
  const above = k < last ? (from[k + 1]! - place) / 2 : Number.NaN;
  const share = 2 * (at - (k - first)) - 1;
  const reach = share < 0 ? orElse(below, above) : orElse(above, below);
  return place + share * Math.min(reach, place, 1 - place);
}

const orElse = (reach: number, other: number): number => {
  if (!Number.isNaN(reach)) return reach;
  return Number.isNaN(other) ? 0 : other;
};
