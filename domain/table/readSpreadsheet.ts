/** Reads the first sheet with data of an Excel workbook (.xlsx, .xls) row by row. */
import { type CellObject, read, SSF, type WorkBook } from 'xlsx';
import { ServiceError } from '../errors.ts';
import { allBytes } from './byteStream.ts';
import { checkWorkbook, damaged } from './checkWorkbook.ts';
import { nameColumns } from './nameColumns.ts';
import { parseNumber } from './numberFormat.ts';
import { MAX_COLUMNS, type Reading, type RowSink } from './rowSink.ts';
import { counted, listed, quoted } from './wording.ts';

type SheetRows = ((CellObject | undefined)[] | undefined)[];

/** The first bytes of a zip archive: .xlsx is one, .xls is not. */
const ZIP = [0x50, 0x4b];

const MOST_ROWS = 2 ** 20;

/** How Excel's own date format is shown, instead of by the two-digit years of its American default. */
const DATE_FORMAT = 'yyyy-mm-dd';

/**
 * Gives the sink the header, which is the first row that is not empty, and the rows below it. Rows and columns with no
 * cell at all are left out. Throws `empty_file`, `no_data_rows`, `parse_error` and `unsupported_file_type`.
 */
export async function readSpreadsheet(
  bytes: AsyncIterable<Uint8Array>,
  source: { sheet?: string },
  sink: RowSink,
): Promise<Reading> {
  const file = await allBytes(bytes);
  if (ZIP.every((byte, index) => file[index] === byte)) await checkWorkbook(file);
  const { sheet, rows, others } = source.sheet === undefined ? firstSheet(file) : namedSheet(file, source.sheet);
  const columns = usedColumns(rows);
  const top = rows.findIndex((row) => columns.some((column) => cellText(row?.[column]) !== ''));
  const { names, warnings } = nameColumns(columns.map((column) => cellText(rows[top]?.[column])));
  sink.header(names);
  const counts = giveRows(rows, top + 1, columns, sink);
  if (counts.rows === 0) throw noDataRows(sheet, names.length);
  return {
    dialect: { format: 'spreadsheet', sheet },
    rows: counts.rows,
    warnings: [...otherSheets(sheet, others), ...warnings, ...errorCells(counts.errors)],
  };
}

interface FoundSheet {
  sheet: string;
  rows: SheetRows;
  others: string[];
}

function firstSheet(file: Uint8Array): FoundSheet {
  let names: string[] = [];
  for (let index = 0; index === 0 || index < names.length; index++) {
    const book = parse(file, index);
    names = book.SheetNames;
    const sheet = names[index];
    const rows = sheet === undefined ? undefined : rowsOf(book, sheet);
    if (sheet !== undefined && rows && usedColumns(rows).length > 0) {
      return { sheet, rows, others: names.filter((name) => name !== sheet) };
    }
  }
  throw new ServiceError(
    'empty_file',
    `The workbook has no cells in ${counted(names.length, 'sheet')}. Upload a workbook with a header row and data rows.`,
  );
}

function namedSheet(file: Uint8Array, sheet: string): FoundSheet {
  const rows = rowsOf(parse(file, sheet), sheet);
  if (!rows) throw damaged();
  return { sheet, rows, others: [] };
}

function parse(file: Uint8Array, sheet: number | string): WorkBook {
  try {
    return read(file, {
      dense: true,
      sheets: sheet,
      cellNF: true,
      cellHTML: false,
      cellFormula: false,
      dateNF: DATE_FORMAT,
    });
  } catch (error) {
    if (error instanceof Error && /password/i.test(error.message)) throw protectedByPassword();
    throw damaged();
  }
}

function rowsOf(book: WorkBook, sheet: string): SheetRows | undefined {
  const rows: SheetRows | undefined = new Map(Object.entries(book.Sheets)).get(sheet)?.['!data'];
  // A damaged file may place a cell anywhere; what lies beyond a worksheet's bounds is not looked at.
  return rows?.slice(0, MOST_ROWS).map((row) => row?.slice(0, MAX_COLUMNS));
}

/** Columns with a cell that is not empty, in order. */
function usedColumns(rows: SheetRows): number[] {
  const used = new Set<number>();
  for (const row of rows) {
    row?.forEach((cell, column) => {
      if (!used.has(column) && cellText(cell) !== '') used.add(column);
    });
  }
  return [...used].sort((a, b) => a - b);
}

function giveRows(rows: SheetRows, first: number, columns: number[], sink: RowSink): { rows: number; errors: number } {
  const counts = { rows: 0, errors: 0 };
  for (let index = first; index < rows.length; index++) {
    const row = rows[index];
    // The library's cells are many times larger than their text: each row is let go when it has been given.
    rows[index] = undefined;
    if (!row) continue;
    const cells = columns.map((column) => cellText(row[column]));
    const errors = columns.filter((column) => row[column]?.t === 'e').length;
    counts.errors += errors;
    if (errors === 0 && cells.every((cell) => cell === '')) continue;
    counts.rows++;
    sink.row(cells);
  }
  return counts;
}

/** The cell's text: dates as they are shown, numbers in full unless their format shows them as a plain number. */
function cellText(cell: CellObject | undefined): string {
  if (!cell || cell.v === undefined || cell.v === null || cell.t === 'e' || cell.t === 'z') return '';
  if (cell.t === 'b') return cell.v ? 'TRUE' : 'FALSE';
  if (cell.t !== 'n') return String(cell.v);
  if (cell.z === undefined || cell.z === 'General') return String(cell.v);
  const shown = cell.w ?? '';
  return SSF.is_date(String(cell.z)) || parseNumber(shown) !== undefined ? shown.trim() : String(cell.v);
}

function otherSheets(sheet: string, others: string[]): string[] {
  if (others.length === 0) return [];
  return [`Of the workbook's sheets, ${quoted(sheet)} was read; not read: ${listed(others.map(quoted))}.`];
}

function errorCells(count: number): string[] {
  if (count === 0) return [];
  return [
    `${counted(count, 'cell')} of the sheet ${count === 1 ? 'holds an error' : 'hold errors'} (such as #N/A or #DIV/0!) and ${count === 1 ? 'counts' : 'count'} as missing.`,
  ];
}

const noDataRows = (sheet: string, width: number): ServiceError =>
  new ServiceError(
    'no_data_rows',
    `Sheet ${quoted(sheet)} has a header of ${counted(width, 'column')} and no rows below it. Upload a workbook with at least one data row.`,
  );

const protectedByPassword = (): ServiceError =>
  new ServiceError('parse_error', 'The workbook is protected by a password. Save it without one and upload it again.');
