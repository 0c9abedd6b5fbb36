/** What type a column of a synthetic table has in formats that know types: found from its cells, so that nothing is lost. */
import { isMissing } from './missing.ts';
import { recordBatches } from './recordBatches.ts';

/** `integer`: whole numbers of at most 18 digits. `number`: decimals. Dates, times and all else are texts as written. */
export type CellType = 'integer' | 'number' | 'text';

export interface TypedColumn {
  name: string;
  type: CellType;
  /** Whether each whole number is one that a double holds exactly. */
  fitsDouble: boolean;
  /** Characters of its longest cell. */
  longest: number;
}

export interface TableTypes {
  rows: number;
  columns: TypedColumn[];
}

/** At most 18 digits lie within 64 bits. Leading zeros are no number's: "007" stays a text. */
const INTEGER = /^-?(?:0|[1-9]\d{0,17})$/;
const DECIMAL = /^-?(?:(?:0|[1-9]\d*)(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,3})?$/;

/**
 * Columns in `numeric` are numbers where every cell that is not missing is one that its type holds as it is written, but
 * for zeros at the end; all others are texts. Reads the file once, and holds a piece of it at a time.
 */
export async function findCellTypes(csv: AsyncIterable<Uint8Array>, numeric: ReadonlySet<string>): Promise<TableTypes> {
  let columns: TypedColumn[] | undefined;
  let rows = 0;
  for await (const batch of recordBatches(csv)) {
    columns ??= (batch.shift() ?? []).map((name) => ({
      name,
      type: numeric.has(name) ? 'integer' : 'text',
      fitsDouble: true,
      longest: 0,
    }));
    rows += batch.length;
    for (const cells of batch) {
      for (const [j, column] of columns.entries()) look(column, cells[j] ?? '');
    }
  }
  return { rows, columns: columns ?? [] };
}

function look(column: TypedColumn, cell: string): void {
  column.longest = Math.max(column.longest, cell.length);
  if (column.type === 'text' || isMissing(cell)) return;
  const isInteger = INTEGER.test(cell);
  if (isInteger) column.fitsDouble &&= Number.isSafeInteger(Number(cell));
  else if (DECIMAL.test(cell) && Number.isFinite(Number(cell))) {
    column.fitsDouble &&= /[.eE]/.test(cell);
    column.type = 'number';
  } else column.type = 'text';
  if (column.type === 'number' && !column.fitsDouble) column.type = 'text';
}
