/** Which line of a text file is its header: below comments and titles, where they are unmistakable. */
import { DELIMITERS, type Delimiter, detectDelimiter, type Newline } from './detectDelimiter.ts';
import { dataAsHeader, firstRows, isNumber, namesNumbers } from './headerEvidence.ts';
import { counted, quoted } from './wording.ts';

/** Lines above the header, at most. */
const MOST_LINES = 50;
/** Share of rows that are as wide as the header, at least, where lines above it are left out. */
const LEAST_EQUAL = 0.9;
/** What a spreadsheet program writes into the first line to say its delimiter. */
const DECLARED = /^"?sep=([^"\w\s]|\t)"?$/i;
const COMMENT = /^(#|%|\/\/)/;
/** A comment that is not the first name of a header such as `#id,name`. */
const COMMENT_TEXT = /^(#+|%+|\/\/+)([\s!]|$)/;

export interface Layout {
  delimiter: string;
  /** Physical lines above the header. */
  skipLines: number;
  warnings: string[];
}

/**
 * The delimiter and the header's line, from the file's beginning. Lines are left out only where the table below stands
 * without doubt: comments of `#`, `%` or `//` that are not as wide as the table, one line `sep=;`, and titles of one cell.
 * `whole` says that `head` is the whole file.
 */
export function findHeader(head: string, newline: Newline, whole: boolean): Layout {
  const layout = locate(head, newline, whole);
  let start = 0;
  for (let line = 0; line < layout.skipLines; line++) start = head.indexOf(newline, start) + 1;
  const [header = [], ...data] = firstRows(head.slice(start), newline, layout.delimiter, whole);
  return { ...layout, warnings: [...layout.warnings, ...dataAsHeader(header, data)] };
}

function locate(head: string, newline: Newline, whole: boolean): Layout {
  const lines = firstLines(head, newline);
  const declared = DECLARED.exec(lines[0] ?? '')?.[1];
  if (declared !== undefined) {
    return { delimiter: declared, skipLines: 1, warnings: [skippedWarning(lines.slice(0, 1))] };
  }
  const delimiter = detectDelimiter(head, newline, whole);
  const found = isPreamble(lines[0] ?? '', delimiter) ? below(head, newline, whole, lines) : undefined;
  return found ?? { delimiter, skipLines: 0, warnings: [] };
}

/** The first line above which all are comments, titles and blank ones, and from which on there is a table. */
function below(head: string, newline: Newline, whole: boolean, lines: string[]): Layout | undefined {
  let start = 0;
  for (let skip = 1; skip < lines.length; skip++) {
    start = head.indexOf(newline, start) + 1;
    // No line without a delimiter begins a table of two columns.
    if (!DELIMITERS.some((delimiter) => lines[skip]!.includes(delimiter))) continue;
    const rest = head.slice(start);
    const delimiter = detectDelimiter(rest, newline, whole);
    const above = lines.slice(0, skip);
    const rows = firstRows(rest, newline, delimiter, whole);
    if (standsAlone(rows, above, delimiter)) return { delimiter, skipLines: skip, warnings: [skippedWarning(above)] };
    if (!isPreamble(lines[skip]!, delimiter)) return undefined;
  }
  return undefined;
}

/** Whether `rows` are a table with its header, of which `above` is no part. */
function standsAlone(rows: string[][], above: string[], delimiter: Delimiter): boolean {
  const [header = [], ...data] = rows;
  const width = header.length;
  const isFull = header.every((cell) => cell.trim() !== '') && new Set(header).size === width;
  const equal = data.filter((row) => row.length === width).length;
  if (width < 2 || COMMENT.test(header[0]!) || data.length === 0 || !isFull || equal < LEAST_EQUAL * data.length)
    return false;
  if (!above.every((line) => isPreamble(line, delimiter))) return false;
  const written = above.filter((line) => line.trim() !== '');
  const isShorter = (line: string) => widthOf(line, delimiter) < width;
  if (namesNumbers(header, data)) return written.every((line) => isShorter(line) || !isHeaderLike(line));
  const apart = above.length > written.length || written.some((line) => COMMENT_TEXT.test(line));
  const isProse = header.some((cell) => /^\s/.test(cell)) || !written.every((line) => /\S\s+\S/.test(line));
  return written.every(isShorter) && !header.some(isNumber) && (apart || (width > 2 && !isProse));
}

const isHeaderLike = (line: string): boolean => COMMENT.test(line) && !COMMENT_TEXT.test(line);

/** A comment, a blank line, or a title: no cell but the first. */
function isPreamble(line: string, delimiter: string): boolean {
  if (COMMENT.test(line)) return true;
  const [cells = []] = firstRows(line, '\n', delimiter, true);
  return cells.slice(1).every((cell) => cell.trim() === '');
}

const widthOf = (line: string, delimiter: string): number => firstRows(line, '\n', delimiter, true)[0]?.length ?? 0;

/** The first lines without their ends; none that `head` may have cut off matters, being far below. */
function firstLines(head: string, newline: Newline): string[] {
  const lines: string[] = [];
  let start = 0;
  while (start < head.length && lines.length < MOST_LINES) {
    const end = head.indexOf(newline, start);
    lines.push(head.slice(start, end < 0 ? head.length : end).replace(/\r$/, ''));
    start = end < 0 ? head.length : end + 1;
  }
  return lines;
}

function skippedWarning(lines: readonly string[]): string {
  const first = lines.find((line) => line.trim() !== '') ?? '';
  return `${counted(lines.length, 'line')} above the header ${lines.length === 1 ? 'was' : 'were'} left out, being no part of the table (the first: ${quoted(first)}).`;
}
