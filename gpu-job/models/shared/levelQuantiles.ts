/**
 * How a column lies within the levels of categories. What a model of all rows has blurred between levels is brought back
 * by quantiles, one category after the other (raking; Deming and Stephan, 1940): rows keep their order within a level.
 */
import { z } from 'zod';
import type { RandomStream } from '../../../numerics/random/stream.ts';
import { classesOf, type SeenColumn, seenColumnSchema } from '../categorical/features.ts';
import type { JsonValue, ModelTable } from '../model.ts';
import { float64Schema, int32Schema, saveArray } from './savedArrays.ts';

/** Level `classes[i]` has the quantiles `quantiles[i (KNOTS + 1)]` …, of equal steps; classes are those of `classesOf`. */
export const levelQuantilesSchema = z.array(
  z.object({ seen: seenColumnSchema, classes: int32Schema, quantiles: float64Schema }),
);
export type LevelQuantiles = z.infer<typeof levelQuantilesSchema>;

const KNOTS = 32;
/** Rows of a level, at least, in the data and among those made: the quantiles of fewer are single rows. */
const LEAST_ROWS = 200;
/** Categories, and levels of each, at most. */
const MOST_CATEGORIES = 8;
const MOST_LEVELS = 50;

/**
 * @param places n, each row's place on [0, 1] in the column's margin, spread over those of its heap; NaN where it is missing.
 * @param given categories of n rows, those that tell most of the column first.
 */
export function fitLevelQuantiles(
  places: Float64Array,
  given: readonly SeenColumn[],
  table: ModelTable,
): LevelQuantiles {
  const found: LevelQuantiles = [];
  for (const seen of given) {
    const levels = rowsByLevel(seen, table, (row) => !Number.isNaN(places[row]!));
    if (!levels || found.length === MOST_CATEGORIES) continue;
    const kept = [...levels]
      .filter(([, rows]) => rows.length >= LEAST_ROWS)
      .sort(([a, one], [b, other]) => other.length - one.length || a - b)
      .slice(0, MOST_LEVELS);
    // Of one level alone the margin says it all.
    if (kept.length === 0 || levels.size === 1) continue;
    const quantiles = kept.flatMap(([, rows]) => [...knotsOf(Float64Array.from(rows, (row) => places[row]!).sort())]);
    found.push({
      seen,
      classes: Int32Array.from(kept, ([level]) => level),
      quantiles: Float64Array.from(quantiles),
    });
  }
  return found;
}

/**
 * The places of rows that stand for the whole table (`table` has the categories of the fit), each level's brought to the
 * quantiles that it has in the data; NaN stays.
 */
export function rakePlaces(places: Float64Array, of: LevelQuantiles, table: ModelTable): Float64Array {
  const raked = places.slice();
  for (const { seen, classes, quantiles } of [...of].reverse()) {
    const levels = rowsByLevel(seen, table, (row) => !Number.isNaN(raked[row]!));
    classes.forEach((level, i) => {
      const rows = levels?.get(level);
      if (!rows || rows.length < LEAST_ROWS) return;
      const own = knotsOf(Float64Array.from(rows, (row) => raked[row]!).sort());
      const real = quantiles.subarray(i * (KNOTS + 1), (i + 1) * (KNOTS + 1));
      for (const row of rows) raked[row] = between(own, real, raked[row]!);
    });
  }
  return raked;
}

/** The places in the same order, one in each n-th part of [0, 1]: the margin comes out as it is. NaN stays. */
export function evenPlaces(places: Float64Array, random: RandomStream): Float64Array {
  const order = Int32Array.from(places.keys())
    .filter((row) => !Number.isNaN(places[row]!))
    .sort((a, b) => places[a]! - places[b]! || a - b);
  const even = places.slice();
  order.forEach((row, rank) => {
    even[row] = (rank + random.uniform()) / order.length;
  });
  return even;
}

/** Undefined for numbers. */
function rowsByLevel(
  seen: SeenColumn,
  table: ModelTable,
  isIn: (row: number) => boolean,
): Map<number, number[]> | undefined {
  const column = table.columns.get(seen.name);
  if (seen.levels === null || column?.kind !== 'category') return undefined;
  const rows = new Map<number, number[]>();
  classesOf(column, seen.levels).forEach((level, row) => {
    if (!isIn(row)) return;
    const own = rows.get(level);
    if (own) own.push(row);
    else rows.set(level, [row]);
  });
  return rows;
}

function knotsOf(sorted: Float64Array): Float64Array {
  const last = sorted.length - 1;
  return Float64Array.from({ length: KNOTS + 1 }, (_, k) => {
    const at = (k / KNOTS) * last;
    const low = Math.floor(at);
    return sorted[low]! + (at - low) * (sorted[Math.min(last, low + 1)]! - sorted[low]!);
  });
}

/** x carried over from one line of knots to the other, both ascending. */
function between(own: Float64Array, real: Float64Array, x: number): number {
  let k = 0;
  while (k < KNOTS - 1 && own[k + 1]! < x) k++;
  const width = own[k + 1]! - own[k]!;
  const share = width > 0 ? Math.min(1, Math.max(0, (x - own[k]!) / width)) : 0.5;
  return real[k]! + share * (real[k + 1]! - real[k]!);
}

export const saveLevelQuantiles = (of: LevelQuantiles): JsonValue =>
  of.map(({ seen, classes, quantiles }) => ({
    seen: { ...seen },
    classes: saveArray(classes),
    quantiles: saveArray(quantiles),
  }));
