/** Orders columns and chooses their parents by information gain. */

import { z } from 'zod';
import type { RandomStream } from '../../../numerics/random/stream.ts';
import type { Steps } from '../../../numerics/steps.ts';
import { type Margin, uRangeOf } from '../../disclosure/margin.ts';
import { chainOrder, gainsOf, type Levels, levelCounts } from '../categorical/columnOrder.ts';
import { classesOf } from '../categorical/features.ts';
import type { CategoryColumn, ModelTable, NumericColumn } from '../model.ts';

const CLASSES = 16;
/** Wide tables use fewer rows. */
const MAX_CELLS = 2e8;
const MAX_FEATURES = 24;

export interface Arrangement {
  order: number[];
  /** Indices into categories, then numbers. */
  parents: number[][];
}

interface Wishes {
  /** Count of leading numbers that serve only as parents. */
  there?: number;
  first?: readonly number[];
}

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

/** P(X < x) and P(X ≤ x), n each: equal except at atoms, NaN if missing. */
export interface NumberColumn {
  name: string;
  from: Float64Array;
  upTo: Float64Array;
}

export function uOfColumn(column: NumericColumn, margin: Margin, rows: Int32Array): NumberColumn {
  const from = new Float64Array(rows.length).fill(Number.NaN);
  const upTo = from.slice();
  rows.forEach((row, i) => {
    const value = column.values[row]!;
    if (!Number.isNaN(value)) ({ from: from[i], upTo: upTo[i] } = uRangeOf(margin, value));
  });
  return { name: column.name, from, upTo };
}

/** Draws a u per row, uniform within atoms, NaN if missing. */
export const spreadCells = ({ from, upTo }: Omit<NumberColumn, 'name'>, random: RandomStream): Float64Array =>
  from.map((u, row) => u + random.uniform() * (upTo[row]! - u));

export const indicatorSchema = z.object({
  name: z.string(),
  /** Level of present cells. */
  there: z.string(),
});
export type MissingIndicator = z.infer<typeof indicatorSchema>;

/** Returns the first of `names` whose indicator agrees in every row, or null. */
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

/** Sets cells to NaN if the indicator marks them missing. */
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
