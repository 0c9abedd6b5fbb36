/** The order in which columns are made, and which of those before it each one's tree asks: by information. */
import type { Steps } from '../../../numerics/regression/steps.ts';
import { chainOrder } from '../categorical/chainOrder.ts';
import { levelCounts } from '../categorical/countTable.ts';
import { classesOf } from '../categorical/features.ts';
import { gainsOf, type Levels } from '../categorical/information.ts';
import type { CategoryColumn } from '../model.ts';
import type { NumberColumn } from './numberColumn.ts';

/** Numbers are looked at in so many classes of equal weight, and a heap is in one of them. */
const CLASSES = 16;
/** Cells looked at, at most: with more columns, fewer rows are looked at. */
const MOST_CELLS = 2e8;
/** Columns that one tree asks, at most: those that tell most. */
export const MOST_FEATURES = 24;

export interface Arrangement {
  /** Indices of the columns of numbers. */
  order: number[];
  /** By column: what its tree asks, indices into the categories and then the numbers. */
  asks: number[][];
}

/** The first `there` numbers are made already: they are asked, and are not in the order. Steps: a column each. */
export function* arrangeColumns(
  categories: readonly CategoryColumn[],
  numbers: readonly NumberColumn[],
  rows: Int32Array,
  there = 0,
): Steps<Arrangement> {
  const count = categories.length + numbers.length;
  const stride = Math.max(1, Math.ceil((rows.length * count ** 2) / MOST_CELLS));
  const levels = [
    ...categories.map((column) => levelsOf(column, rows, stride)),
    ...numbers.map(({ from, upTo }) => classesOfPlaces(from, upTo, stride)),
  ];
  const gains: number[][] = [];
  for (const column of levels.keys()) {
    gains.push(gainsOf(levels, column));
    yield;
  }
  const first = categories.length;
  const given = first + there;
  const before = Array.from({ length: given }, (_, column) => column);
  const asks: number[][] = numbers.map(() => []);
  const order: number[] = [];
  for (const { column } of chainOrder(gains, given)) {
    const telling = [...before].sort((a, b) => (gains[b]![column] ?? 0) - (gains[a]![column] ?? 0) || a - b);
    asks[column - first] = telling.slice(0, MOST_FEATURES);
    order.push(column - first);
    before.push(column);
  }
  return { order, asks };
}

function levelsOf(column: CategoryColumn, rows: Int32Array, stride: number): Levels {
  const all = classesOf(column, column.levels);
  const levels = Int32Array.from({ length: Math.ceil(rows.length / stride) }, (_, i) => all[rows[i * stride]!]!);
  const kinds = column.levels.length + 1;
  return { levels, kinds, counts: levelCounts(levels, kinds) };
}

function classesOfPlaces(from: Float64Array, upTo: Float64Array, stride: number): Levels {
  const levels = Int32Array.from({ length: Math.ceil(from.length / stride) }, (_, i) => {
    const place = (from[i * stride]! + upTo[i * stride]!) / 2;
    return Number.isNaN(place) ? 0 : 1 + Math.min(CLASSES - 1, Math.floor(place * CLASSES));
  });
  return { levels, kinds: CLASSES + 1, counts: levelCounts(levels, CLASSES + 1) };
}
