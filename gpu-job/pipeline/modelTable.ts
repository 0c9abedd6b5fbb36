/** Cells to what models see: numbers, levels, texts; and what says of them where, and as what, a cell is missing. */
import { type Dress, undress } from '../../domain/dress/dress.ts';
import { JobError } from '../../domain/errors.ts';
import { type CellColumn, MISSING } from '../../domain/table/table.ts';
import { counted, quoted } from '../../domain/table/wording.ts';
import type { CategoryColumn, ModelColumn, ModelTable, NumericColumn } from '../models/model.ts';
import type { ModelledRole } from '../models/registry.ts';

const FIELDS: Readonly<Record<'target' | 'continuous', string>> = {
  target: 'target_col',
  continuous: 'continuous_cols',
};

/** How the cells of one column are to be read. */
export interface ColumnReading {
  role: ModelledRole;
  /** Of numbers and times; null where the cells are taken as text. */
  dress: Dress | null;
  /** Texts that stand for a missing cell in this column alone: "-999", "-". Categories keep them as levels. */
  tokens: readonly string[];
}

/** A column as models see it. `notes` takes what was odd. Throws JobError invalid_data where it cannot be modelled. */
export function toModelColumn(column: CellColumn, reading: ColumnReading, notes: string[]): ModelColumn {
  const { name, codes, levels } = column;
  const { role, tokens } = reading;
  if (role === 'categorical') return { kind: 'category', name, codes, levels };
  if (role === 'text' || role === 'identifier') {
    const texts = levels.map((level) => (tokens.includes(level) ? null : level));
    return { kind: 'text', name, values: Array.from(codes, (code) => texts[code] ?? null) };
  }
  return toNumbers(column, { ...reading, role }, notes);
}

/** Cells that are no numbers count as missing. */
function toNumbers(
  { name, codes, levels }: CellColumn,
  { role, dress, tokens }: ColumnReading & { role: 'target' | 'continuous' },
  notes: string[],
): NumericColumn {
  const isToken = levels.map((level) => tokens.includes(level));
  const numbers = levels.map((level, code) => (isToken[code] || !dress ? undefined : undress(level, dress)));
  const values = Float64Array.from(codes, (code) => numbers[code] ?? Number.NaN);
  const there = codes.reduce((count, code) => count + (code === MISSING || isToken[code] ? 0 : 1), 0);
  const known = values.reduce((count, value) => count + (Number.isNaN(value) ? 0 : 1), 0);
  if (known === 0 && (role === 'target' || there > 0)) throw noNumbers(name, role, there);
  if (known < there) {
    const cells = counted(there - known, 'cell');
    notes.push(`${cells} of column ${quoted(name)} that are no numbers were taken as missing.`);
  }
  return { kind: 'numeric', name, values };
}

const noNumbers = (name: string, role: 'target' | 'continuous', there: number): JobError =>
  new JobError(
    'invalid_data',
    there === 0
      ? `Column ${quoted(name)} (${FIELDS[role]}) has no values: every cell is missing. Upload the file again and name another column.`
      : `Column ${quoted(name)} (${FIELDS[role]}) has no numbers: none of its ${counted(there, 'cell')} is one. Send POST /generate again with it in categorical_cols or text_cols.`,
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
