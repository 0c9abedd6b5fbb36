/** What a first row shows of itself beside the rows below it: names, or one more row of the table. */
import Papa from 'papaparse';
import type { Newline } from './detectDelimiter.ts';
import { isMissing } from './missing.ts';
import { parseNumber } from './numberFormat.ts';
import { counted, quoted } from './wording.ts';

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
  const why = byNumber === undefined ? 'stands in the rows below too' : 'is a number over a column of numbers';
  return [
    `The first row looks like data, not like names: ${quoted(shown)} ${why}. It was taken for the header and does not count as a row; if it is data, put a line with the names of the ${counted(header.length, 'column')} above it and upload the file again.`,
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
export function firstRows(text: string, newline: Newline, delimiter: string, whole: boolean): string[][] {
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
