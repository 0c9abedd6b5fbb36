/** Sorts rows by entity, then by order. */
import { JobError } from '../../../contract/errors.ts';
import type { TableRequest } from '../../../contract/requests.ts';
import { parseCell } from '../../../tables/format/cellFormat.ts';
import type { Profile } from '../../../tables/profile/profile.ts';
import { type CellTable, columnOf, MISSING } from '../../../tables/table.ts';
import { counted, quoted } from '../../../words/wording.ts';

const MAX_ROWS = 10_000;

export interface EntityColumns {
  key: string;
  /** Null for file order. */
  order: string | null;
}

export interface ArrangedTable {
  cells: CellTable;
  /** Null if rows are independent. */
  entity: EntityColumns | null;
  notes: string[];
}

/** Drops rows without a key or order. Throws JobError `invalid_data` if most are dropped, or an entity is too long. */
export function arrangeEntities(cells: CellTable, profile: Profile, request: TableRequest): ArrangedTable {
  const { entity_col: key, order_col: order } = request;
  if (key === null) return { cells, entity: null, notes: [] };
  const own = columnOf(cells, key);
  const tokens = tokensOf(profile, key);
  const isKey = own.levels.map((level) => !tokens.has(level) && level.trim() !== '');
  const orders = order === null ? null : numbersOf(cells, profile, order);
  const rows: number[] = [];
  for (let row = 0; row < cells.rows; row++) {
    const code = own.codes[row]!;
    if (code !== MISSING && isKey[code] && !(orders && Number.isNaN(orders[row]!))) rows.push(row);
  }
  if (rows.length * 2 < cells.rows || rows.length === 0)
    throw new JobError(
      { reason: 'entities_without_rows', column: key, order, rows: cells.rows },
      { field: 'entity_col' },
    );
  const sizes = new Int32Array(own.levels.length);
  for (const row of rows) sizes[own.codes[row]!]!++;
  const longest = sizes.reduce((most, size) => Math.max(most, size), 0);
  if (longest > MAX_ROWS)
    throw new JobError(
      { reason: 'entity_too_long', column: key, rows: longest, max: MAX_ROWS },
      { field: 'entity_col' },
    );
  const notes = rows.length < cells.rows ? [leftOut(cells.rows - rows.length, key, order)] : [];
  if (longest === 1) {
    notes.push(`Each value of ${quoted(key)} has one row, so the rows were made one by one, as of an ordinary table.`);
    return { cells: takeCells(cells, Int32Array.from(rows)), entity: null, notes };
  }
  const first = firstRows(own.codes, rows, own.levels.length);
  rows.sort((a, b) => first[own.codes[a]!]! - first[own.codes[b]!]! || (orders ? orders[a]! - orders[b]! : 0) || a - b);
  return { cells: takeCells(cells, Int32Array.from(rows)), entity: { key, order }, notes };
}

const leftOut = (rows: number, key: string, order: string | null): string =>
  `${counted(rows, 'row')} without a cell in ${quoted(key)}${order === null ? '' : ` or ${quoted(order)}`} ${rows === 1 ? 'was' : 'were'} left out.`;

const tokensOf = ({ columns }: Profile, name: string): ReadonlySet<string> =>
  new Set(columns.find((column) => column.name === name)?.missing_tokens.map(([token]) => token) ?? []);

function numbersOf(cells: CellTable, profile: Profile, name: string): Float64Array {
  const { codes, levels } = columnOf(cells, name);
  const format = profile.columns.find((column) => column.name === name)?.format;
  const tokens = tokensOf(profile, name);
  const numbers = levels.map((level) =>
    format && !tokens.has(level) ? (parseCell(level, format) ?? Number.NaN) : Number.NaN,
  );
  return Float64Array.from(codes, (code) => numbers[code] ?? Number.NaN);
}

function firstRows(codes: Int32Array, rows: readonly number[], levels: number): Int32Array {
  const first = new Int32Array(levels).fill(-1);
  for (const row of rows) if (first[codes[row]!] === -1) first[codes[row]!] = row;
  return first;
}

const takeCells = ({ columns }: CellTable, rows: Int32Array): CellTable => ({
  rows: rows.length,
  columns: columns.map((column) => ({ ...column, codes: rows.map((row) => column.codes[row]!) })),
});
