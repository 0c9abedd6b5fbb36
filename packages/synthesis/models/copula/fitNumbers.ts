/** Fits the continuous columns: margins, then the trees in order, then the vine of the ranks that are left. */

import type { Vine } from '../../../numerics/copula/vine/vine.ts';
import { fitLevels } from '../../../numerics/raking/raking.ts';
import { drawRows } from '../../../numerics/random/draws.ts';
import { inSteps } from '../../../numerics/steps.ts';
import { drawThreshold, featuresOf, seenColumn } from '../categorical/features.ts';
import {
  type CategoryColumn,
  type FitTask,
  isTurn,
  type ModelTable,
  type NumericColumn,
  numericColumn,
} from '../model.ts';
import { fitMargin, type Margin } from '../shared/margin.ts';
import { byColumn, type LevelQuantiles } from '../shared/savedArrays.ts';
import {
  arrangeColumns,
  indicatorOf,
  type MissingIndicator,
  type NumberColumn,
  spreadCells,
  uOfColumn,
} from './arrangeColumns.ts';
import { type ColumnTree, fitColumnTree } from './columnTree.ts';
import { type Following, findFollowers } from './comonotoneColumns.ts';
import { type EventColumn, fitEvents, isEvent } from './events.ts';
import { fitCorrelations, type ScoreCorrelations, standardScores } from './normalScores.ts';
import { fitRanks } from './rankDependence.ts';

/** Rows that trees and vine are fitted to, at most, and cells. */
const MAX_ROWS = 100_000;
const MAX_CELLS = 4e6;

export interface MadeColumn {
  name: string;
  margin: Margin;
  /** What says where its cells are missing, if anything does. */
  gap: MissingIndicator | null;
  tree: ColumnTree;
  levels: LevelQuantiles;
  ties: ScoreCorrelations;
}

export interface FollowingColumn {
  name: string;
  margin: Margin;
  of: string;
  falls: boolean;
}

export interface NumbersModel {
  /** All columns, in the order of the fit; one that is in none of the lists below has no number. */
  names: string[];
  /** In the order in which they are made. */
  made: MadeColumn[];
  /** After those. */
  events: EventColumn[];
  followers: FollowingColumn[];
  /** The vine of the made columns; null where there are no two. */
  vine: Vine | null;
  /** Rows that trees and vine were fitted to. */
  trainingRows: number;
}

export async function fitNumbers(task: FitTask): Promise<NumbersModel> {
  const { table, columns } = task;
  const known = columns.map((name) => numericColumn(table, name)).filter(({ values }) => !values.every(Number.isNaN));
  const follows = await inSteps(findFollowers(known.map(({ values }) => values)), task.yieldToEventLoop);
  const margins = await fitMargins(task, known, follows);
  const rows = await rowsToFit(task);
  const free = known.filter((_, i) => follows[i] === null);
  const events = free.filter((column) => isEvent(column, margins.get(column.name)!));
  const leading = free.filter((column) => !events.includes(column));
  const training = atRows(table, [...task.given, ...free.map(({ name }) => name)], rows);
  const numbers: NumberColumn[] = [];
  for (const column of leading) {
    numbers.push(uOfColumn(column, margins.get(column.name)!, rows));
    await task.yieldToEventLoop();
  }
  const { made, ranks } = await fitTrees(task, { leading, numbers, margins, rows, training });
  return {
    names: [...columns],
    made,
    events: await fitEvents(task, { events, others: leading, margins, rows, training }),
    followers: comonotoneColumnsOf(known, follows, margins),
    vine: await fitRanks(ranks, task),
    trainingRows: rows.length,
  };
}

/** A follower's tails are of as many rows as its leader's: they are the same rows. */
async function fitMargins(
  task: FitTask,
  columns: readonly NumericColumn[],
  follows: readonly (Following | null)[],
): Promise<Map<string, Margin>> {
  const random = task.random.child('rare numbers');
  const margins = new Map<string, Margin>();
  for (const [at, { name, values }] of columns.entries()) {
    const numbers = values.filter((value) => !Number.isNaN(value));
    const k = drawThreshold(random.child(columns[follows[at]?.of ?? at]!.name));
    margins.set(name, fitMargin(numbers, k, task.settings.keepRare));
    if (isTurn(at, columns.length)) {
      await task.onProgress({ stage: 'fit', fact: 'margins_fitted', done: at + 1, total: columns.length });
    } else await task.yieldToEventLoop();
  }
  return margins;
}

/** Ascending. */
async function rowsToFit({ table, columns, random, onProgress }: FitTask): Promise<Int32Array> {
  const most = Math.min(MAX_ROWS, Math.floor(MAX_CELLS / Math.max(1, columns.length)));
  const rows = drawRows(table.rows, most, random.child('rows')).sort();
  if (rows.length < table.rows) {
    await onProgress({ stage: 'fit', fact: 'rows_sampled', done: rows.length, total: table.rows });
  }
  return rows;
}

interface TreesTask {
  leading: readonly NumericColumn[];
  numbers: readonly NumberColumn[];
  margins: ReadonlyMap<string, Margin>;
  rows: Int32Array;
  training: ModelTable;
}

async function fitTrees(
  task: FitTask,
  { leading, numbers, margins, rows, training }: TreesTask,
): Promise<{ made: MadeColumn[]; ranks: Float64Array[] }> {
  const { table } = task;
  const categories = task.given.flatMap((name): CategoryColumn[] => {
    const column = table.columns.get(name);
    return column?.kind === 'category' ? [column] : [];
  });
  const { order, parents } = await inSteps(arrangeColumns(categories, numbers, rows), task.yieldToEventLoop);
  const names = [...categories, ...numbers].map(({ name }) => name);
  const made: MadeColumn[] = [];
  const ranks: Float64Array[] = [];
  const before = new Map<string, Float64Array | null>();
  for (const [at, i] of order.entries()) {
    const { name } = numbers[i]!;
    const given = parents[i]!.map((k) => seenColumn(table, names[k]!)!);
    const along = parents[i]!.find((k) => k >= categories.length);
    const alongColumn = along === undefined ? null : numbers[along - categories.length]!;
    const features = featuresOf(given, training);
    const random = task.random.child('column').child(name);
    const fit = await inSteps(fitColumnTree(numbers[i]!, given, features, alongColumn, random), task.yieldToEventLoop);
    ranks.push(fit.ranks);
    const own = spreadCells(numbers[i]!, task.random.child('levels').child(name));
    const scores = standardScores(own);
    const correlations = fitCorrelations(scores, before);
    before.set(name, scores);
    made.push({
      name,
      margin: margins.get(name)!,
      gap: indicatorOf(leading[i]!, table, task.given),
      tree: fit.tree,
      levels: byColumn(fitLevels(own, features.features), given),
      ties: correlations,
    });
    await task.yieldToEventLoop();
    if (isTurn(at, order.length)) {
      await task.onProgress({ stage: 'fit', fact: 'trees_fitted', done: at + 1, total: order.length });
    }
  }
  return { made, ranks };
}

function comonotoneColumnsOf(
  columns: readonly NumericColumn[],
  follows: readonly (Following | null)[],
  margins: ReadonlyMap<string, Margin>,
): FollowingColumn[] {
  return columns.flatMap(({ name }, i) => {
    const own = follows[i];
    return own ? [{ name, margin: margins.get(name)!, of: columns[own.of]!.name, falls: own.falls }] : [];
  });
}

function atRows(table: ModelTable, names: readonly string[], rows: Int32Array): ModelTable {
  if (rows.length === table.rows) return table;
  const columns = names.map((name) => {
    const column = table.columns.get(name)!;
    if (column.kind === 'numeric') return { ...column, values: Float64Array.from(rows, (row) => column.values[row]!) };
    if (column.kind === 'category') return { ...column, codes: Int32Array.from(rows, (row) => column.codes[row]!) };
    return column;
  });
  return { rows: rows.length, columns: new Map(columns.map((column) => [column.name, column])) };
}
