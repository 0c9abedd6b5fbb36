import type { Dialect } from './profile/profile.ts';

export const MISSING = -1;

/** Cell i is `levels[codes[i]]`, or missing. Levels are distinct, in order of first appearance. */
export interface CellColumn {
  name: string;
  codes: Int32Array;
  levels: string[];
}

/** Columns have equal lengths and distinct names. */
export interface CellTable {
  rows: number;
  columns: CellColumn[];
}

export function cellAt(column: CellColumn, row: number): string | null {
  const code = column.codes[row] ?? MISSING;
  return code === MISSING ? null : (column.levels[code] ?? null);
}

/** @throws RangeError if there is no column of this name. */
export function columnOf(table: CellTable, name: string): CellColumn {
  const column = table.columns.find((candidate) => candidate.name === name);
  if (!column) throw new RangeError(`no column ${JSON.stringify(name)}`);
  return column;
}

/** Cells are valid only during the call: see `ownText`. */
export interface RowSink {
  /** Called once, with distinct non-empty names. */
  header(names: string[]): void;
  row(cells: string[]): void;
}

export interface Reading {
  dialect: Dialect;
  rows: number;
  warnings: string[];
}

export const MAX_COLUMNS = 16_384;
