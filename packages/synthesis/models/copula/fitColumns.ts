/** Fits each continuous column given earlier ones: a tree, or a better density. */
import { fitLevels } from '../../../numerics/raking/raking.ts';
import { takeNumbers } from '../../../numerics/rows.ts';
import { inSteps } from '../../../numerics/steps.ts';
import type { fitMargins, Margin } from '../../disclosure/margin.ts';
import { runTasks, threadsWorth } from '../../tasks/runTasks.ts';
import { featuresOf, seenColumn } from '../categorical/features.ts';
import { type CategoryColumn, type FitTask, isTurn, type ModelTable, type NumericColumn } from '../model.ts';
import { boostInThreads } from '../shared/boostInThreads.ts';
import { roundsFor } from '../shared/boosting.ts';
import { byColumn, type LevelQuantiles } from '../shared/savedArrays.ts';
import {
  arrangeColumns,
  indicatorOf,
  type MissingIndicator,
  type NumberColumn,
  spreadCells,
} from './arrangeColumns.ts';
import { boostDensity, type DensityFit, type DensityTask, MIN_CELLS } from './chooseDensity.ts';
import { type ColumnNumbers, chooseFunction, type FunctionTrial, tryFunction } from './chooseFunctions.ts';
import type { ColumnDensity } from './columnDensity.ts';
import { type ColumnTree, growTree, type PresentRows, presentRows, type TreeFit } from './columnTree.ts';
import type { NearFunction } from './nearFunction.ts';
import { fitCorrelations, type ScoreCorrelations, standardScores } from './normalScores.ts';

export interface MadeColumn {
  name: string;
  margin: Margin;
  /** If set, the other models fit the function's residuals. */
  near: NearFunction | null;
  gap: MissingIndicator | null;
  /** Exactly one is null. */
  tree: ColumnTree | null;
  density: ColumnDensity | null;
  levels: LevelQuantiles;
  ties: ScoreCorrelations;
}

export type Margins = ReadonlyMap<string, ReturnType<typeof fitMargins>>;

export interface NumbersToFit {
  leading: readonly NumericColumn[];
  numbers: readonly NumberColumn[];
  margins: Margins;
  rows: Int32Array;
  training: ModelTable;
}

/** Returns columns in drawing order, and their ranks of `rows` (NaN if missing). */
export async function fitColumns(
  task: FitTask,
  numbers: NumbersToFit,
): Promise<{ made: MadeColumn[]; ranks: Float64Array[] }> {
  const { margins, training } = numbers;
  const { columns, trees } = await fitTreesOf(task, numbers);
  const densities = await fitDensities(task, columns, trees, numbers);
  const before = new Map<string, Float64Array | null>();
  const made: MadeColumn[] = [];
  for (const [at, { leading, number, drawn, near, given }] of columns.entries()) {
    const { name } = number;
    const u = spreadCells(drawn, task.random.child('levels').child(name));
    const scores = standardScores(u);
    const density = densities[at]?.density ?? null;
    made.push({
      name,
      near,
      density,
      margin: margins.get(name)!.released,
      gap: indicatorOf(leading, task.table, task.given),
      tree: density ? null : trees[at]!.tree,
      levels: byColumn(fitLevels(u, featuresOf(given, training).features), given),
      ties: fitCorrelations(scores, before),
    });
    const ofNumber = () => standardScores(spreadCells(number, task.random.child('scores').child(name)));
    before.set(name, near ? ofNumber() : scores);
    await task.yieldToEventLoop();
  }
  const ranks = columns.map(({ number }, at) => inRows(number, densities[at]?.ranks ?? trees[at]!.ranks));
  return { made, ranks };
}

interface OwnColumn extends Pick<ColumnTree, 'given'> {
  index: number;
  leading: NumericColumn;
  number: NumberColumn;
  /** The column or a function's residuals. */
  drawn: NumberColumn;
  near: NearFunction | null;
  /** Indices of numbers in `given`, most informative first. */
  before: readonly number[];
}

async function fitTreesOf(task: FitTask, numbers: NumbersToFit): Promise<{ columns: OwnColumn[]; trees: TreeFit[] }> {
  const { columns, trials } = await arrangeFunctions(task, numbers);
  const trees = await fitTrees(task, columns, numbers);
  const changed: number[] = [];
  for (const [at, column] of columns.entries()) {
    const chosen = chooseFunction(trials[at]!, trees[at]!.trial, presentOf(column, numbers), task);
    if (!chosen) continue;
    columns[at] = { ...column, near: chosen.near, drawn: chosen.left };
    changed.push(at);
    await task.yieldToEventLoop();
  }
  const ofLeft = await fitTrees(
    task,
    changed.map((at) => columns[at]!),
    numbers,
    columns.length,
  );
  changed.forEach((at, i) => {
    trees[at] = ofLeft[i]!;
  });
  return { columns, trees };
}

const MAX_ARRANGED = 4;

/** Moves columns forward that should precede their inputs. */
async function arrangeFunctions(
  task: FitTask,
  numbers: NumbersToFit,
): Promise<{ columns: OwnColumn[]; trials: (FunctionTrial | null)[] }> {
  let columns = await arranged(task, numbers, []);
  let trials = await tryFunctions(task, columns, numbers);
  const first: number[] = [];
  for (let times = 1; times < MAX_ARRANGED; times++) {
    const isEarly = (at: number): boolean => trials[at]?.losesHeaps === true || trials[at]?.isCoarse === true;
    const early = columns.flatMap(({ index }, at) => (isEarly(at) && !first.includes(index) ? [index] : []));
    if (early.length === 0) break;
    first.push(...early);
    columns = await arranged(task, numbers, first);
    trials = await tryFunctions(task, columns, numbers);
  }
  return { columns, trials };
}

async function arranged(
  { table, given, yieldToEventLoop }: FitTask,
  { leading, numbers, rows }: NumbersToFit,
  first: readonly number[],
): Promise<OwnColumn[]> {
  const categories = given.flatMap((name): CategoryColumn[] => {
    const column = table.columns.get(name);
    return column?.kind === 'category' ? [column] : [];
  });
  const { order, parents } = await inSteps(arrangeColumns(categories, numbers, rows, { first }), yieldToEventLoop);
  const names = [...categories, ...numbers].map(({ name }) => name);
  return order.map((index): OwnColumn => {
    const number = numbers[index]!;
    return {
      index,
      number,
      drawn: number,
      near: null,
      leading: leading[index]!,
      given: parents[index]!.map((k) => seenColumn(table, names[k]!)!),
      before: parents[index]!.flatMap((k) => (k < categories.length ? [] : [k - categories.length])),
    };
  });
}

async function tryFunctions(
  { random, yieldToEventLoop }: FitTask,
  columns: readonly OwnColumn[],
  { leading, margins, rows }: NumbersToFit,
): Promise<(FunctionTrial | null)[]> {
  const known = leading.map(({ name, values }): ColumnNumbers | null => {
    const own = takeNumbers(values, rows);
    return own.some(Number.isNaN) ? null : { name, values: own, ...margins.get(name)! };
  });
  const trials: (FunctionTrial | null)[] = [];
  for (const { index, before, number } of columns) {
    const others = before.map((k) => known[k]!);
    trials.push(tryFunction(known[index]!, others, random.child('heaps').child(number.name)));
    await yieldToEventLoop();
  }
  return trials;
}

const presentOf = ({ drawn, given, before }: OwnColumn, { training, numbers }: NumbersToFit): PresentRows =>
  presentRows(
    drawn,
    given,
    featuresOf(given, training),
    before.map((k) => numbers[k]!),
  );

/** `before` counts trees fitted earlier. */
async function fitTrees(
  task: FitTask,
  columns: readonly OwnColumn[],
  numbers: NumbersToFit,
  before = 0,
): Promise<TreeFit[]> {
  const orders = columns.map((column) => () => ({
    present: presentOf(column, numbers),
    random: task.random.child('column').child(column.number.name).origin,
  }));
  const cells = columns.reduce((sum, { given }) => sum + given.length, 0) * numbers.training.rows;
  let done = 0;
  return runTasks(growTree, orders, {
    threads: task.threads ?? threadsWorth(growTree, { cell: cells }, columns.length),
    yieldToEventLoop: task.yieldToEventLoop,
    take: async (fit) => {
      const isReported = isTurn(done++, columns.length);
      const counts = { done: before + done, total: before + columns.length };
      if (isReported) await task.onProgress({ stage: 'fit', fact: 'trees_fitted', ...counts });
      return fit;
    },
  });
}

/** Returns null to keep a tree. */
async function fitDensities(
  task: FitTask,
  columns: readonly OwnColumn[],
  trees: readonly TreeFit[],
  numbers: NumbersToFit,
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
      present: presentOf(columns[at]!, numbers),
      trial: trees[at]!.trial!,
      rounds,
      alone: null,
    }),
  }));
  const fits = await boostInThreads(boostDensity, jobs, {
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

function inRows({ from }: NumberColumn, ranks: Float64Array): Float64Array {
  let cell = 0;
  return from.map((u) => (Number.isNaN(u) ? Number.NaN : ranks[cell++]!));
}
