import Papa from 'papaparse';
import type { Case } from '../contract/problems.ts';
import type { RefusalReason } from '../contract/reasons.ts';
import { isMissing } from './missing.ts';
import { type CellColumn, type CellTable, MISSING } from './table.ts';

/** Dates and times are text; integers have at most 18 digits. */
export type CellType = 'integer' | 'number' | 'text';

export interface TypedColumn {
  name: string;
  type: CellType;
  fitsDouble: boolean;
  longest: number;
}

export interface TableTypes {
  rows: number;
  columns: TypedColumn[];
}

/** 18 digits fit into 64 bits. "007" is a text. */
const INTEGER = /^-?(?:0|[1-9]\d{0,17})$/;
const DECIMAL = /^-?(?:(?:0|[1-9]\d*)(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,3})?$/;

/** A column of `numeric` is numeric if its cells survive conversion, except trailing zeros. */
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

/** The header comes first. Holds one piece of the file at a time. */
export async function* recordBatches(csv: AsyncIterable<Uint8Array>): AsyncGenerator<string[][]> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const bytes of csv) {
    const { records, rest: behind } = cutRecords(rest + decoder.decode(bytes, { stream: true }));
    rest = behind;
    if (records.length > 0) yield parse(records.join(''));
  }
  if (rest !== '') yield parse(rest);
}

/** A parser would take the last line break for a row. */
const parse = (text: string): string[][] => Papa.parse<string[]>(text.replace(/\n$/, ''), { delimiter: ',' }).data;

export function cutRecords(text: string): { records: string[]; rest: string } {
  const records: string[] = [];
  let [start, quoted] = [0, false];
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (char === '"') quoted = !quoted;
    if (char !== '\n' || quoted) continue;
    records.push(text.slice(start, at + 1));
    start = at + 1;
  }
  return { records, rest: text.slice(start) };
}

interface FormatFacts {
  title: string;
  contentType: string;
  cells: string;
}

interface UntypedFormat extends FormatFacts {
  typed: false;
  convert(csv: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array>;
}

interface TypedFormat extends FormatFacts {
  typed: true;
  /** Why the table cannot be written. */
  refuse?(types: TableTypes): Case<RefusalReason> | undefined;
  convert(csv: AsyncIterable<Uint8Array>, types: TableTypes): AsyncIterable<Uint8Array>;
}

export type OutputFormat = UntypedFormat | TypedFormat;

const PIECE_LENGTH = 64 * 1024;

/** Common delimiters would mislead readers that guess. */
const NEEDS_QUOTES = /[",;|\t\r\n]/;

/**
 * Writes CSV (RFC 4180, LF) in pieces.
 * @param missing Text of missing cells by column name; default ''.
 */
export function* writeCsv(table: CellTable, missing: ReadonlyMap<string, string> = new Map()): Generator<string> {
  // Readers skip blank lines.
  const lone = table.columns.length === 1;
  const quote = (text: string): string => (text === '' && lone ? '""' : quoteCell(text));
  const columns = table.columns.map((column) => cellWriter(column, quote, missing.get(column.name) ?? ''));
  let piece = `${table.columns.map(({ name }) => quote(name)).join(',')}\n`;
  for (let row = 0; row < table.rows; row++) {
    for (let i = 0; i < columns.length; i++) piece += (i > 0 ? ',' : '') + columns[i]!(row);
    piece += '\n';
    if (piece.length >= PIECE_LENGTH) {
      yield piece;
      piece = '';
    }
  }
  yield piece;
}

function cellWriter(column: CellColumn, quote: (text: string) => string, missing: string): (row: number) => string {
  const { codes } = column;
  const levels = column.levels.map(quote);
  const missingCell = quote(missing);
  return (row) => {
    const code = codes[row] ?? MISSING;
    return code === MISSING ? missingCell : (levels[code] ?? missingCell);
  };
}

const quoteCell = (text: string): string => (NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
