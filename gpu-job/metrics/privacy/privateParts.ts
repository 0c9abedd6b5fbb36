/** Parts as attacks see them: rows ranked, and as many training rows as held-out ones where the two are set against each other. */
import type { RandomStream } from '../../../numerics/random/stream.ts';
import type { ModelTable } from '../../models/model.ts';
import { type MeasuredColumns, takeRows } from '../columns.ts';
import { MADE, type Made, type Part, type Parts } from '../parts.ts';
import { sampleRows } from '../sampleRows.ts';
import { rankTables } from './rankedTable.ts';

/** Rows of a synthetic table that distances are taken of, at most. */
export const ASKED_ROWS = 3_000;

/** The same of a yardstick. */
export const YARDSTICK_ROWS = 1_000;

/** Rows of either side that are attacked, at most. */
export const ATTACKED_ROWS = 3_000;

/** Cells of the training rows that neighbours are looked for in, at most. */
const REAL_CELLS = 6_000_000;

export interface PrivatePart {
  /** All of its rows; of very large tables a random part. */
  train: ModelTable;
  holdout: ModelTable | null;
  /** A random choice of training rows, as many as there are held-out ones; null where there are none. */
  peers: ModelTable | null;
  /** All rows, and a random choice of them. */
  made: Record<Made, ModelTable>;
  asked: Record<Made, ModelTable>;
}

export function privatePart(part: Part, columns: MeasuredColumns, random: RandomStream): PrivatePart {
  const width = Math.max(1, columns.numeric.length + columns.categorical.length);
  const some = (table: ModelTable, rows: number, name: string): ModelTable =>
    table.rows > rows ? takeRows(table, sampleRows(table.rows, rows, random.child(name))) : table;
  const real = some(part.train, Math.floor(REAL_CELLS / width), 'train');
  const held = part.holdout && some(part.holdout, ATTACKED_ROWS, 'holdout');
  const tables = [real, ...MADE.map((name) => part[name]), ...(held ? [held] : [])];
  const [train, synthetic, independent, swapped, holdout] = rankTables(held ? [real, held] : [real], tables, columns);
  const made = { synthetic: synthetic!, independent: independent!, swapped: swapped! };
  const ask = (name: Made): ModelTable =>
    some(made[name], name === 'synthetic' ? ASKED_ROWS : YARDSTICK_ROWS, `asked ${name}`);
  return {
    train: train!,
    holdout: holdout ?? null,
    peers: holdout ? some(train!, holdout.rows, 'peers') : null,
    made,
    asked: { synthetic: ask('synthetic'), independent: ask('independent'), swapped: ask('swapped') },
  };
}

export const privateParts = ({ parts, columns }: Parts, random: RandomStream): PrivatePart[] =>
  parts.map((part, at) => privatePart(part, columns, random.child(`part ${at}`)));

export const NO_HOLDOUT = 'there are too few real rows to keep some from the models';
export const NO_COLUMN = 'there is no numeric or category column, or a table has no row';
