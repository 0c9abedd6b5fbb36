/** Fits the continuous columns: margins, then the trees in order, then the vine of the ranks that are left. */
import { counted } from '../../../domain/table/wording.ts';
import type { Vine } from '../../../numerics/copula/vine/vine.ts';
import { featureOf, seenColumn } from '../categorical/features.ts';
import { drawThreshold } from '../categorical/rareLevels.ts';
import type { CategoryColumn, FitTask, ModelTable, NumericColumn } from '../model.ts';
import { isTurn } from '../shared/chunks.ts';
import { inSteps } from '../shared/inSteps.ts';
import { fitLevelQuantiles, type LevelQuantiles } from '../shared/levelQuantiles.ts';
import { fitMargin, type Margin } from '../shared/margin.ts';
import { drawRows } from '../shared/pickRows.ts';
import { arrangeColumns } from './arrangeColumns.ts';
import { type ColumnTree, fitColumnTree } from './columnTree.ts';
import { type EventColumn, fitEvents, isEvent } from './events.ts';
import { type Following, findFollowers } from './followers.ts';
import { type Gap, gapOf } from './gapColumns.ts';
import { type NumberColumn, placeColumn, spreadCells } from './numberColumn.ts';
import { fitRanks } from './rankDependence.ts';
import { fitTies, type ScoreTies, standardScores } from './scoreTies.ts';

/** Rows that trees and vine are learnt from, at most, and cells. */
const MOST_ROWS = 100_000;
const MOST_CELLS = 4e6;

export interface MadeColumn {
  name: string;
  margin: Margin;
  /** What says where its cells are missing, if anything does. */
  gap: Gap | null;
  tree: ColumnTree;
  levels: LevelQuantiles;
  ties: ScoreTies;
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
  /** Of the made columns; null where there is nothing to tie. */
  vine: Vine | null;
  /** Rows that trees and vine were learnt from. */
  learntFrom: number;
}

export async function fitNumbers(task: FitTask): Promise<NumbersModel> {
  const { table, columns } = task;
  const known = columns.map((name) => numericColumn(table, name)).filter(({ values }) => !values.every(Number.isNaN));
  const follows = await inSteps(findFollowers(known.map(({ values }) => values)), task.breathe);
  const margins = await fitMargins(task, known, follows);
  const rows = await learningRows(task);
  const unled = known.filter((_, i) => follows[i] === null);
  const events = unled.filter((column) => isEvent(column, margins.get(column.name)!));
  const leading = unled.filter((column) => !events.includes(column));
  const learnt = atRows(table, [...task.given, ...unled.map(({ name }) => name)], rows);
  const numbers: NumberColumn[] = [];
  for (const column of leading) {
    numbers.push(placeColumn(column, margins.get(column.name)!, rows));
    await task.breathe();
  }
  const { made, ranks } = await fitTrees(task, { leading, numbers, margins, rows, learnt });
  return {
    names: [...columns],
    made,
    events: await fitEvents(task, { events, others: leading, margins, rows, learnt }),
    followers: followersOf(known, follows, margins),
    vine: await fitRanks(ranks, task),
    learntFrom: rows.length,
  };
}

function numericColumn(table: ModelTable, name: string): NumericColumn {
  const column = table.columns.get(name);
  if (column?.kind !== 'numeric') throw new RangeError(`no numeric column ${JSON.stringify(name)}`);
  return column;
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
      await task.report(`Continuous columns: margins of ${at + 1} of ${counted(columns.length, 'column')}`);
    } else await task.breathe();
  }
  return margins;
}

/** Ascending. */
async function learningRows({ table, columns, random, report }: FitTask): Promise<Int32Array> {
  const most = Math.min(MOST_ROWS, Math.floor(MOST_CELLS / Math.max(1, columns.length)));
  const rows = drawRows(table.rows, most, random.child('rows')).sort();
  if (rows.length < table.rows) {
    await report(
      `Continuous columns: trees and vine are learnt from ${rows.length} of ${counted(table.rows, 'row')}, margins from all`,
    );
  }
  return rows;
}

interface TreesTask {
  leading: readonly NumericColumn[];
  numbers: readonly NumberColumn[];
  margins: ReadonlyMap<string, Margin>;
  rows: Int32Array;
  learnt: ModelTable;
}

async function fitTrees(
  task: FitTask,
  { leading, numbers, margins, rows, learnt }: TreesTask,
): Promise<{ made: MadeColumn[]; ranks: Float64Array[] }> {
  const { table } = task;
  const categories = task.given.flatMap((name): CategoryColumn[] => {
    const column = table.columns.get(name);
    return column?.kind === 'category' ? [column] : [];
  });
  const { order, asks } = await inSteps(arrangeColumns(categories, numbers, rows), task.breathe);
  const names = [...categories, ...numbers].map(({ name }) => name);
  const made: MadeColumn[] = [];
  const ranks: Float64Array[] = [];
  const before = new Map<string, Float64Array | null>();
  for (const [at, i] of order.entries()) {
    const { name } = numbers[i]!;
    const given = asks[i]!.map((k) => seenColumn(table, names[k]!)!);
    const along = asks[i]!.find((k) => k >= categories.length);
    const alongColumn = along === undefined ? null : numbers[along - categories.length]!;
    const features = { rows: rows.length, features: given.map((seen) => featureOf(seen, learnt)) };
    const random = task.random.child('column').child(name);
    const fit = await inSteps(fitColumnTree(numbers[i]!, given, features, alongColumn, random), task.breathe);
    ranks.push(fit.ranks);
    const own = spreadCells(numbers[i]!, task.random.child('levels').child(name));
    const scores = standardScores(own);
    const ties = fitTies(scores, before);
    before.set(name, scores);
    made.push({
      name,
      margin: margins.get(name)!,
      gap: gapOf(leading[i]!, table, task.given),
      tree: fit.tree,
      levels: fitLevelQuantiles(own, given, learnt),
      ties,
    });
    await task.breathe();
    if (isTurn(at, order.length)) {
      await task.report(`Continuous columns: trees of ${at + 1} of ${counted(order.length, 'column')}`);
    }
  }
  return { made, ranks };
}

function followersOf(
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
