/** Represents a table as unmodified text, column by column. */

import type { Dialect } from './profile/profile.ts';

export const MISSING = -1;

/**
 * A dictionary-encoded column: cell i is `levels[codes[i]]`, or missing if `codes[i]` is MISSING. Levels are distinct,
 * in order of first appearance.
 */
export interface CellColumn {
  name: string;
  codes: Int32Array;
  levels: string[];
}

/** Columns of equal length with distinct names, in file order. */
export interface CellTable {
  rows: number;
  columns: CellColumn[];
}

/** Returns a cell's text, or null if it is missing. */
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

/** Receives a table row by row. Cells are valid only during the call: see `ownText`. */
export interface RowSink {
  /** Called once, before any row, with distinct non-empty names. */
  header(names: string[]): void;
  /** Called with one cell per name. */
  row(cells: string[]): void;
}

export interface Reading {
  dialect: Dialect;
  rows: number;
  /** Oddities of the file and how they were handled. */
  warnings: string[];
}

/** Maximum number of columns, as in Excel. */
export const MAX_COLUMNS = 16_384;
