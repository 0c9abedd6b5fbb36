/** Leaks as a careless or hostile maker would leave them: training rows, or parts of them, in a table of fresh rows. */
import type { RandomStream } from '../../packages/numerics/random/stream.ts';
import { type MeasuredColumns, numericNamed } from '../../packages/synthesis/judge/columns.ts';
import { neighboursOf, rankTables } from '../../packages/synthesis/judge/nearestNeighbours.ts';
import { sampleRows } from '../../packages/synthesis/judge/parts.ts';
import type { ModelColumn, ModelTable } from '../../packages/synthesis/models/model.ts';
import { takeRows } from '../../packages/synthesis/table/takeRows.ts';

export interface LeakTask {
  train: ModelTable;
  /** Rows of the same population that nobody was trained on; the leak is put into them. */
  fresh: ModelTable;
  columns: MeasuredColumns;
  minority: { column: string; level: string };
  /** The two columns that `pair` memorises. */
  pair: readonly [string, string];
  random: RandomStream;
}

/** Cells of a leaked row, from the row of the training table and the fresh row that it replaces. */
interface Planting {
  /** Training rows that leak, in the order in which they replace fresh rows. */
  rows: Int32Array;
  /** Whether this cell of the n-th leaked row stays that of the fresh row. */
  keepsFresh?: (name: string, at: number) => boolean;
  /** What is added to a number of the n-th leaked row, in standard deviations of its column. */
  noise?: (name: string) => number;
}

const some = ({ train, random }: LeakTask, share: number): Int32Array =>
  sampleRows(train.rows, Math.round(share * train.rows), random.child('rows'));

const everybody = ({ train }: LeakTask): Int32Array => Int32Array.from({ length: train.rows }, (_, row) => row);

const allNumbers = (sd: number, random: RandomStream) => () => sd * random.normal();

export const LEAKS: Readonly<Record<string, (task: LeakTask) => ModelTable>> = {
  '5 % exact': (task) => plant(task, { rows: some(task, 0.05) }),
  '1 % exact': (task) => plant(task, { rows: some(task, 0.01) }),
  '1 % most isolated': (task) => plant(task, { rows: isolated(task, 0.01) }),
  'five copies': (task) => plant(task, { rows: some(task, 0.0025) }),
  '5 %, .3 sd on one column': (task) => {
    const noisy = task.columns.numeric[task.random.integer(task.columns.numeric.length)];
    return plant(task, { rows: some(task, 0.05), noise: (name) => (name === noisy ? 0.3 * task.random.normal() : 0) });
  },
  '5 %, two categories redrawn': (task) => {
    const redrawn = task.columns.categorical.slice(0, 2);
    return plant(task, { rows: some(task, 0.05), keepsFresh: (name) => redrawn.includes(name) });
  },
  '5 %, .03 sd on all numbers': (task) => plant(task, { rows: some(task, 0.05), noise: allNumbers(0.03, task.random) }),
  '1 % isolated, .03 sd': (task) => plant(task, { rows: isolated(task, 0.01), noise: allNumbers(0.03, task.random) }),
  'minority class, .03 sd': (task) => plant(task, { rows: minority(task), noise: allNumbers(0.03, task.random) }),
  'every row stitched from halves': (task) => {
    const halves = Array.from({ length: task.train.rows }, () => halfOf(task));
    return plant(task, { rows: everybody(task), keepsFresh: (name, at) => !halves[at]!.has(name) });
  },
  '5 % stitched from halves': (task) => {
    const halves = Array.from({ length: task.train.rows }, () => halfOf(task));
    return plant(task, { rows: some(task, 0.05), keepsFresh: (name, at) => !halves[at]!.has(name) });
  },
  'a pair of everybody': (task) => {
    return plant(task, { rows: everybody(task), keepsFresh: (name) => !task.pair.includes(name) });
  },
  fresh: (task) => task.fresh,
};

function isolated({ train, columns }: LeakTask, share: number): Int32Array {
  const [ranked] = rankTables([train], [train], columns);
  const neighbours = neighboursOf(ranked!, ranked!, columns);
  const distances = Float64Array.from({ length: train.rows }, (_, row) => neighbours.nearestTwo(row).second);
  const order = Int32Array.from({ length: train.rows }, (_, row) => row);
  return order.sort((a, b) => distances[b]! - distances[a]!).slice(0, Math.round(share * train.rows));
}

function minority({ train, minority: { column, level } }: LeakTask): Int32Array {
  const found = train.columns.get(column);
  if (found?.kind !== 'category') throw new RangeError(`${column} is no category`);
  return Int32Array.from({ length: train.rows }, (_, row) => row).filter(
    (row) => found.levels[found.codes[row]!] === level,
  );
}

function halfOf({ columns, random }: LeakTask): Set<string> {
  const names = [...columns.numeric, ...columns.categorical];
  return new Set([...sampleRows(names.length, names.length >> 1, random)].map((at) => names[at]!));
}

function plant({ train, fresh }: LeakTask, { rows, keepsFresh, noise }: Planting): ModelTable {
  const base = takeRows(
    fresh,
    Int32Array.from({ length: fresh.rows }, (_, row) => row),
  );
  const isLeaked = (name: string, at: number) => at < rows.length && !keepsFresh?.(name, at);
  const columns = [...base.columns].map(([name, column]): [string, ModelColumn] => {
    const from = train.columns.get(name);
    if (column.kind === 'numeric' && from?.kind === 'numeric') {
      const sd = noise ? deviation(numericNamed(train, name).values) : 0;
      const leaked = (at: number) => from.values[rows[at]!]! + (noise ? sd * noise(name) : 0);
      return [name, { ...column, values: column.values.map((own, at) => (isLeaked(name, at) ? leaked(at) : own)) }];
    }
    if (column.kind !== 'category' || from?.kind !== 'category') return [name, column];
    // Both are parts of one table, and share its levels.
    const codes = column.codes.map((own, at) => (isLeaked(name, at) ? from.codes[rows[at]!]! : own));
    return [name, { ...column, codes }];
  });
  return { rows: base.rows, columns: new Map(columns) };
}

function deviation(values: Float64Array): number {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length);
}
