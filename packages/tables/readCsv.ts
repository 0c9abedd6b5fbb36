import { ServiceError } from '../contract/errors.ts';
import type { Encoding } from '../contract/files.ts';
import { counted, quoted, withCommas } from '../words/wording.ts';
import { looseText, TextReader } from './decodeText.ts';
import { dataAsHeader, firstRows, isNumber, nameColumns, namesNumbers } from './header.ts';
import { DELIMITERS, type Delimiter, detectDelimiter, detectNewline, type Newline } from './plainRow.ts';
import { inPieces, peek } from './sniff.ts';
import { RowSplitter } from './splitRows.ts';
import type { Reading, RowSink } from './table.ts';

const PIECE_BYTES = 32 * 1024;
const HEAD_BYTES = 256 * 1024;

export interface CsvSource {
  encoding: Encoding;
  markBytes: number;
  byTabs?: boolean;
  /** Detected by default. */
  layout?: { delimiter: string; skipLines: number };
}

/**
 * Streams the header and rows to the sink. Pads short rows, drops surplus empty cells and skips blank lines.
 * @throws ServiceError `empty_file`, `no_data_rows`, `encoding_error`, or `parse_error` with the line.
 */
export async function readCsv(bytes: AsyncIterable<Uint8Array>, source: CsvSource, sink: RowSink): Promise<Reading> {
  const { head, all } = await peek(bytes, HEAD_BYTES);
  const layout = layoutOf(head, source);
  const splitter: RowSplitter = new RowSplitter(layout, (cells) => rows.take(cells));
  const rows = new RowReader(sink, () => splitter.lineOfRow());
  const reader = new TextReader(source.encoding, source.markBytes, (text) => splitter.lineAfter(text));
  for await (const piece of inPieces(skip(all, source.markBytes), PIECE_BYTES)) splitter.add(reader.read(piece));
  splitter.add(reader.end());
  splitter.end();
  const { delimiter, skipLines } = layout;
  const above = skipLines > 0 ? { skip_lines: skipLines } : {};
  return {
    dialect: { format: 'csv', encoding: source.encoding, delimiter, ...above },
    rows: rows.count,
    warnings: [...layout.warnings, ...rows.end()],
  };
}

function layoutOf(head: Uint8Array, { encoding, markBytes, byTabs, layout }: CsvSource): Layout & { newline: Newline } {
  const text = looseText(head.subarray(markBytes), encoding);
  const newline = detectNewline(text);
  if (layout) return { newline, warnings: [], ...layout };
  return { newline, ...findHeader(text, newline, { whole: head.length < HEAD_BYTES, byTabs }) };
}

async function* skip(bytes: AsyncIterable<Uint8Array>, count: number): AsyncGenerator<Uint8Array> {
  let left = count;
  for await (const chunk of bytes) {
    if (left < chunk.length) yield left > 0 ? chunk.subarray(left) : chunk;
    left = Math.max(0, left - chunk.length);
  }
}

class RowReader {
  count = 0;
  private readonly sink: RowSink;
  private readonly lineOfRow: () => number;
  private width = 0;
  private warnings: string[] = [];
  private short = { rows: 0, firstLine: 0 };
  private long = { rows: 0, firstLine: 0 };

  constructor(sink: RowSink, lineOfRow: () => number) {
    this.sink = sink;
    this.lineOfRow = lineOfRow;
  }

  take(cells: string[]): void {
    if (this.width === 0) {
      this.header(cells);
      return;
    }
    if (cells.length < this.width) this.pad(cells);
    else if (cells.length > this.width) this.cut(cells);
    this.count++;
    this.sink.row(cells);
  }

  end(): string[] {
    if (this.width === 0) throw blankFile();
    if (this.count === 0) throw noDataRows(this.width);
    const { short, long } = this;
    if (short.rows > 0) {
      const was = short.rows === 1 ? 'was' : 'were';
      this.warnings.push(
        `${counted(short.rows, 'row')} had fewer cells than the header (the first in line ${withCommas(short.firstLine)}) and ${was} padded with missing cells.`,
      );
    }
    if (long.rows > 0) {
      this.warnings.push(
        `${counted(long.rows, 'row')} had empty cells beyond the header's ${counted(this.width, 'column')} (the first in line ${withCommas(long.firstLine)}); those cells were left out.`,
      );
    }
    return this.warnings;
  }

  private header(cells: string[]): void {
    const { names, warnings } = nameColumns(cells);
    this.width = names.length;
    this.warnings = warnings;
    this.sink.header(names);
  }

  private pad(cells: string[]): void {
    if (this.short.rows++ === 0) this.short.firstLine = this.lineOfRow();
    while (cells.length < this.width) cells.push('');
  }

  private cut(cells: string[]): void {
    const isEmpty = cells.slice(this.width).every((cell) => cell.trim() === '');
    if (!isEmpty) throw rowTooWide(cells.length, this.width, this.lineOfRow());
    if (this.long.rows++ === 0) this.long.firstLine = this.lineOfRow();
    cells.length = this.width;
  }
}

const blankFile = (): ServiceError => new ServiceError({ reason: 'file_is_blank' });

const noDataRows = (width: number): ServiceError => new ServiceError({ reason: 'file_has_no_rows', columns: width });

const rowTooWide = (cells: number, width: number, line: number): ServiceError =>
  new ServiceError({ reason: 'row_too_wide', line, cells, columns: width });

const MAX_LINES = 50;
/** Minimum share of rows as wide as the header. */
const MIN_EQUAL = 0.9;
/** Declares the delimiter, for spreadsheet programs. */
const DECLARED = /^"?sep=([^"\w\s]|\t)"?$/i;
const COMMENT = /^(#|%|\/\/)/;
/** Matches comments but not a header such as `#id,name`. */
const COMMENT_TEXT = /^(#+|%+|\/\/+)([\s!]|$)/;

interface Layout {
  delimiter: string;
  skipLines: number;
  warnings: string[];
}

/**
 * Skips comments, a line `sep=;` and titles of one cell, if the table below is unmistakable.
 * @param whole Whether `head` is the whole file.
 * @param byTabs Whether the file name suggests tabs.
 */
export function findHeader(
  head: string,
  newline: Newline,
  { whole, byTabs = false }: { whole: boolean; byTabs?: boolean | undefined },
): Layout {
  const layout = locate(head, newline, whole, byTabs);
  let start = 0;
  for (let line = 0; line < layout.skipLines; line++) start = head.indexOf(newline, start) + 1;
  const [header = [], ...data] = firstRows(head.slice(start), newline, layout.delimiter, { whole });
  return { ...layout, warnings: [...layout.warnings, ...dataAsHeader(header, data)] };
}

function locate(head: string, newline: Newline, whole: boolean, byTabs: boolean): Layout {
  const lines = firstLines(head, newline);
  const declared = DECLARED.exec(lines[0] ?? '')?.[1];
  if (declared !== undefined) {
    return { delimiter: declared, skipLines: 1, warnings: [skippedWarning(lines.slice(0, 1))] };
  }
  const isTabbed = byTabs && lines[0]?.includes('\t') === true;
  const delimiter = isTabbed ? '\t' : detectDelimiter(head, newline, { whole });
  const found = isPreamble(lines[0] ?? '', delimiter) ? below(head, newline, whole, lines) : undefined;
  return found ?? { delimiter, skipLines: 0, warnings: [] };
}

function below(head: string, newline: Newline, whole: boolean, lines: string[]): Layout | undefined {
  let start = 0;
  for (let skip = 1; skip < lines.length; skip++) {
    start = head.indexOf(newline, start) + 1;
    // The table must have two columns.
    if (!DELIMITERS.some((delimiter) => lines[skip]!.includes(delimiter))) continue;
    const rest = head.slice(start);
    const delimiter = detectDelimiter(rest, newline, { whole });
    const above = lines.slice(0, skip);
    const rows = firstRows(rest, newline, delimiter, { whole });
    if (standsAlone(rows, above, delimiter)) return { delimiter, skipLines: skip, warnings: [skippedWarning(above)] };
    if (!isPreamble(lines[skip]!, delimiter)) return undefined;
  }
  return undefined;
}

function standsAlone(rows: string[][], above: string[], delimiter: Delimiter): boolean {
  const [header = [], ...data] = rows;
  const width = header.length;
  const isFull = header.every((cell) => cell.trim() !== '') && new Set(header).size === width;
  const equal = data.filter((row) => row.length === width).length;
  if (width < 2 || COMMENT.test(header[0]!) || data.length === 0 || !isFull || equal < MIN_EQUAL * data.length)
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

function isPreamble(line: string, delimiter: string): boolean {
  if (COMMENT.test(line)) return true;
  const [cells = []] = firstRows(line, '\n', delimiter, { whole: true });
  return cells.slice(1).every((cell) => cell.trim() === '');
}

const widthOf = (line: string, delimiter: string): number =>
  firstRows(line, '\n', delimiter, { whole: true })[0]?.length ?? 0;

function firstLines(head: string, newline: Newline): string[] {
  const lines: string[] = [];
  let start = 0;
  while (start < head.length && lines.length < MAX_LINES) {
    const end = head.indexOf(newline, start);
    lines.push(head.slice(start, end < 0 ? head.length : end).replace(/\r$/, ''));
    start = end < 0 ? head.length : end + 1;
  }
  return lines;
}

function skippedWarning(lines: readonly string[]): string {
  const first = lines.find((line) => line.trim() !== '') ?? '';
  return `${counted(lines.length, 'line')} above the header ${lines.length === 1 ? 'was' : 'were'} left out: not part of the table (the first: ${quoted(first)}).`;
}
