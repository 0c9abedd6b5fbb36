/** Converts cells to model columns and tracks missing cells. */

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

/** Throws JobError `invalid_data` if the column does not fit its role. */
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

/** Cells without a number count as missing. */
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

/** First levels of an indicator; the column's missing tokens follow. */
const THERE = 'there';
const GONE = 'missing';
const OWN_TOKENS = 2;

/** Marks missing cells by token. */
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

/** Returns the row's missing token, or undefined. */
export function tokenIn(indicator: ModelColumn | undefined, row: number): string | undefined {
  if (indicator?.kind !== 'category') return undefined;
  const code = indicator.codes[row]!;
  const text = indicator.levels[code];
  return text === THERE || text === GONE ? undefined : text;
}

export const isGone = (indicator: ModelColumn | undefined, row: number): boolean =>
  indicator?.kind === 'category' && indicator.levels[indicator.codes[row]!] !== THERE;

export function withMissing(column: ModelColumn, indicator: ModelColumn | undefined): ModelColumn {
  return indicator ? markMissing(column, (row) => isGone(indicator, row)) : column;
}

export function markMissing(column: ModelColumn, gone: (row: number) => boolean): ModelColumn {
  if (column.kind === 'numeric') {
    return { ...column, values: column.values.map((value, row) => (gone(row) ? Number.NaN : value)) };
  }
  if (column.kind === 'category') return { ...column, codes: column.codes.map((code, row) => (gone(row) ? -1 : code)) };
  return { ...column, values: column.values.map((value, row) => (gone(row) ? null : value)) };
}

export type Derivation =
  | { kind: 'copy'; of: string }
  | { kind: 'function'; of: string; valueOf: (x: number) => number }
  /** By text of `of`; null is a missing cell. */
  | { kind: 'numbers'; of: string; numbers: ReadonlyMap<string | null, number> }
  | { kind: 'labels'; of: string; levels: readonly string[]; labels: ReadonlyMap<string | null, string | null> }
  | { kind: 'sum'; parts: readonly string[] };

export interface ColumnReading {
  role: ModelledRole;
  format: CellFormat | null;
  /** Texts that mean missing in this column alone ("-999"). Categories keep them as levels. */
  tokens: readonly string[];
  isLabel?: true;
}

export function readAs({ role, isLabel }: ColumnReading): 'numbers' | 'levels' | 'text' | 'identifier' {
  if (role === 'categorical' || isLabel) return 'levels';
  return role === 'continuous' || role === 'target' ? 'numbers' : role;
}

export interface MissingRule {
  of: string;
  /** Texts of `of` beside which cells are missing or, with `except`, present. */
  values: ReadonlySet<string>;
  except: boolean;
}

/** Models a column by its distance from an earlier one. */
export interface Difference {
  of: string;
  name: string;
  min: number;
  max: number;
}

export interface PlannedColumn extends ColumnReading {
  name: string;
  profile: ColumnProfile;
  /** Marks missing cells. Null if none or all are missing, for categories, and for derived columns except copies. */
  indicator: string | null;
  /** Null if modelled. */
  derivation: Derivation | null;
  exceptions: Exceptions | null;
  /** Overrides the indicator. */
  missingRule: MissingRule | null;
  difference: Difference | null;
  /** Range of columns without their own margin. */
  released: { min: number; max: number } | null;
}

/** Rows that break a relation which nearly all keep. */
export interface Exceptions {
  share: number;
  /** Distances from expected numbers; null for levels, or if too few are known. */
  offsets: Margin | null;
}

const MIN_OFFSETS = 20;

export interface RelationHooks {
  notes: string[];
  withoutExceptions: boolean;
}

/** `offsets` are NaN if unknown. Returns null if empty. */
export function exceptionsOf(share: number, offsets: Float64Array): Exceptions | null {
  if (offsets.length === 0) return null;
  const isKnown = offsets.length >= MIN_OFFSETS && !offsets.some(Number.isNaN);
  return { share, offsets: isKnown ? fitMargin(offsets, MIN_RELEASED_ROWS) : null };
}

export const exceptionWords = ({ share }: Exceptions): string =>
  `except in ${share < 0.0001 ? 'less than 0.01' : Number((100 * share).toPrecision(2))} % of rows, as in the file`;
