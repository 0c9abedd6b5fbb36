/** Cells to what models see: numbers, levels, texts; and what says of them where, and as what, a cell is missing. */

import type { CellFormat, ColumnProfile } from '../../contract/columns.ts';
import { JobError } from '../../contract/errors.ts';
import { parseCell } from '../../tables/format/cellFormat.ts';
import { type CellColumn, MISSING } from '../../tables/table.ts';
import { counted, quoted } from '../../words/wording.ts';
import { fitMargin, type Margin } from '../disclosure/margin.ts';
import { MIN_RELEASED_ROWS } from '../disclosure/thresholds.ts';
import type { CategoryColumn, ModelColumn, ModelTable, NumericColumn } from '../models/model.ts';
import type { ModelledRole } from '../models/registry.ts';

const FIELDS: Readonly<Record<'target' | 'continuous', string>> = {
  target: 'target_col',
  continuous: 'continuous_cols',
};

/** A column as models see it. `notes` takes what was odd. Throws JobError invalid_data where it cannot be modelled. */
export function toModelColumn(column: CellColumn, reading: ColumnReading, notes: string[]): ModelColumn {
  const { name, codes, levels } = column;
  const { role, tokens } = reading;
  if (role === 'categorical' || reading.isLabel) return { kind: 'category', name, codes, levels };
  if (role === 'text' || role === 'identifier') {
    const texts = levels.map((level) => (tokens.includes(level) ? null : level));
    return { kind: 'text', name, values: Array.from(codes, (code) => texts[code] ?? null) };
  }
  return toNumbers(column, { ...reading, role }, notes);
}

/** Cells that are no numbers count as missing. */
function toNumbers(
  { name, codes, levels }: CellColumn,
  { role, format, tokens }: ColumnReading & { role: 'target' | 'continuous' },
  notes: string[],
): NumericColumn {
  const isToken = levels.map((level) => tokens.includes(level));
  const numbers = levels.map((level, code) => (isToken[code] || !format ? undefined : parseCell(level, format)));
  const values = Float64Array.from(codes, (code) => numbers[code] ?? Number.NaN);
  const there = codes.reduce((count, code) => count + (code === MISSING || isToken[code] ? 0 : 1), 0);
  const known = values.reduce((count, value) => count + (Number.isNaN(value) ? 0 : 1), 0);
  if (known === 0 && (role === 'target' || there > 0)) throw noNumbers(name, role, there);
  if (known < there) {
    const cells = counted(there - known, 'cell');
    notes.push(`${cells} of column ${quoted(name)} without a number counted as missing.`);
  }
  return { kind: 'numeric', name, values };
}

const noNumbers = (name: string, role: 'target' | 'continuous', cells: number): JobError =>
  new JobError(
    cells === 0
      ? { reason: 'column_without_values', column: name }
      : { reason: 'column_without_numbers', column: name, cells },
    { field: FIELDS[role] },
  );

export const isMissing = (column: ModelColumn, row: number): boolean => {
  if (column.kind === 'numeric') return Number.isNaN(column.values[row]!);
  return column.kind === 'category' ? column.codes[row]! < 0 : column.values[row] === null;
};

export const countMissing = (table: ModelTable, name: string): number => {
  const column = table.columns.get(name)!;
  let count = 0;
  for (let row = 0; row < table.rows; row++) if (isMissing(column, row)) count++;
  return count;
};

/** First levels of an indicator; the column's own tokens for missing cells follow. */
const THERE = 'there';
const GONE = 'missing';
const OWN_TOKENS = 2;

/** A category column that says where the cells of a column are missing, and as which of its own tokens they are written. */
export function indicatorColumn(
  cells: CellColumn,
  column: ModelColumn,
  name: string,
  tokens: readonly string[],
): CategoryColumn {
  const tokenOf = cells.levels.map((level) => tokens.indexOf(level));
  const codes = Int32Array.from(cells.codes, (code, row) => {
    const token = code === MISSING ? -1 : tokenOf[code]!;
    if (token >= 0) return OWN_TOKENS + token;
    return isMissing(column, row) ? 1 : 0;
  });
  return { kind: 'category', name, codes, levels: [THERE, GONE, ...tokens], indicator: true };
}

/** The token that the indicator names in a row; undefined where it names none. */
export function tokenIn(indicator: ModelColumn | undefined, row: number): string | undefined {
  if (indicator?.kind !== 'category') return undefined;
  const code = indicator.codes[row]!;
  const text = indicator.levels[code];
  return text === THERE || text === GONE ? undefined : text;
}

/** True where the indicator says that the cell is missing. */
export const isGone = (indicator: ModelColumn | undefined, row: number): boolean =>
  indicator?.kind === 'category' && indicator.levels[indicator.codes[row]!] !== THERE;

/** The column with its cells missing where the indicator says so. */
export function withMissing(column: ModelColumn, indicator: ModelColumn | undefined): ModelColumn {
  return indicator ? markMissing(column, (row) => isGone(indicator, row)) : column;
}

/** The column with its cells missing in the rows that are gone. */
export function markMissing(column: ModelColumn, gone: (row: number) => boolean): ModelColumn {
  if (column.kind === 'numeric') {
    return { ...column, values: column.values.map((value, row) => (gone(row) ? Number.NaN : value)) };
  }
  if (column.kind === 'category') return { ...column, codes: column.codes.map((code, row) => (gone(row) ? -1 : code)) };
  return { ...column, values: column.values.map((value, row) => (gone(row) ? null : value)) };
}

// A column of the upload as the plan has it: how its cells are read, and what decides them beside the models.

/** How a column is made from others. */
export type Derivation =
  | { kind: 'copy'; of: string }
  | { kind: 'function'; of: string; valueOf: (x: number) => number }
  /** The number, or the text, beside each text of `of`; null is a missing cell. */
  | { kind: 'numbers'; of: string; numbers: ReadonlyMap<string | null, number> }
  | { kind: 'labels'; of: string; levels: readonly string[]; labels: ReadonlyMap<string | null, string | null> }
  /** The parts added up. */
  | { kind: 'sum'; parts: readonly string[] };

/** How the cells of one column are to be read. */
export interface ColumnReading {
  role: ModelledRole;
  /** Format of numbers and times; null where the cells are taken as text. */
  format: CellFormat | null;
  /** Texts that stand for a missing cell in this column alone: "-999", "-". Categories keep them as levels. */
  tokens: readonly string[];
  /** A target of labels, which is read as a category. */
  isLabel?: true;
}

/** What models see of a column that is read so. */
export function readAs({ role, isLabel }: ColumnReading): 'numbers' | 'levels' | 'text' | 'identifier' {
  if (role === 'categorical' || isLabel) return 'levels';
  return role === 'continuous' || role === 'target' ? 'numbers' : role;
}

export interface MissingRule {
  of: string;
  /** Texts of `of` beside which the cell is missing; with `except`, beside which alone it is there. */
  values: ReadonlySet<string>;
  except: boolean;
}

/** What is modelled in place of a column: its distance from an earlier one. */
export interface Difference {
  of: string;
  /** Name and range of the column of distances. */
  name: string;
  min: number;
  max: number;
}

export interface PlannedColumn extends ColumnReading {
  name: string;
  profile: ColumnProfile;
  /**
   * Name of the category column that says where this one is missing; null where no cell is or all are, and for
   * categories, whose missing cells are a level, and for columns made from others, unless they are copies.
   */
  indicator: string | null;
  /** How it is made from another column; null where it is modelled. */
  derivation: Derivation | null;
  /** Rows of a column with a derivation that do not follow it; null where all do. */
  exceptions: Exceptions | null;
  /** Has the last word on where cells are missing; the models see it through the indicator. */
  missingRule: MissingRule | null;
  /** What is modelled in its place; null where it is modelled itself. */
  difference: Difference | null;
  /** Where the numbers that are released lie, of a column that is not drawn from a margin of its own; null for others. */
  released: { min: number; max: number } | null;
}

// Rows that break what holds in nearly all of them.

/** Rows that break what holds in nearly all of them: how many of those with cells, and by how much. */
export interface Exceptions {
  share: number;
  /** How far numbers lie from where they should; null where too few rows say so, and for levels. */
  offsets: Margin | null;
}

/** Rows from which on their offsets are modelled. */
const MIN_OFFSETS = 20;

/** Takes notes; and whether relations have to hold in every row. */
export interface RelationHooks {
  notes: string[];
  withoutExceptions: boolean;
}

/** Null where no row is an exception. `offsets`: of those that are; NaN where there is none. */
export function exceptionsOf(share: number, offsets: Float64Array): Exceptions | null {
  if (offsets.length === 0) return null;
  const isKnown = offsets.length >= MIN_OFFSETS && !offsets.some(Number.isNaN);
  return { share, offsets: isKnown ? fitMargin(offsets, MIN_RELEASED_ROWS) : null };
}

/** What a note says of them. */
export const exceptionWords = ({ share }: Exceptions): string =>
  `except in ${share < 0.0001 ? 'less than 0.01' : Number((100 * share).toPrecision(2))} % of rows, as in the file`;
