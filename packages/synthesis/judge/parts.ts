/** Rows to measure with baselines: one part with a holdout, one per fold if cross-fitted, else one without. */
import type { MeasuredOn } from '../../contract/metrics.ts';
import { shuffle, shuffledRows, shuffleFirst } from '../../numerics/random/draws.ts';
import type { RandomStream } from '../../numerics/random/stream.ts';
import { ascendingRows } from '../../numerics/rows.ts';
import { counted, withCommas } from '../../words/wording.ts';
import type { ModelColumn, ModelTable, OnProgress } from '../models/model.ts';
import { takeRows } from '../table/takeRows.ts';
import { type MeasuredColumns, type MeasureRoles, measuredColumns } from './columns.ts';
import { rankTables } from './nearestNeighbours.ts';

const PART_ROWS = 50_000;

/** Maximum columns, because pairs grow quadratically. */
const MAX_COLUMNS = 60;

export const MADE = ['synthetic', 'independent', 'swapped'] as const;
export type Made = (typeof MADE)[number];

export interface Part extends Record<Made, ModelTable> {
  train: ModelTable;
  holdout: ModelTable | null;
}

export interface Parts {
  parts: readonly Part[];
  /** The final table with all rows of its models. */
  released: Part;
  measuredOn: MeasuredOn;
  columns: MeasuredColumns;
  leftOut: number;
  /** All real rows, for finding copies. */
  real: ModelTable;
  target: string | null;
}

export interface PartsTask {
  train: ModelTable;
  holdout: ModelTable | null;
  synthetic: ModelTable;
  folds: readonly Fold[] | undefined;
  /** All real rows in file order. Defaults to `train`. */
  real?: ModelTable | undefined;
  /** True if the table was made from `holdout` too. */
  isSplit?: boolean;
  roles: MeasureRoles;
  random: RandomStream;
}

export function makeParts(task: PartsTask): Parts {
  const { train, holdout, synthetic, folds, random } = task;
  const { columns, leftOut } = someColumns(task);
  const released = makePart({ train, holdout, synthetic }, columns, random.child('released'));
  const textless = { ...columns, text: [] };
  const parts = folds?.map((fold, at) => makePart(fold, textless, random.child(`part ${at}`))) ?? [released];
  const real = task.real ? selected(task.real, columns) : released.train;
  return { parts, released, measuredOn: describe(task), columns, leftOut, real, target: task.roles.target };
}

function makePart(side: Pick<Part, 'train' | 'holdout' | 'synthetic'>, columns: MeasuredColumns, random: RandomStream) {
  const train = selected(side.train, columns);
  const rows = Math.min(PART_ROWS, side.synthetic.rows);
  const synthetic = selected(side.synthetic, columns);
  return {
    train,
    holdout: side.holdout && selected(side.holdout, columns),
    synthetic: rows < synthetic.rows ? takeRows(synthetic, sampleRows(synthetic.rows, rows, random)) : synthetic,
    independent: independentColumns(train, rows, random.child('independent')),
    swapped: swappedTenth(train, rows, random.child('swapped')),
  };
}

function someColumns({ roles, train, random }: PartsTask): { columns: MeasuredColumns; leftOut: number } {
  const all = measuredColumns(roles, train);
  const others = [...all.numeric, ...all.categorical].filter((name) => name !== roles.target);
  const room = MAX_COLUMNS - (roles.target === null ? 0 : 1);
  const taken = new Set([...sampleRows(others.length, room, random.child('columns'))].map((at) => others[at]));
  const isTaken = (name: string): boolean => name === roles.target || taken.has(name);
  const columns = { ...all, numeric: all.numeric.filter(isTaken), categorical: all.categorical.filter(isTaken) };
  return { columns, leftOut: others.length - taken.size };
}

function selected(table: ModelTable, columns: MeasuredColumns): ModelTable {
  const names = [...columns.numeric, ...columns.categorical, ...columns.text];
  const kept = names.map((name): [string, ModelColumn] => {
    const column = table.columns.get(name);
    if (!column) throw new RangeError(`the table to be measured has no column ${JSON.stringify(name)}`);
    return [name, column];
  });
  return { rows: table.rows, columns: new Map(kept) };
}

function describe({ train, holdout, folds, isSplit }: PartsTask): MeasuredOn {
  const real = counted(train.rows, 'training row');
  if (holdout && isSplit) {
    const summary = `The real rows were split at random: the synthetic rows are compared with ${withCommas(train.rows)} of them, and the other ${withCommas(holdout.rows)} show what real rows get.`;
    return { method: 'halves', folds: 0, train: train.rows, holdout: holdout.rows, summary };
  }
  if (holdout) {
    const summary = `Compared with ${counted(holdout.rows, 'held-out real row')}; models were trained on ${counted(train.rows, 'row')}.`;
    return { method: 'holdout', folds: 0, train: train.rows, holdout: holdout.rows, summary };
  }
  if (folds) {
    const summary = `Cross-fitted, since there are too few rows to hold some out: models were fitted ${FOLDS} times, each time without one part of the ${real}, and compared with that part.`;
    return { method: 'cross-fitting', folds: FOLDS, train: train.rows, holdout: train.rows, summary };
  }
  const summary = `No real rows were held out, and no models were fitted again (${real}): fidelity is judged beside random halves of them, attacks are not judged.`;
  return { method: 'none', folds: 0, train: train.rows, holdout: 0, summary };
}

/** Halves of training rows show how alike samples are, but support no attacks. */
export function halves(real: ModelTable, random: RandomStream): { train: ModelTable; holdout: ModelTable | null } {
  const held = Math.floor(real.rows / 2);
  return held === 0 ? { train: real, holdout: null } : splitRows(real, held, random);
}

export function splitRows(table: ModelTable, held: number, random: RandomStream) {
  const order = ascendingRows(table.rows);
  shuffleFirst(order, held, random);
  return { train: takeRows(table, order.slice(held).sort()), holdout: takeRows(table, order.slice(0, held).sort()) };
}

/** Baseline with exact margins and no dependence. */
export function independentColumns(train: ModelTable, rows: number, random: RandomStream): ModelTable {
  const made = train.rows > 0 ? rows : 0;
  return eachColumn(train, made, (column) => {
    const stream = random.child(column.name);
    return Int32Array.from({ length: made }, () => stream.integer(train.rows));
  });
}

/** Baseline near copies: real rows with a tenth of each column's cells permuted. */
export function swappedTenth(train: ModelTable, rows: number, random: RandomStream): ModelTable {
  const made = train.rows > 0 ? rows : 0;
  const base = takeRows(
    train,
    made < train.rows
      ? sampleRows(train.rows, made, random.child(''))
      : Int32Array.from({ length: made }, (_, row) => row % train.rows),
  );
  return eachColumn(base, made, (column) => {
    const stream = random.child(column.name);
    const chosen = sampleRows(made, Math.round(made / 10), stream);
    const order = ascendingRows(made);
    const shuffled = chosen.slice();
    shuffle(shuffled, stream);
    chosen.forEach((row, at) => {
      order[row] = shuffled[at]!;
    });
    return order;
  });
}

function eachColumn(table: ModelTable, rows: number, rowsOf: (column: ModelColumn) => Int32Array): ModelTable {
  const columns = [...table.columns].map(([name, column]): [string, ModelColumn] => {
    const alone = { rows: table.rows, columns: new Map([[name, column]]) };
    return [name, takeRows(alone, rowsOf(column)).columns.get(name) ?? column];
  });
  return { rows, columns: new Map(columns) };
}

export const FOLDS = 5;

/** Minimum rows for useful folds. */
export const MIN_CROSS_FIT_ROWS = 25;

export type CrossFit = (trainRows: ModelTable, rows: number, fold: number) => Promise<ModelTable>;

export interface Fold {
  train: ModelTable;
  holdout: ModelTable;
  synthetic: ModelTable;
}

export interface FoldsTask {
  train: ModelTable;
  count: number;
  rows: number;
  crossFit: CrossFit;
  random: RandomStream;
  onProgress: OnProgress;
}

export async function makeFolds({ train, count, rows, crossFit, random, onProgress }: FoldsTask): Promise<Fold[]> {
  const parts = dealFolds(train.rows, count, random);
  const folds: Fold[] = [];
  for (const [fold, held] of parts.entries()) {
    const others = Int32Array.from(parts.flatMap((part, at) => (at === fold ? [] : [...part]))).sort();
    const own = takeRows(train, others);
    folds.push({ train: own, holdout: takeRows(train, held), synthetic: await crossFit(own, rows, fold) });
    await onProgress({ stage: 'measure', fact: 'fold_fitted', done: fold + 1, total: count, rows: held.length });
  }
  return folds;
}

/** Samples ascending rows without replacement (Knuth's algorithm S); all if `size` is larger. */
export function sampleRows(rows: number, size: number, random: RandomStream): Int32Array {
  if (size >= rows) return ascendingRows(rows);
  const chosen = new Int32Array(size);
  let found = 0;
  for (let row = 0; found < size; row++) {
    if (random.uniform() * (rows - row) < size - found) chosen[found++] = row;
  }
  return chosen;
}

export function dealFolds(rows: number, folds: number, random: RandomStream): Int32Array[] {
  const order = shuffledRows(rows, random);
  return Array.from({ length: folds }, (_, fold) => order.filter((_, at) => at % folds === fold).sort());
}

/** Maximum rows queried for distances, synthetic and baseline. */
const ASKED_ROWS = 3_000;

export const YARDSTICK_ROWS = 1_000;

const ATTACKED_ROWS = 3_000;

/** Maximum training cells searched. */
const REAL_CELLS = 6_000_000;

export interface PrivatePart {
  /** All rows, or a sample of very large tables. */
  train: ModelTable;
  holdout: ModelTable | null;
  /** As many training rows as are held out; null without a holdout. */
  peers: ModelTable | null;
  made: Record<Made, ModelTable>;
  queried: Record<Made, ModelTable>;
  unranked: { train: ModelTable; peers: ModelTable | null; holdout: ModelTable | null; synthetic: ModelTable };
}

function privatePart(part: Part, columns: MeasuredColumns, random: RandomStream): PrivatePart {
  const width = Math.max(1, columns.numeric.length + columns.categorical.length);
  const some = (table: ModelTable, rows: number, name: string): ModelTable =>
    table.rows > rows ? takeRows(table, sampleRows(table.rows, rows, random.child(name))) : table;
  const real = some(part.train, Math.floor(REAL_CELLS / width), 'train');
  const held = part.holdout && some(part.holdout, ATTACKED_ROWS, 'holdout');
  const peers = held && some(real, held.rows, 'peers');
  const tables = [real, ...MADE.map((name) => part[name]), ...(held && peers ? [held, peers] : [])];
  const [train, synthetic, independent, swapped, ...sides] = rankTables(held ? [real, held] : [real], tables, columns);
  const made = { synthetic: synthetic!, independent: independent!, swapped: swapped! };
  const ask = (name: Made): ModelTable =>
    some(made[name], name === 'synthetic' ? ASKED_ROWS : YARDSTICK_ROWS, `queried ${name}`);
  return {
    train: train!,
    holdout: sides[0] ?? null,
    peers: sides[1] ?? null,
    made,
    queried: { synthetic: ask('synthetic'), independent: ask('independent'), swapped: ask('swapped') },
    unranked: { train: real, peers, holdout: held, synthetic: part.synthetic },
  };
}

export const privateParts = ({ parts, columns }: Parts, random: RandomStream): PrivatePart[] =>
  parts.map((part, at) => privatePart(part, columns, random.child(`part ${at}`)));

export const NO_HOLDOUT = 'there are too few real rows to hold some out';
export const NO_COLUMN = 'there is no numeric or categorical column, or a table has no rows';
