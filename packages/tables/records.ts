/** A CSV file as the service writes it, record by record and the types of its columns. */
import Papa from 'papaparse';
import type { Case } from '../contract/problems.ts';
import type { RefusalReason } from '../contract/reasons.ts';
import { isMissing } from './missing.ts';
import { type CellColumn, type CellTable, MISSING } from './table.ts';

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

// The records of a CSV file as the service writes it (UTF-8, a header line, commas), some at a time.

/** The header comes first, in a batch with the records behind it. Holds no more than a piece of the file at a time. */
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

/** Without the last line end, behind which a parser would see one row more. */
const parse = (text: string): string[][] => Papa.parse<string[]>(text.replace(/\n$/, ''), { delimiter: ',' }).data;

/** Whole records of a CSV text, each with its line end, and what is left behind the last. `"` around cells, doubled inside. */
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

// The contract of an output format: what a result is given as besides CSV, made from the CSV file as it is sent.

interface FormatFacts {
  /** As people choose it from a list. */
  title: string;
  contentType: string;
  /** How rows and cells are written, for the description of the API. */
  cells: string;
}

interface UntypedFormat extends FormatFacts {
  typed: false;
  /** Converts a CSV file as the service writes it. */
  convert(csv: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array>;
}

/** The file is read once before, for the types of its cells. */
interface TypedFormat extends FormatFacts {
  typed: true;
  /** Why the table cannot be written so, in words; undefined where it can. */
  refuse?(types: TableTypes): Case<RefusalReason> | undefined;
  convert(csv: AsyncIterable<Uint8Array>, types: TableTypes): AsyncIterable<Uint8Array>;
}

export type OutputFormat = UntypedFormat | TypedFormat;

// Writes a table as CSV (RFC 4180, lines end in LF), piece by piece.

/** Characters after which a piece is given. */
const PIECE_LENGTH = 64 * 1024;

/**
 * Cells that are quoted: those with a quote, a line break or a delimiter. Of delimiters all that people use, so that a
 * reader that guesses is not misled.
 */
const NEEDS_QUOTES = /[",;|\t\r\n]/;

/** The text of the file. `missing` has the text of missing cells by column name; '' where a name is not there. */
export function* writeCsv(table: CellTable, missing: ReadonlyMap<string, string> = new Map()): Generator<string> {
  // A line with nothing on it is no row to any reader, so a lone empty cell is quoted.
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
