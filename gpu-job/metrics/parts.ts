/**
 * What is measured: training rows, real rows that no model saw, synthetic rows, and the yardsticks beside them. One part
 * where rows were kept from the models; one a fold where a small table is cross-fitted; one without held-out rows where
 * both cannot be had.
 */
import type { MeasuredOn } from '../../domain/schema/metrics.ts';
import { counted } from '../../domain/table/wording.ts';
import type { RandomStream } from '../../numerics/random/stream.ts';
import type { ModelColumn, ModelTable } from '../models/model.ts';
import { type MeasuredColumns, type MeasureRoles, measuredColumns, takeRows } from './columns.ts';
import { FOLDS, type Fold } from './makeFolds.ts';
import { sampleRows } from './sampleRows.ts';
import { independentColumns, swappedTenth } from './yardstickTables.ts';

/** Synthetic rows that are looked at, at most; as many stand beside them as yardsticks. */
export const PART_ROWS = 50_000;

/** Columns that are looked at, at most: pairs of them grow with the square. */
export const MOST_COLUMNS = 60;

/** The tables that a figure is computed of, in turn. */
export const MADE = ['synthetic', 'independent', 'swapped'] as const;
export type Made = (typeof MADE)[number];

export interface Part extends Record<Made, ModelTable> {
  train: ModelTable;
  holdout: ModelTable | null;
}

export interface Parts {
  parts: readonly Part[];
  /** The table that is handed out against all rows that its models saw: the one part, unless there are folds. */
  released: Part;
  measuredOn: MeasuredOn;
  columns: MeasuredColumns;
  /** Numeric and category columns that are not among `columns`. */
  leftOut: number;
  target: string | null;
}

export interface PartsTask {
  train: ModelTable;
  holdout: ModelTable | null;
  synthetic: ModelTable;
  folds: readonly Fold[] | undefined;
  roles: MeasureRoles;
  random: RandomStream;
}

export function makeParts(task: PartsTask): Parts {
  const { train, holdout, synthetic, folds, random } = task;
  const { columns, leftOut } = someColumns(task);
  const released = makePart({ train, holdout, synthetic }, columns, random.child('released'));
  const textless = { ...columns, text: [] };
  const parts = folds?.map((fold, at) => makePart(fold, textless, random.child(`part ${at}`))) ?? [released];
  return { parts, released, measuredOn: describe(task), columns, leftOut, target: task.roles.target };
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

/** All columns, or the target and a random choice of the others. */
function someColumns({ roles, train, random }: PartsTask): { columns: MeasuredColumns; leftOut: number } {
  const all = measuredColumns(roles, train);
  const others = [...all.numeric, ...all.categorical].filter((name) => name !== roles.target);
  const room = MOST_COLUMNS - (roles.target === null ? 0 : 1);
  const taken = new Set([...sampleRows(others.length, room, random.child('columns'))].map((at) => others[at]));
  const isTaken = (name: string): boolean => name === roles.target || taken.has(name);
  const columns = { ...all, numeric: all.numeric.filter(isTaken), categorical: all.categorical.filter(isTaken) };
  return { columns, leftOut: others.length - taken.size };
}

/** Throws RangeError where a column is not there. */
function selected(table: ModelTable, columns: MeasuredColumns): ModelTable {
  const names = [...columns.numeric, ...columns.categorical, ...columns.text];
  const kept = names.map((name): [string, ModelColumn] => {
    const column = table.columns.get(name);
    if (!column) throw new RangeError(`the table to be measured has no column ${JSON.stringify(name)}`);
    return [name, column];
  });
  return { rows: table.rows, columns: new Map(kept) };
}

function describe({ train, holdout, folds }: PartsTask): MeasuredOn {
  const real = counted(train.rows, 'training row');
  if (holdout) {
    const summary = `Judged by ${counted(holdout.rows, 'real row')} that no model saw, beside ${real}.`;
    return { method: 'holdout', folds: 0, train: train.rows, holdout: holdout.rows, summary };
  }
  if (folds) {
    const summary = `Too few rows to keep some apart: models were fitted anew ${FOLDS} times, each time without a part of the ${real}, and judged by that part.`;
    return { method: 'cross-fitting', folds: FOLDS, train: train.rows, holdout: train.rows, summary };
  }
  const summary = `Too few rows to keep some apart or to fit models to parts of them (${real}): there are no verdicts.`;
  return { method: 'none', folds: 0, train: train.rows, holdout: 0, summary };
}
