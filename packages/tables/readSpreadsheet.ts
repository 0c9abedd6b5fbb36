/** Reads the first non-empty sheet of an Excel workbook. */
import { type Range, read, utils, type WorkBook } from 'xlsx';
import { ServiceError } from '../contract/errors.ts';
import { counted, listed, quoted } from '../words/wording.ts';
import { type Cell, CellReader } from './cellText.ts';
import { checkWorkbook } from './checkWorkbook.ts';
import { type CompoundFile, checkRecords, compoundFile } from './compoundFile.ts';
import { dataAsHeader, findSheetHeader, HEAD_ROWS, nameColumns, type SheetTexts } from './header.ts';
import { allBytes, unsupported } from './sniff.ts';
import { MAX_COLUMNS, type Reading, type RowSink } from './table.ts';
import { damaged, MAX_PLACES, MAX_ROWS, protectedByPassword, tooManyPlaces } from './workbookLimits.ts';

type SheetRows = (Cell[] | undefined)[];

interface Checked {
  bytes: Uint8Array;
  isZip: boolean;
}

interface FoundSheet {
  sheet: string;
  rows: SheetRows;
  merges: Range[];
  others: string[];
  reader: CellReader;
}

const ZIP = [0x50, 0x4b];

/**
 * Skips titles and empty rows or columns.
 * @throws ServiceError `empty_file`, `no_data_rows`, `parse_error` or `unsupported_file_type`.
 */
export async function readSpreadsheet(
  bytes: AsyncIterable<Uint8Array>,
  source: { sheet?: string },
  sink: RowSink,
): Promise<Reading> {
  const book = await check(await allBytes(bytes));
  const found = source.sheet === undefined ? firstSheet(book) : namedSheet(book, source.sheet);
  const { sheet, rows, others, reader } = found;
  const texts = textsOf(found);
  const header = findSheetHeader(texts);
  const { columns, data } = header;
  if ((rows.length - data) * columns.length > MAX_PLACES) throw tooManyPlaces(rows.length - data, columns.length);
  const { names, warnings } = nameColumns(header.names);
  sink.header(names);
  const below = texts.rows.filter((row) => row >= data);
  const firstRows = below.map((row) => columns.map((column) => texts.text(row, column)));
  const counts = giveRows(rows, data, columns, reader, sink);
  if (counts.rows === 0) throw noDataRows(sheet, names.length);
  return {
    dialect: { format: 'spreadsheet', sheet },
    rows: counts.rows,
    warnings: [
      ...otherSheets(sheet, others),
      ...header.warnings,
      ...warnings,
      ...dataAsHeader(header.names, firstRows),
      ...errorCells(counts),
    ],
  };
}

async function check(file: Uint8Array): Promise<Checked> {
  const isZip = ZIP.every((byte, index) => file[index] === byte);
  return { bytes: isZip ? await checkWorkbook(file) : checkOldWorkbook(file), isZip };
}

function firstSheet(file: Checked): FoundSheet {
  const first = parse(file, 0);
  const found = sheetWithCells(first);
  if (found) return found;
  const names = first.SheetNames;
  const rest = file.isZip && names.length > 1 ? sheetWithCells(parse(file, [...names.keys()].slice(1))) : undefined;
  if (rest) return rest;
  throw new ServiceError({ reason: 'workbook_has_no_cells', sheets: names.length });
}

function sheetWithCells(book: WorkBook): FoundSheet | undefined {
  for (const name of book.SheetNames) {
    const found = sheetOf(book, name);
    if (found?.rows.some((row) => row?.some((cell) => found.reader.text(cell) !== ''))) return found;
  }
  return undefined;
}

function namedSheet(file: Checked, sheet: string): FoundSheet {
  const found = sheetOf(parse(file, sheet), sheet);
  if (!found) throw damaged();
  return found;
}

function parse({ bytes, isZip }: Checked, sheets: number | string | number[]): WorkBook {
  try {
    return read(bytes, {
      // Avoids a copy.
      type: isZip ? 'array' : 'buffer',
      dense: true,
      sheets,
      cellNF: true,
      // Completes the formats of an .xls workbook.
      cellText: !isZip,
      cellHTML: false,
      cellFormula: false,
    });
  } catch (error) {
    if (error instanceof Error && /password/i.test(error.message)) throw protectedByPassword();
    throw damaged();
  }
}

function sheetOf(book: WorkBook, sheet: string): FoundSheet | undefined {
  const found = new Map(Object.entries(book.Sheets)).get(sheet);
  const cells: SheetRows | undefined = found?.['!data'];
  if (!found || !cells) return undefined;
  // A damaged file may place cells outside a worksheet's bounds.
  const rows = cells.slice(0, MAX_ROWS);
  rows.forEach((row, index) => {
    if (row && row.length > MAX_COLUMNS) rows[index] = row.slice(0, MAX_COLUMNS);
  });
  const others = book.SheetNames.filter((name) => name !== sheet);
  const reader = new CellReader(book.Workbook?.WBProps?.date1904 ? 1904 : 1900);
  return { sheet, rows, merges: found['!merges'] ?? [], others, reader };
}

function textsOf({ rows, merges, reader }: FoundSheet): SheetTexts {
  const first: number[] = [];
  for (let index = 0; index < rows.length && first.length < HEAD_ROWS; index++) {
    if (rows[index]?.some((cell) => reader.text(cell) !== '')) first.push(index);
  }
  const lastHead = first.at(-1) ?? 0;
  return {
    rows: first,
    text: (row, column) => reader.text(rows[row]?.[column]),
    columnsFrom: columnsFrom(rows, first, reader),
    merges: merges.filter(({ s }) => s.r <= lastHead),
  };
}

function columnsFrom(rows: SheetRows, head: readonly number[], reader: CellReader): (row: number) => number[] {
  const last = new Map<number, number>();
  const lastHead = head.at(-1) ?? 0;
  const below = new Set<number>();
  for (let index = 0; index < rows.length; index++) {
    rows[index]?.forEach((cell, column) => {
      if (below.has(column) || reader.text(cell) === '') return;
      if (index > lastHead) below.add(column);
      else last.set(column, index);
    });
  }
  const all = [...new Set([...last.keys(), ...below])].sort((a, b) => a - b);
  return (row) => all.filter((column) => below.has(column) || (last.get(column) ?? -1) >= row);
}

interface Counts {
  rows: number;
  errors: number;
  firstError: string;
}

function giveRows(rows: SheetRows, first: number, columns: number[], reader: CellReader, sink: RowSink): Counts {
  const counts: Counts = { rows: 0, errors: 0, firstError: '' };
  for (let index = first; index < rows.length; index++) {
    const row = rows[index];
    // The library's cells are far larger than their text.
    rows[index] = undefined;
    if (!row) continue;
    const cells = columns.map((column) => reader.text(row[column]));
    const errors = columns.filter((column) => row[column]?.t === 'e');
    if (errors.length === 0 && cells.every((cell) => cell === '')) continue;
    if (errors.length > 0 && counts.errors === 0) counts.firstError = errorAt(row, index, errors[0]!);
    counts.errors += errors.length;
    counts.rows++;
    sink.row(cells);
  }
  return counts;
}

/** Error codes (MS-XLS 2.5.10). */
const ERRORS = new Map<unknown, string>([
  [0x00, '#NULL!'],
  [0x07, '#DIV/0!'],
  [0x0f, '#VALUE!'],
  [0x17, '#REF!'],
  [0x1d, '#NAME?'],
  [0x24, '#NUM!'],
  [0x2a, '#N/A'],
]);

const errorAt = (row: Cell[], index: number, column: number): string =>
  `${ERRORS.get(row[column]?.v) ?? 'an error'} in ${utils.encode_cell({ r: index, c: column })}`;

function otherSheets(sheet: string, others: string[]): string[] {
  if (others.length === 0) return [];
  return [`Only sheet ${quoted(sheet)} of the workbook was read. Not read: ${listed(others.map(quoted))}.`];
}

function errorCells({ errors, firstError }: Counts): string[] {
  if (errors === 0) return [];
  const one = errors === 1;
  return [
    `${counted(errors, 'cell')} in the sheet ${one ? 'has an error' : 'have errors'} and ${one ? 'counts' : 'count'} as missing (${one ? '' : 'the first: '}${firstError}).`,
  ];
}

const noDataRows = (sheet: string, width: number): ServiceError =>
  new ServiceError({ reason: 'sheet_has_no_rows', sheet, columns: width });

const FOREIGN = [
  ['WordDocument', 'word'],
  ['PowerPoint Document', 'powerpoint'],
  ['VisioDocument', 'visio'],
  ['__properties_version1.0', 'outlook'],
] as const;

function checkOldWorkbook(bytes: Uint8Array): Uint8Array {
  const file = compoundFile(bytes);
  if (!file) throw damaged();
  if (file.names.includes('EncryptedPackage')) throw protectedByPassword();
  const records = file.stream('Workbook') ?? file.stream('Book');
  if (!records) throw noWorkbook(file);
  if (!checkRecords(records)) throw damaged();
  return records;
}

function noWorkbook({ names }: CompoundFile) {
  if (names.some((name) => /^(work)?book$/i.test(name))) return damaged();
  const foreign = FOREIGN.find(([name]) => names.includes(name));
  return foreign ? unsupported(foreign[1]) : damaged();
}
