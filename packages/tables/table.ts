/** A table as text, column by column: what was in the file, kept as it was. */

import type { Dialect } from './profile/profile.ts';

/** Code of a missing cell. */
export const MISSING = -1;

/**
 * One column, dictionary-encoded: cell i is `levels[codes[i]]`, or missing where `codes[i]` is MISSING.
 * Levels are distinct and stand in the order of first appearance.
 */
export interface CellColumn {
  name: string;
  codes: Int32Array;
  levels: string[];
}

/** Columns of equal length, in the file's order, with distinct names. */
export interface CellTable {
  rows: number;
  columns: CellColumn[];
}

/** The cell's text, or null where it is missing. */
export function cellAt(column: CellColumn, row: number): string | null {
  const code = column.codes[row] ?? MISSING;
  return code === MISSING ? null : (column.levels[code] ?? null);
}

/** The named column. Throws RangeError where the table has none of this name. */
export function columnOf(table: CellTable, name: string): CellColumn {
  const column = table.columns.find((candidate) => candidate.name === name);
  if (!column) throw new RangeError(`no column ${JSON.stringify(name)}`);
  return column;
}

// Rows on their way from a file to whoever keeps or counts them.

/** Takes a table row by row. The cells of a row belong to the sink only during the call: see `ownText`. */
export interface RowSink {
  /** Once, before the first row: distinct names that are not empty. */
  header(names: string[]): void;
  /** As many cells as there are names. */
  row(cells: string[]): void;
}

/** What a reader says when all rows are through. */
export interface Reading {
  dialect: Dialect;
  rows: number;
  /** What was odd about the file and what was done about it, in words. */
  warnings: string[];
}

/** Columns that a table may have; a worksheet of Excel has as many. */
export const MAX_COLUMNS = 16_384;
