/** Cells to what models see: numbers, levels, texts; and what says of them where a cell is missing. */
import { JobError } from '../../domain/errors.ts';
import { parseNumber } from '../../domain/table/numberFormat.ts';
import { type CellColumn, type CellTable, columnOf, MISSING } from '../../domain/table/table.ts';
import { counted, quoted } from '../../domain/table/wording.ts';
import type { CategoryColumn, ModelColumn, ModelTable, NumericColumn } from '../models/model.ts';
import type { ModelledRole } from '../models/registry.ts';

const FIELDS: Readonly<Record<ModelledRole, string>> = {
  target: 'target_col',
  continuous: 'continuous_cols',
  categorical: 'categorical_cols',
  text: 'text_cols',
};

/** The named columns by their roles. `notes` takes what was odd. Throws JobError invalid_data where a column cannot be modelled. */
export function toModelTable(
  table: CellTable,
  columns: readonly { name: string; role: ModelledRole }[],
  notes: string[],
): ModelTable {
  const modelled = columns.map(({ name, role }): [string, ModelColumn] => [
    name,
    toModelColumn(columnOf(table, name), role, notes),
  ]);
  return { rows: table.rows, columns: new Map(modelled) };
}

function toModelColumn(column: CellColumn, role: ModelledRole, notes: string[]): ModelColumn {
  const { name, codes, levels } = column;
  if (role === 'categorical') return { kind: 'category', name, codes, levels };
  if (role === 'text') return { kind: 'text', name, values: Array.from(codes, (code) => levels[code] ?? null) };
  return toNumbers(column, role, notes);
}

/** Cells that are no numbers count as missing. */
function toNumbers({ name, codes, levels }: CellColumn, role: 'target' | 'continuous', notes: string[]): NumericColumn {
  const numbers = levels.map((level) => parseNumber(level) ?? Number.NaN);
  const values = Float64Array.from(codes, (code) => numbers[code] ?? Number.NaN);
  const there = codes.reduce((count, code) => count + (code === MISSING ? 0 : 1), 0);
  const known = values.reduce((count, value) => count + (Number.isNaN(value) ? 0 : 1), 0);
  if (known === 0 && (role === 'target' || there > 0)) throw noNumbers(name, role, there);
  if (known < there) {
    const cells = counted(there - known, 'cell');
    notes.push(`${cells} of column ${quoted(name)} that are no numbers were taken as missing.`);
  }
  return { kind: 'numeric', name, values };
}

const noNumbers = (name: string, role: ModelledRole, there: number): JobError =>
  new JobError(
    'invalid_data',
    there === 0
      ? `Column ${quoted(name)} (${FIELDS[role]}) has no values: every cell is missing. Upload the file again and name another column.`
      : `Column ${quoted(name)} (${FIELDS[role]}) has no numbers: none of its ${counted(there, 'cell')} is one. Send POST /generate again with it in categorical_cols or text_cols.`,
  );

const isMissing = (column: ModelColumn, row: number): boolean => {
  if (column.kind === 'numeric') return Number.isNaN(column.values[row]!);
  return column.kind === 'category' ? column.codes[row]! < 0 : column.values[row] === null;
};

export const countMissing = (table: ModelTable, name: string): number => {
  const column = table.columns.get(name)!;
  let count = 0;
  for (let row = 0; row < table.rows; row++) if (isMissing(column, row)) count++;
  return count;
};

const INDICATOR_LEVELS = ['there', 'missing'] as const;

/** A category column that says where another column's cells are missing. */
export function indicatorColumn(table: ModelTable, of: string, name: string): CategoryColumn {
  const column = table.columns.get(of)!;
  const codes = Int32Array.from({ length: table.rows }, (_, row) => (isMissing(column, row) ? 1 : 0));
  return { kind: 'category', name, codes, levels: INDICATOR_LEVELS };
}

/** The column with its cells missing where the indicator says so. */
export function withMissing(column: ModelColumn, indicator: ModelColumn | undefined): ModelColumn {
  if (indicator?.kind !== 'category') return column;
  const missing = indicator.levels.indexOf(INDICATOR_LEVELS[1]);
  const gone = (row: number): boolean => indicator.codes[row] === missing;
  if (column.kind === 'numeric') {
    return { ...column, values: column.values.map((value, row) => (gone(row) ? Number.NaN : value)) };
  }
  if (column.kind === 'category') return { ...column, codes: column.codes.map((code, row) => (gone(row) ? -1 : code)) };
  return { ...column, values: column.values.map((value, row) => (gone(row) ? null : value)) };
}
