/**
 * How a column lies within the levels of categories. What a model of all rows has blurred between levels is brought back
 * by quantiles, one category after the other (raking; Deming and Stephan, 1940): rows keep their order within a level.
 */
import { z } from 'zod';
import type { RandomStream } from '../../../numerics/random/stream.ts';
import { classesOf, type SeenColumn, seenColumnSchema } from '../categorical/features.ts';
import type { JsonValue, ModelTable } from '../model.ts';
import { fitGroupQuantiles, groupQuantilesSchema, rakeGroups, saveGroupQuantiles } from './groupQuantiles.ts';

/** Groups are the classes of `classesOf`. */
export const levelQuantilesSchema = z.array(z.object({ seen: seenColumnSchema, levels: groupQuantilesSchema }));
export type LevelQuantiles = z.infer<typeof levelQuantilesSchema>;

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
    const levelOf = levelsIn(table, seen);
    if (!levelOf || found.length === MOST_CATEGORIES) continue;
    const levels = fitGroupQuantiles(levelOf, places, { least: LEAST_ROWS, most: MOST_LEVELS });
    if (levels) found.push({ seen, levels });
  }
  return found;
}

/**
 * The places of rows that stand for the whole table (`table` has the categories of the fit), each level's brought to the
 * quantiles that it has in the data; NaN stays.
 */
export function rakePlaces(places: Float64Array, of: LevelQuantiles, table: ModelTable): Float64Array {
  const raked = places.slice();
  for (const { seen, levels } of [...of].reverse()) {
    const levelOf = levelsIn(table, seen);
    if (levelOf) rakeGroups(raked, levelOf, levels, LEAST_ROWS);
  }
  return raked;
}

/** The places in the same order, one in each n-th part of [0, 1]: the margin comes out as it is. NaN stays. */
export function evenPlaces(places: Float64Array, random: RandomStream): Float64Array {
  const order = orderOf(places);
  const even = places.slice();
  order.forEach((row, rank) => {
    even[row] = (rank + random.uniform()) / order.length;
  });
  return even;
}

/** Parts of [0, 1] that are told apart; below, rows are in their own order. With 2 ** 21 rows they fill a number's 53 bits. */
const PARTS = 2 ** 31;
const MOST_ROWS = 2 ** 21;

/** Rows that have a place, by their places: numbers that hold both sort without a call for each comparison. */
function orderOf(places: Float64Array): Int32Array {
  const keys = new Float64Array(places.length);
  let there = 0;
  for (let row = 0; row < places.length; row++) {
    const place = places[row]!;
    if (!Number.isNaN(place)) keys[there++] = Math.floor(place * PARTS) * MOST_ROWS + row;
  }
  const sorted = keys.subarray(0, there).sort();
  const order = new Int32Array(there);
  for (let rank = 0; rank < there; rank++) order[rank] = sorted[rank]! % MOST_ROWS;
  return order;
}

/** Undefined for numbers. */
function levelsIn(table: ModelTable, seen: SeenColumn): Int32Array | undefined {
  const column = table.columns.get(seen.name);
  return seen.levels !== null && column?.kind === 'category' ? classesOf(column, seen.levels) : undefined;
}

export const saveLevelQuantiles = (of: LevelQuantiles): JsonValue =>
  of.map(({ seen, levels }) => ({ seen: { ...seen }, levels: saveGroupQuantiles(levels) }));
