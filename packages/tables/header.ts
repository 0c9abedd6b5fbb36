/** The header of a table: whether a first row is one, and the names of columns. */
import Papa from 'papaparse';
import type { Range } from 'xlsx';
import { ServiceError } from '../contract/errors.ts';
import { counted, listed, quoted } from '../words/wording.ts';
import { parseNumber } from './format/number.ts';
import { isMissing } from './missing.ts';
import type { Newline } from './plainRow.ts';
import { MAX_COLUMNS } from './table.ts';
import { ownText } from './textDictionary.ts';

/** Rows that a header is compared with, at most. */
const ROWS = 100;

/** Whether a column of numbers has a name that is none: then its row is the header without doubt. */
export function namesNumbers(header: readonly string[], data: readonly string[][]): boolean {
  return header.some((cell, column) => isWord(cell) && isNumbers(data, column));
}

export const isNumber = (cell: string): boolean => parseNumber(cell) !== undefined;

/** Whether the column has cells, and all of them are numbers. */
function isNumbers(data: readonly string[][], column: number): boolean {
  const cells = data.map((row) => row[column] ?? '').filter((cell) => !isMissing(cell));
  return cells.length > 0 && cells.every(isNumber);
}

/** A warning where the row that was taken for the header looks like one of the table's own rows; else none. */
export function dataAsHeader(header: readonly string[], data: readonly string[][]): string[] {
  if (namesNumbers(header, data)) return [];
  // Files that were put one below the other have the header once more: that says nothing.
  const others = data.filter((row) => row.some((cell, column) => cell !== header[column]));
  const numbers = header.flatMap((cell, column) => (isNumber(cell) && isNumbers(data, column) ? [cell] : []));
  const repeated = header.filter(
    (cell, column) => isWord(cell) && others.filter((row) => row[column] === cell).length > 1,
  );
  const byNumber = isSequence(numbers.map(Number)) ? undefined : numbers[0];
  const byWord = numbers.length > 0 || 2 * repeated.length >= header.length ? repeated[0] : undefined;
  const shown = byNumber ?? byWord;
  if (shown === undefined) return [];
  const why = byNumber === undefined ? 'also occurs in the rows below' : 'is a number above a column of numbers';
  return [
    `The first row looks like data, not like column names: ${quoted(shown)} ${why}. It was used as the header. If it is data, add a line with ${counted(header.length, 'column name')} above it and upload the file again.`,
  ];
}

const isWord = (cell: string): boolean => !isMissing(cell) && !isNumber(cell);

/** Whole numbers in equal steps, such as years or places, or one that may be a year: names that tables do have. */
function isSequence(numbers: readonly number[]): boolean {
  if (numbers.length === 0) return true;
  const step = numbers.length > 1 ? numbers[1]! - numbers[0]! : 1;
  const isYear = numbers.length > 1 || (numbers[0]! >= 1500 && numbers[0]! <= 2200);
  return isYear && step !== 0 && numbers.every((n, i) => Number.isInteger(n) && n === numbers[0]! + i * step);
}

/** The first rows that are not blank. */
export function firstRows(
  text: string,
  newline: Newline,
  delimiter: string,
  { whole }: { whole: boolean },
): string[][] {
  const rows: string[][] = [];
  const parser = new Papa.Parser({
    delimiter,
    newline,
    step: ({ data }: { data: string[][] }) => {
      const cells = data[0] ?? [];
      if (cells.length > 1 || cells[0]?.trim() !== '') rows.push(cells);
      if (rows.length > ROWS) parser.abort();
    },
  });
  parser.parse(text, 0, !whole);
  return rows;
}

/**
 * Column names from the cells of a header: without spaces around them, distinct, none empty. A cell without a name gets
 * `column_<number>`, a repeated one gets `_2`, `_3` …; each kind of change has one warning. Throws `parse_error` where
 * there are too many.
 */
export function nameColumns(cells: readonly string[]): { names: string[]; warnings: string[] } {
  if (cells.length > MAX_COLUMNS) throw tooManyColumns(cells.length);
  const names = cells.map((cell) => ownText(cell.trim()));
  const padded = names.filter((name, index) => name !== '' && name !== cells[index]);
  const free = nameGiver(names);
  const nameless: string[] = [];
  const repeated: string[] = [];
  const seen = new Set<string>();
  for (const [index, name] of names.entries()) {
    if (name === '') {
      names[index] = free(`column_${index + 1}`);
      nameless.push(names[index]);
    } else if (seen.has(name)) {
      names[index] = free(name);
      repeated.push(`${quoted(name)} (column ${index + 1}, now ${quoted(names[index])})`);
    }
    seen.add(names[index]!);
  }
  return { names, warnings: [...repeatedNames(repeated), ...namelessColumns(nameless), ...paddedNames(padded)] };
}

/** Gives a name where it is free, else the name with the first number from 2 on that makes it so. */
function nameGiver(names: readonly string[]): (name: string) => string {
  const taken = new Set(names);
  const numbers = new Map<string, number>();
  return (name) => {
    let free = name;
    let number = numbers.get(name) ?? 2;
    while (taken.has(free)) free = `${name}_${number++}`;
    numbers.set(name, number);
    taken.add(free);
    return free;
  };
}

function repeatedNames(repeated: string[]): string[] {
  if (repeated.length === 0) return [];
  return [`Some column names occur more than once in the header; the later ones were renamed: ${listed(repeated)}.`];
}

function namelessColumns(names: string[]): string[] {
  if (names.length === 0) return [];
  const they = names.length === 1 ? 'it was named by its position' : 'they were named by their position';
  return [`The header has ${counted(names.length, 'cell')} without a name; ${they}: ${listed(names)}.`];
}

function paddedNames(names: string[]): string[] {
  if (names.length === 0) return [];
  return [`Spaces around column names were removed: ${listed(names.map(quoted))}.`];
}

const tooManyColumns = (count: number): ServiceError =>
  new ServiceError({ reason: 'too_many_columns', columns: count, max: MAX_COLUMNS });

// Where the table of a sheet begins: below titles, and with a header of one row or of several with merged cells.

/** Rows above and of the header that are looked at, and rows below it that show what the columns hold. */
const ROWS_ABOVE = 50;
const ROWS_BELOW = 100;
const MAX_LEVELS = 5;

interface SheetHeader {
  /** Columns of the table, in order. */
  columns: number[];
  /** One for each of the columns, as they are written. */
  names: string[];
  /** The first row below the header. */
  data: number;
  warnings: string[];
}

/** A sheet by its texts. Rows without any text are left out. */
export interface SheetTexts {
  /** The indices of the first rows with text. */
  rows: readonly number[];
  /** '' where there is none. */
  text(row: number, column: number): string;
  /** Columns with text in the row and the ones below it, in order. */
  columnsFrom(row: number): number[];
  /** Merged cells, each with the text in its first. */
  merges: readonly Range[];
}

/** Rows that `findSheetHeader` wants to see. */
export const HEAD_ROWS = ROWS_ABOVE + ROWS_BELOW;

/** The header of a sheet that has at least one row with text. */
export function findSheetHeader(sheet: SheetTexts): SheetHeader {
  const start = firstOfTable(sheet);
  const top = sheet.rows[start]!;
  const columns = sheet.columnsFrom(top);
  const levels = levelsOf(sheet, start, columns);
  const rows = sheet.rows.slice(start, start + levels);
  const names = columns.map((column) => joined(rows.map((row) => covered(sheet, row, column))));
  const last = rows.at(-1)!;
  return {
    columns,
    names,
    data: last + 1,
    warnings: [...titlesLeftOut(sheet, start), ...(levels > 1 ? [severalRows(levels, names)] : [])],
  };
}

/** The place among the rows of the first that is no title; 0 where it is in doubt. */
function firstOfTable(sheet: SheetTexts): number {
  const rows = sheet.rows.slice(0, ROWS_ABOVE);
  const start = rows.findIndex((row) => textsOf(sheet, row, sheet.columnsFrom(row)).length > 1);
  if (start < 1) return 0;
  const header = rows[start]!;
  const columns = sheet.columnsFrom(header);
  const cells = columns.map((column) => covered(sheet, header, column));
  const isFull = cells.every((cell) => cell.trim() !== '');
  if (!isFull || cells.some(isNumber)) return 0;
  const above = rows.slice(0, start);
  if (above.some((row) => textsOf(sheet, row, sheet.columnsFrom(row)).some(isNumber))) return 0;
  const apart = above.some((row, index) => (above[index + 1] ?? header) > row + 1);
  const spans = sheet.merges.some(({ s, e }) => above.includes(s.r) && e.c > s.c);
  const below = sheet.rows.slice(start + 1, start + ROWS_BELOW);
  const data = below.map((row) => columns.map((column) => sheet.text(row, column)));
  return apart || spans || columns.length > 2 || namesNumbers(cells, data) ? start : 0;
}

/** Rows of the header: one more for each that has groups above names, and for cells that reach down. */
function levelsOf(sheet: SheetTexts, start: number, columns: readonly number[]): number {
  let levels = 1;
  while (levels < MAX_LEVELS && isGrouped(sheet, start + levels - 1, start, columns)) levels++;
  return levels;
}

/** Whether the row has a merged cell over several columns, and the row below it a name for each of them, and no data. */
function isGrouped(sheet: SheetTexts, at: number, start: number, columns: readonly number[]): boolean {
  const row = sheet.rows[at]!;
  const next = sheet.rows[at + 1];
  if (next !== row + 1) return false;
  const groups = sheet.merges.filter(
    ({ s, e }) => s.r === row && e.r === row && e.c > s.c && sheet.text(row, s.c) !== '',
  );
  const under = groups.map(({ s, e }) => columns.filter((column) => column >= s.c && column <= e.c));
  const isNamed = (group: readonly number[]): boolean => {
    const names = group.map((column) => sheet.text(next, column));
    return names.length > 1 && names.every((name) => name.trim() !== '') && new Set(names).size === names.length;
  };
  if (!under.some(isNamed) || !under.every((group) => group.length < 2 || isNamed(group))) return false;
  const grouped = new Set(under.flat());
  const beside = columns.filter((column) => !grouped.has(column)).map((column) => sheet.text(next, column));
  if (beside.some(isNumber)) return false;
  // Names stand above other things than names: a row of data has the like of itself below it.
  const below = sheet.rows.slice(at + 2, at + ROWS_BELOW);
  if (below.length === 0) return false;
  const isName = (column: number): boolean => !isNumber(sheet.text(next, column));
  return [...grouped].every(isName) || (start >= 0 && isCounting([...grouped].map((c) => sheet.text(next, c))));
}

/** Whole numbers such as years or quarters, which repeat under each group. */
const isCounting = (texts: readonly string[]): boolean =>
  texts.every((text) => /^\d{1,4}$/.test(text.trim())) &&
  texts.some((text, i) => i > 0 && Number(text) === Number(texts[i - 1]) + 1) &&
  texts.every((text, i) => i === 0 || Number(text) === Number(texts[i - 1]) + 1 || text === texts[0]);

/** The cell's text, or that of the merged cell that it is part of. */
function covered(sheet: SheetTexts, row: number, column: number): string {
  const own = sheet.text(row, column);
  if (own !== '') return own;
  const merge = sheet.merges.find(({ s, e }) => row >= s.r && row <= e.r && column >= s.c && column <= e.c);
  return merge ? sheet.text(merge.s.r, merge.s.c) : '';
}

const textsOf = (sheet: SheetTexts, row: number, columns: readonly number[]): string[] =>
  columns.map((column) => sheet.text(row, column)).filter((text) => text !== '');

/** The parts of a name from above, each once. */
const joined = (parts: readonly string[]): string =>
  parts.length === 1
    ? parts[0]!
    : [...new Set(parts.map((part) => part.trim()).filter((part) => part !== ''))].join(' ');

function titlesLeftOut(sheet: SheetTexts, start: number): string[] {
  if (start === 0) return [];
  const [first = 0] = sheet.rows;
  const [title = ''] = textsOf(sheet, first, sheet.columnsFrom(first));
  return [
    `${counted(start, 'row')} above the header ${start === 1 ? 'was' : 'were'} left out: not part of the table (the first: ${quoted(title)}).`,
  ];
}

const severalRows = (levels: number, names: readonly string[]): string =>
  `The header spans ${levels} rows with merged cells; each column is named by all of them: ${listed(names.map(quoted))}.`;
