import Papa from 'papaparse';
import type { Range } from 'xlsx';
import { ServiceError } from '../contract/errors.ts';
import { counted, listed, quoted } from '../words/wording.ts';
import { parseNumber } from './format/number.ts';
import { isMissing } from './missing.ts';
import type { Newline } from './plainRow.ts';
import { MAX_COLUMNS } from './table.ts';
import { ownText } from './textDictionary.ts';

const ROWS = 100;

/** Numbers under a word prove a header. */
export function namesNumbers(header: readonly string[], data: readonly string[][]): boolean {
  return header.some((cell, column) => isWord(cell) && isNumbers(data, column));
}

export const isNumber = (cell: string): boolean => parseNumber(cell) !== undefined;

function isNumbers(data: readonly string[][], column: number): boolean {
  const cells = data.map((row) => row[column] ?? '').filter((cell) => !isMissing(cell));
  return cells.length > 0 && cells.every(isNumber);
}

export function dataAsHeader(header: readonly string[], data: readonly string[][]): string[] {
  if (namesNumbers(header, data)) return [];
  // Concatenated files repeat the header.
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

/** Accepts evenly spaced integers or a single year. */
function isSequence(numbers: readonly number[]): boolean {
  if (numbers.length === 0) return true;
  const step = numbers.length > 1 ? numbers[1]! - numbers[0]! : 1;
  const isYear = numbers.length > 1 || (numbers[0]! >= 1500 && numbers[0]! <= 2200);
  return isYear && step !== 0 && numbers.every((n, i) => Number.isInteger(n) && n === numbers[0]! + i * step);
}

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
 * Makes names trimmed, distinct and not empty.
 * @throws ServiceError `parse_error` if there are too many columns.
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

const ROWS_ABOVE = 50;
const ROWS_BELOW = 100;
const MAX_LEVELS = 5;

interface SheetHeader {
  columns: number[];
  names: string[];
  data: number;
  warnings: string[];
}

/** Rows without text are omitted. */
export interface SheetTexts {
  rows: readonly number[];
  text(row: number, column: number): string;
  /** Columns with text in this row or below, in order. */
  columnsFrom(row: number): number[];
  merges: readonly Range[];
}

export const HEAD_ROWS = ROWS_ABOVE + ROWS_BELOW;

/** The sheet must have a row with text. */
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

/** Returns 0 if in doubt. */
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

function levelsOf(sheet: SheetTexts, start: number, columns: readonly number[]): number {
  let levels = 1;
  while (levels < MAX_LEVELS && isGrouped(sheet, start + levels - 1, start, columns)) levels++;
  return levels;
}

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
  // Names must differ from the data below.
  const below = sheet.rows.slice(at + 2, at + ROWS_BELOW);
  if (below.length === 0) return false;
  const isName = (column: number): boolean => !isNumber(sheet.text(next, column));
  return [...grouped].every(isName) || (start >= 0 && isCounting([...grouped].map((c) => sheet.text(next, c))));
}

const isCounting = (texts: readonly string[]): boolean =>
  texts.every((text) => /^\d{1,4}$/.test(text.trim())) &&
  texts.some((text, i) => i > 0 && Number(text) === Number(texts[i - 1]) + 1) &&
  texts.every((text, i) => i === 0 || Number(text) === Number(texts[i - 1]) + 1 || text === texts[0]);

function covered(sheet: SheetTexts, row: number, column: number): string {
  const own = sheet.text(row, column);
  if (own !== '') return own;
  const merge = sheet.merges.find(({ s, e }) => row >= s.r && row <= e.r && column >= s.c && column <= e.c);
  return merge ? sheet.text(merge.s.r, merge.s.c) : '';
}

const textsOf = (sheet: SheetTexts, row: number, columns: readonly number[]): string[] =>
  columns.map((column) => sheet.text(row, column)).filter((text) => text !== '');

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
