/** The order in which columns are made, and which of those before it are each one's parents: by information. */

import { z } from 'zod';
import type { RandomStream } from '../../../numerics/random/stream.ts';
import type { Steps } from '../../../numerics/steps.ts';
import { type Margin, uRangeOf } from '../../disclosure/margin.ts';
import { chainOrder, gainsOf, type Levels, levelCounts } from '../categorical/columnOrder.ts';
import { classesOf } from '../categorical/features.ts';
import type { CategoryColumn, ModelTable, NumericColumn } from '../model.ts';

/** Numbers are looked at in so many classes of equal weight, and an atom is in one of them. */
const CLASSES = 16;
/** Cells looked at, at most: with more columns, fewer rows are looked at. */
const MAX_CELLS = 2e8;
/** Parents of one column, at most: the most informative. */
const MAX_FEATURES = 24;

export interface Arrangement {
  /** Indices of the columns of numbers. */
  order: number[];
  /** By column: its parents, indices into the categories and then the numbers. */
  parents: number[][];
}

interface Wishes {
  /** So many numbers, the first ones, are made already: they are parents, and not in the order. */
  there?: number;
  /** Numbers that are made before the others. */
  first?: readonly number[];
}

/** Steps: a column each. */
export function* arrangeColumns(
  categories: readonly CategoryColumn[],
  numbers: readonly NumberColumn[],
  rows: Int32Array,
  { there = 0, first: early = [] }: Wishes = {},
): Steps<Arrangement> {
  const count = categories.length + numbers.length;
  const stride = Math.max(1, Math.ceil((rows.length * count ** 2) / MAX_CELLS));
  const levels = [
    ...categories.map((column) => levelsOf(column, rows, stride)),
    ...numbers.map(({ from, upTo }) => classesOfU(from, upTo, stride)),
  ];
  const gains: number[][] = [];
  for (const column of levels.keys()) {
    gains.push(gainsOf(levels, column));
    yield;
  }
  const first = categories.length;
  const given = first + there;
  const before = Array.from({ length: given }, (_, column) => column);
  const parents: number[][] = numbers.map(() => []);
  const order: number[] = [];
  const chain = chainOrder(gains, given).map(({ column }) => column);
  const isEarly = (column: number): boolean => early.includes(column - first);
  for (const column of [...chain.filter(isEarly), ...chain.filter((own) => !isEarly(own))]) {
    const informative = [...before].sort((a, b) => (gains[b]![column] ?? 0) - (gains[a]![column] ?? 0) || a - b);
    parents[column - first] = informative.slice(0, MAX_FEATURES);
    order.push(column - first);
    before.push(column);
  }
  return { order, parents };
}

function levelsOf(column: CategoryColumn, rows: Int32Array, stride: number): Levels {
  const all = classesOf(column, column.levels);
  const levels = Int32Array.from({ length: Math.ceil(rows.length / stride) }, (_, i) => all[rows[i * stride]!]!);
  const kinds = column.levels.length + 1;
  return { levels, kinds, counts: levelCounts(levels, kinds) };
}

function classesOfU(from: Float64Array, upTo: Float64Array, stride: number): Levels {
  const levels = Int32Array.from({ length: Math.ceil(from.length / stride) }, (_, i) => {
    const u = (from[i * stride]! + upTo[i * stride]!) / 2;
    return Number.isNaN(u) ? 0 : 1 + Math.min(CLASSES - 1, Math.floor(u * CLASSES));
  });
  return { levels, kinds: CLASSES + 1, counts: levelCounts(levels, CLASSES + 1) };
}

// A column of numbers as the trees and the vine see it: each cell's u in its margin. n = rows examined.

/** n entries each, NaN where the cell is missing: P(X < x) and P(X ≤ x), equal but for atoms. */
export interface NumberColumn {
  name: string;
  from: Float64Array;
  upTo: Float64Array;
}

/** The given rows of a column, as u. */
export function uOfColumn(column: NumericColumn, margin: Margin, rows: Int32Array): NumberColumn {
  const from = new Float64Array(rows.length).fill(Number.NaN);
  const upTo = from.slice();
  rows.forEach((row, i) => {
    const value = column.values[row]!;
    if (!Number.isNaN(value)) ({ from: from[i], upTo: upTo[i] } = uRangeOf(margin, value));
  });
  return { name: column.name, from, upTo };
}

/** A u for each row, that of an atom at random over its width; NaN where the cell is missing. */
export const spreadCells = ({ from, upTo }: Omit<NumberColumn, 'name'>, random: RandomStream): Float64Array =>
  from.map((u, row) => u + random.uniform() * (upTo[row]! - u));

// Which category column says where a column of numbers has no cell, so that rows are drawn as they were fitted.

export const indicatorSchema = z.object({
  name: z.string(),
  /** The level that says that the cell is there. */
  there: z.string(),
});
export type MissingIndicator = z.infer<typeof indicatorSchema>;

/** The first indicator of `names` that agrees with the column in every row; null where no cell is missing, or none does. */
export function indicatorOf(
  column: NumericColumn,
  table: ModelTable,
  names: readonly string[],
): MissingIndicator | null {
  if (!column.values.some(Number.isNaN)) return null;
  for (const name of names) {
    const indicator = table.columns.get(name);
    if (indicator?.kind !== 'category' || !indicator.indicator) continue;
    const [there] = indicator.levels;
    const agrees = indicator.codes.every((code, row) => (code === 0) !== Number.isNaN(column.values[row]!));
    if (agrees && there !== undefined) return { name, there };
  }
  return null;
}

/** NaN in the rows of `values` in which the cell will be missing. */
export function hideMissing(
  values: Float64Array,
  missing: MissingIndicator | null,
  made: ModelTable['columns'],
): Float64Array {
  const indicator = missing && made.get(missing.name);
  if (indicator?.kind !== 'category') return values;
  const code = codeOf(indicator, missing!.there);
  return values.map((value, row) => (indicator.codes[row] === code ? value : Number.NaN));
}

const codeOf = ({ levels }: CategoryColumn, level: string): number => levels.indexOf(level);
