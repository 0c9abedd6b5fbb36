/** Where the table of a sheet begins: below titles, and with a header of one row or of several with merged cells. */
import type { Range } from 'xlsx';
import { isNumber, namesNumbers } from './headerEvidence.ts';
import { counted, listed, quoted } from './wording.ts';

/** Rows above and of the header that are looked at, and rows below it that show what the columns hold. */
const ROWS_ABOVE = 50;
const ROWS_BELOW = 100;
const MOST_LEVELS = 5;

export interface SheetHeader {
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
  while (levels < MOST_LEVELS && isGrouped(sheet, start + levels - 1, start, columns)) levels++;
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
  return [...grouped].every(isName) || (start >= 0 && isSequence([...grouped].map((c) => sheet.text(next, c))));
}

/** Whole numbers such as years or quarters, which repeat under each group. */
const isSequence = (texts: readonly string[]): boolean =>
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
    `${counted(start, 'row')} above the header ${start === 1 ? 'was' : 'were'} left out, being no part of the table (the first: ${quoted(title)}).`,
  ];
}

const severalRows = (levels: number, names: readonly string[]): string =>
  `The header stands in ${levels} rows with merged cells; each column has the words of all of them as its name: ${listed(names.map(quoted))}.`;
