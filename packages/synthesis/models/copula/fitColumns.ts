/** Fits each continuous column given those before it: a tree, and a density where that is better. */
import { fitLevels } from '../../../numerics/raking/raking.ts';
import type { StreamOrigin } from '../../../numerics/random/stream.ts';
import { inSteps } from '../../../numerics/steps.ts';
import { shareArrays, watched } from '../../../numerics/workers.ts';
import { featuresOf, seenColumn } from '../categorical/features.ts';
import { type CategoryColumn, type FitTask, isTurn, type ModelTable, type NumericColumn } from '../model.ts';
import { boostInThreads } from '../shared/boostInThreads.ts';
import { roundsFor } from '../shared/boosting.ts';
import type { fitMargins, Margin } from '../shared/margin.ts';
import { byColumn, type LevelQuantiles } from '../shared/savedArrays.ts';
import { ThreadPool, threadsWorth } from '../shared/threadPool.ts';
import {
  arrangeColumns,
  indicatorOf,
  type MissingIndicator,
  type NumberColumn,
  spreadCells,
} from './arrangeColumns.ts';
import { type DensityFit, type DensityTask, MIN_CELLS } from './chooseDensity.ts';
import type { ColumnDensity } from './columnDensity.ts';
import { type ColumnTree, fitColumnTree, type PresentRows, presentRows, type TreeFit } from './columnTree.ts';
import { fitCorrelations, type ScoreCorrelations, standardScores } from './normalScores.ts';

export interface MadeColumn {
  name: string;
  margin: Margin;
  /** What says where its cells are missing, if anything does. */
  gap: MissingIndicator | null;
  /** One of the two is null. */
  tree: ColumnTree | null;
  density: ColumnDensity | null;
  levels: LevelQuantiles;
  ties: ScoreCorrelations;
}

/** By column: the margin of all its numbers, and the one that is released. */
export type Margins = ReadonlyMap<string, ReturnType<typeof fitMargins>>;

export interface NumbersToFit {
  leading: readonly NumericColumn[];
  numbers: readonly NumberColumn[];
  margins: Margins;
  rows: Int32Array;
  training: ModelTable;
}

/** The columns in the order in which they are made, and the ranks of `rows` in each, NaN where the cell is missing. */
export async function fitColumns(
  task: FitTask,
  { leading, numbers, margins, rows, training }: NumbersToFit,
): Promise<{ made: MadeColumn[]; ranks: Float64Array[] }> {
  const { table, yieldToEventLoop } = task;
  const categories = task.given.flatMap((name): CategoryColumn[] => {
    const column = table.columns.get(name);
    return column?.kind === 'category' ? [column] : [];
  });
  const { order, parents } = await inSteps(arrangeColumns(categories, numbers, rows), yieldToEventLoop);
  const names = [...categories, ...numbers].map(({ name }) => name);
  const own = order.map((i): OwnColumn => {
    return {
      leading: leading[i]!,
      number: numbers[i]!,
      given: parents[i]!.map((k) => seenColumn(table, names[k]!)!),
      before: parents[i]!.flatMap((k) => (k < categories.length ? [] : [numbers[k - categories.length]!])),
    };
  });
  const trees = await fitTrees(task, own, training);
  const densities = await fitDensities(task, own, trees, training);
  const before = new Map<string, Float64Array | null>();
  const made: MadeColumn[] = [];
  for (const [at, column] of own.entries()) {
    const { name, margin } = { name: column.number.name, margin: margins.get(column.number.name)!.released };
    const u = spreadCells(column.number, task.random.child('levels').child(name));
    const scores = standardScores(u);
    const levels = byColumn(fitLevels(u, featuresOf(column.given, training).features), column.given);
    const ties = fitCorrelations(scores, before);
    const density = densities[at]?.density ?? null;
    const tree = density ? null : trees[at]!.tree;
    made.push({ name, margin, gap: indicatorOf(column.leading, table, task.given), tree, density, levels, ties });
    before.set(name, scores);
    await yieldToEventLoop();
  }
  const ranks = own.map(({ number }, at) => inRows(number, densities[at]?.ranks ?? trees[at]!.ranks));
  return { made, ranks };
}

interface OwnColumn extends Pick<ColumnTree, 'given'> {
  leading: NumericColumn;
  number: NumberColumn;
  /** The numbers among those given, the most informative first. */
  before: readonly NumberColumn[];
}

const presentOf = ({ number, given, before }: OwnColumn, training: ModelTable): PresentRows =>
  presentRows(number, given, featuresOf(given, training), before);

/** To a thread, which replies with the tree. Not checked with zod: both sides are one version of this code. */
export interface TreeOrder {
  present: PresentRows;
  random: StreamOrigin;
}

const ENTRY = new URL('./treeWorker.ts', import.meta.url);
/** Seconds of one thread for a cell of a column's parents, at a guess. */
const SECONDS_A_CELL = 2e-6;

/** In threads where that is faster: the trees are the same. */
async function fitTrees(task: FitTask, columns: readonly OwnColumn[], training: ModelTable): Promise<TreeFit[]> {
  const { yieldToEventLoop } = task;
  const fits = new Array<TreeFit>(columns.length);
  const randomOf = ({ number }: OwnColumn) => task.random.child('column').child(number.name);
  let done = 0;
  const take = async (at: number, fit: TreeFit): Promise<void> => {
    fits[at] = fit;
    if (!isTurn(done++, columns.length)) return;
    await task.onProgress({ stage: 'fit', fact: 'trees_fitted', done, total: columns.length });
  };
  const count = task.threads ?? threadsFor(columns, training.rows);
  if (count === 0) {
    for (const [at, column] of columns.entries()) {
      await take(at, await inSteps(fitColumnTree(presentOf(column, training), randomOf(column)), yieldToEventLoop));
    }
    return fits;
  }
  const pool = new ThreadPool<TreeOrder, TreeFit>({ entry: ENTRY, count, work: 'trees' });
  try {
    await pool.each(columns, async (column, ask, at) => {
      const order = { present: shareArrays(presentOf(column, training)), random: randomOf(column).origin };
      await take(at, await watched(ask(order), yieldToEventLoop));
    });
    return fits;
  } finally {
    await pool.close();
  }
}

function threadsFor(columns: readonly OwnColumn[], rows: number): number {
  const cells = columns.reduce((sum, { given }) => sum + given.length, 0) * rows;
  return threadsWorth(cells * SECONDS_A_CELL, columns.length);
}

/** By column; null where its tree stays. */
async function fitDensities(
  task: FitTask,
  columns: readonly OwnColumn[],
  trees: readonly TreeFit[],
  training: ModelTable,
): Promise<(DensityFit | null)[]> {
  const rounds = roundsFor(task.table.rows, columns.length);
  const tried = [...columns.keys()].filter((at) => trees[at]!.trial && trees[at]!.ranks.length >= MIN_CELLS);
  const jobs = tried.map((at) => ({
    cells: trees[at]!.ranks.length * columns[at]!.given.length,
    seed: task.random
      .child('density')
      .child(columns[at]!.number.name)
      .integer(2 ** 32),
    task: (): DensityTask => ({
      present: presentOf(columns[at]!, training),
      trial: trees[at]!.trial!,
      rounds,
      alone: null,
    }),
  }));
  const fits = await boostInThreads(jobs, {
    yieldToEventLoop: task.yieldToEventLoop,
    onColumn: async (done) => {
      if (!isTurn(done - 1, jobs.length)) return;
      await task.onProgress({ stage: 'fit', fact: 'densities_fitted', done, total: jobs.length });
    },
  });
  const out = columns.map((): DensityFit | null => null);
  tried.forEach((at, i) => {
    out[at] = fits[i]!;
  });
  return out;
}

/** One a cell that is there, to one a row. */
function inRows({ from }: NumberColumn, ranks: Float64Array): Float64Array {
  let cell = 0;
  return from.map((u) => (Number.isNaN(u) ? Number.NaN : ranks[cell++]!));
}
