/** Fits continuous columns: margins, trees, then a vine of the ranks. */

import type { Vine } from '../../../numerics/copula/vine/vine.ts';
import { drawRows } from '../../../numerics/random/draws.ts';
import { takeNumbers } from '../../../numerics/rows.ts';
import { inSteps, type Steps } from '../../../numerics/steps.ts';
import { fitMargins, type Margin } from '../../disclosure/margin.ts';
import { drawThreshold } from '../../disclosure/thresholds.ts';
import { type FitTask, isTurn, type ModelTable, type NumericColumn, numericColumn } from '../model.ts';
import { type NumberColumn, uOfColumn } from './arrangeColumns.ts';
import { fitColumns, type MadeColumn, type Margins } from './fitColumns.ts';
import { fitRanks } from './rankDependence.ts';
import { fitRareValues, hasRareValues, type RareValueColumn } from './rareValues.ts';

const MAX_ROWS = 100_000;
const MAX_CELLS = 4e6;

export interface FollowingColumn {
  name: string;
  margin: Margin;
  of: string;
  falls: boolean;
}

export interface NumbersModel {
  /** Columns in no list below have no numbers. */
  names: string[];
  /** In drawing order. */
  made: MadeColumn[];
  events: RareValueColumn[];
  followers: FollowingColumn[];
  /** Null if columns or rows are too few. */
  vine: Vine | null;
  trainingRows: number;
}

export async function fitNumbers(task: FitTask): Promise<NumbersModel> {
  const { table, columns } = task;
  const known = columns.map((name) => numericColumn(table, name)).filter(({ values }) => !values.every(Number.isNaN));
  const follows = await inSteps(findFollowers(known.map(({ values }) => values)), task.yieldToEventLoop);
  const margins = await marginsOf(task, known, follows);
  const rows = await rowsToFit(task);
  const free = known.filter((_, i) => follows[i] === null);
  const events = free.filter((column) => hasRareValues(column, margins.get(column.name)!.released));
  const leading = free.filter((column) => !events.includes(column));
  const training = atRows(table, [...task.given, ...free.map(({ name }) => name)], rows);
  const numbers: NumberColumn[] = [];
  for (const column of leading) {
    numbers.push(uOfColumn(column, margins.get(column.name)!.whole, rows));
    await task.yieldToEventLoop();
  }
  const { made, ranks } = await fitColumns(task, { leading, numbers, margins, rows, training });
  return {
    names: [...columns],
    made,
    events: await fitRareValues(task, { events, others: leading, margins, rows, training }),
    followers: followersAmong(known, follows, margins),
    vine: await fitRanks(ranks, task),
    trainingRows: rows.length,
  };
}

/** A follower uses its leader's k, because the same rows form both tails. */
async function marginsOf(
  task: FitTask,
  columns: readonly NumericColumn[],
  follows: readonly (Following | null)[],
): Promise<Margins> {
  const random = task.random.child('rare numbers');
  const margins = new Map<string, ReturnType<typeof fitMargins>>();
  for (const [at, { name, values }] of columns.entries()) {
    const numbers = values.filter((value) => !Number.isNaN(value));
    const k = drawThreshold(random.child(columns[follows[at]?.of ?? at]!.name));
    margins.set(name, fitMargins(numbers, k, task.settings));
    if (isTurn(at, columns.length)) {
      await task.onProgress({ stage: 'fit', fact: 'margins_fitted', done: at + 1, total: columns.length });
    } else await task.yieldToEventLoop();
  }
  return margins;
}

async function rowsToFit({ table, columns, random, onProgress }: FitTask): Promise<Int32Array> {
  const most = Math.min(MAX_ROWS, Math.floor(MAX_CELLS / Math.max(1, columns.length)));
  const rows = drawRows(table.rows, most, random.child('rows')).sort();
  if (rows.length < table.rows) {
    await onProgress({ stage: 'fit', fact: 'rows_sampled', done: rows.length, total: table.rows });
  }
  return rows;
}

function followersAmong(
  columns: readonly NumericColumn[],
  follows: readonly (Following | null)[],
  margins: Margins,
): FollowingColumn[] {
  return columns.flatMap(({ name }, i) => {
    const own = follows[i];
    return own ? [{ name, margin: margins.get(name)!.released, of: columns[own.of]!.name, falls: own.falls }] : [];
  });
}

function atRows(table: ModelTable, names: readonly string[], rows: Int32Array): ModelTable {
  if (rows.length === table.rows) return table;
  const columns = names.map((name) => {
    const column = table.columns.get(name)!;
    if (column.kind === 'numeric') return { ...column, values: takeNumbers(column.values, rows) };
    if (column.kind === 'category') return { ...column, codes: Int32Array.from(rows, (row) => column.codes[row]!) };
    return column;
  });
  return { rows: rows.length, columns: new Map(columns.map((column) => [column.name, column])) };
}

// A follower's u is its leader's, or 1 minus it.

interface Following {
  of: number;
  falls: boolean;
}

/** Two rows are always in order. */
const MIN_ROWS = 20;
/** A sample rules out most pairs without sorting. */
const GLANCED_ROWS = 256;

/**
 * Returns each column's leader, or null. A follower is a monotone function of its leader, missing in the same rows.
 * @param columns n numbers each, NaN if missing.
 */
export function* findFollowers(columns: readonly Float64Array[]): Steps<(Following | null)[]> {
  const found: (Following | null)[] = columns.map(() => null);
  const distinct: number[] = [];
  for (const column of columns) {
    distinct.push(countNumbers(column));
    yield;
  }
  const byNumbers = [...columns.keys()].sort((a, b) => distinct[b]! - distinct[a]! || a - b);
  for (const [rank, of] of byNumbers.entries()) {
    if (found[of] || distinct[of]! < 3) continue;
    const left = byNumbers.slice(rank + 1).filter((column) => !found[column] && distinct[column]! >= 3);
    for (const { column, falls } of yield* comonotoneWith(columns, of, left)) found[column] = { of, falls };
    yield;
  }
  return found;
}

function* comonotoneWith(
  columns: readonly Float64Array[],
  of: number,
  others: readonly number[],
): Steps<{ column: number; falls: boolean }[]> {
  const values = columns[of]!;
  const glance = ascending(values, Math.ceil(values.length / GLANCED_ROWS));
  const likely = others.flatMap((column) =>
    [false, true]
      .filter((falls) => keepsOrder(values, columns[column]!, glance, falls))
      .map((falls) => ({ column, falls })),
  );
  if (likely.length === 0) return [];
  const order = ascending(values, 1);
  if (order.length < MIN_ROWS) return [];
  const out: { column: number; falls: boolean }[] = [];
  for (const one of likely) {
    const column = columns[one.column]!;
    if (keepsOrder(values, column, order, one.falls) && sameMissing(values, column)) out.push(one);
    yield;
  }
  return out;
}

/** Counts missing cells as one number. */
function countNumbers(values: Float64Array): number {
  const sorted = values.slice().sort();
  let count = 0;
  for (let i = 0; i < sorted.length; i++) {
    if (i === 0 || (sorted[i] !== sorted[i - 1] && !Number.isNaN(sorted[i - 1]!))) count++;
  }
  return count;
}

function ascending(values: Float64Array, stride: number): Int32Array {
  const rows: number[] = [];
  for (let row = 0; row < values.length; row += stride) if (!Number.isNaN(values[row]!)) rows.push(row);
  return Int32Array.from(rows).sort((a, b) => values[a]! - values[b]!);
}

function keepsOrder(of: Float64Array, column: Float64Array, order: Int32Array, falls: boolean): boolean {
  if (of.length !== column.length) return false;
  for (let i = 0; i < order.length; i++) {
    const value = column[order[i]!]!;
    if (Number.isNaN(value)) return false;
    if (i === 0) continue;
    const before = column[order[i - 1]!]!;
    const isEqual = of[order[i]!] === of[order[i - 1]!];
    if (isEqual ? value !== before : falls ? value > before : value < before) return false;
  }
  return true;
}

const sameMissing = (of: Float64Array, column: Float64Array): boolean =>
  column.every((value, row) => Number.isNaN(value) === Number.isNaN(of[row]!));
