/** Rows on their way from a file to whoever keeps or counts them. */
import type { Dialect } from '../profile/profile.ts';

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
