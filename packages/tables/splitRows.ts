/** Splits delimited text into rows; uses papaparse for irregular quotes. */
import Papa from 'papaparse';
import { ServiceError } from '../contract/errors.ts';
import { countLines, LINE_FEED, type Newline, PlainRowReader, QUOTE, RETURN } from './plainRow.ts';

/** A longer row has an unclosed quote. */
const LONGEST_ROW = 4 * 2 ** 20;

interface Step {
  data: string[][];
  errors: { code: string }[];
  meta: { cursor: number };
}

export class RowSplitter {
  private readonly delimiter: string;
  private readonly newline: Newline;
  private readonly take: (cells: string[]) => void;
  private readonly plain: PlainRowReader;
  private text = '';
  private line = 1;
  private start = 0;
  /** Doubled after each failed attempt, for linear time. */
  private wanted = 0;
  private width = 0;
  /** Set after a row whose lone quotes would swallow other rows. */
  private goesByLines = false;
  private skipLines: number;

  constructor(layout: { delimiter: string; newline: Newline; skipLines: number }, take: (cells: string[]) => void) {
    this.skipLines = layout.skipLines;
    this.delimiter = layout.delimiter;
    this.newline = layout.newline;
    this.take = take;
    this.plain = new PlainRowReader(layout.delimiter, layout.newline);
  }

  /** @throws ServiceError `parse_error` with the line if the quotes are ambiguous. */
  add(text: string): void {
    // V8 indexes concatenated strings slowly.
    this.text = [this.text, text].join('');
    this.passOver();
    if (this.skipLines === 0 && this.text.length >= this.wanted) this.split({ isLast: false });
  }

  end(): void {
    if (this.skipLines === 0) this.split({ isLast: true });
  }

  lineOfRow(): number {
    return this.line + countLines(this.text, 0, this.start);
  }

  lineAfter(text: string): number {
    const all = this.text + text;
    return this.line + countLines(all, 0, all.length);
  }

  private passOver(): void {
    while (this.skipLines > 0) {
      const end = this.text.indexOf(this.newline);
      if (end < 0) return;
      this.text = this.text.slice(end + 1);
      this.skipLines--;
      this.line++;
    }
  }

  private split({ isLast: last }: { isLast: boolean }): void {
    const { text } = this;
    let wantsText = this.takePlain(text) && !last;
    while ((!wantsText && this.splitOn(text, last)) || (this.start < text.length && this.takeLines(text, last))) {
      wantsText = false;
    }
    this.line = this.lineOfRow();
    this.text = text.slice(this.start);
    this.wanted = this.start > 0 || last ? 0 : 2 * text.length;
    this.start = 0;
    if (this.text.length > LONGEST_ROW) throw rowTooLong(this.line);
  }

  /** Returns true if only text is missing; papaparse would search in vain. */
  private takePlain(text: string): boolean {
    if (this.goesByLines) return false;
    for (let cells = this.plain.read(text, this.start); cells; cells = this.plain.read(text, this.start)) {
      if (!isBlank(text, this.start, cells)) this.give(cells);
      this.start = this.plain.end;
    }
    return this.plain.ranOut;
  }

  private splitOn(text: string, last: boolean): boolean {
    if (this.goesByLines) this.takeLines(text, last);
    let stopped = false;
    const step = ({ data, errors, meta }: Step): void => {
      if (stopped) return;
      stopped = errors.length > 0 && !this.isPlainly(text, meta.cursor, data[0]!, errors) && this.takeLines(text, last);
      if (stopped) parser.abort();
      else {
        this.row(text, meta.cursor, data[0]!, errors);
        this.start = meta.cursor;
      }
    };
    const parser = new Papa.Parser({ delimiter: this.delimiter, newline: this.newline, step });
    parser.parse(this.start > 0 ? text.slice(this.start) : text, this.start, !last);
    return stopped;
  }

  /** Undoubled quotes are harmless in a single line of usual width. */
  private isPlainly(text: string, end: number, cells: readonly string[], errors: Step['errors']): boolean {
    const isClosed = errors.every((error) => error.code !== 'MissingQuotes');
    return isClosed && cells.length === this.width && this.breaksBefore(text, end) === 0;
  }

  private takeLines(text: string, last: boolean): boolean {
    const from = this.start;
    while (this.start < text.length) {
      const newline = text.indexOf(this.newline, this.start);
      if (newline < 0 && !last) break;
      const end = newline < 0 ? text.length : newline;
      const isReturn = this.newline === '\n' && end > this.start && text.charCodeAt(end - 1) === RETURN;
      const split = splitLine(text.slice(this.start, isReturn ? end - 1 : end), this.delimiter);
      if (!split || (split.hasLoneQuotes ? split.cells.length !== this.width : !this.goesByLines)) break;
      this.goesByLines = true;
      if (!isBlank(text, this.start, split.cells)) this.give(split.cells);
      this.start = newline < 0 ? end : end + 1;
    }
    return this.start > from;
  }

  private give(cells: string[]): void {
    if (this.width === 0) this.width = cells.length;
    this.take(cells);
  }

  private row(text: string, end: number, cells: string[], errors: Step['errors']): void {
    if (errors.length > 0) this.refuseQuotes(text, end, errors);
    if (this.newline === '\n') dropReturn(text, end, cells);
    if (!isBlank(text, this.start, cells)) this.give(cells);
  }

  private breaksBefore(text: string, end: number): number {
    const raw = text.slice(this.start, end);
    return countLines(raw, 0, raw.length - 2);
  }

  private refuseQuotes(text: string, end: number, errors: Step['errors']): void {
    if (errors.some((error) => error.code === 'MissingQuotes')) throw quoteNotClosed(this.lineOfRow());
    if (this.breaksBefore(text, end) > 0) throw textAfterQuote(this.lineOfRow());
  }
}

/** papaparse leaves a CR in an unquoted last cell. */
function dropReturn(text: string, end: number, cells: string[]): void {
  const beforeBreak = text.charCodeAt(end - 1) === LINE_FEED ? end - 2 : end - 1;
  if (text.charCodeAt(beforeBreak) !== RETURN) return;
  const last = cells[cells.length - 1]!;
  const isQuotedReturn = text.charCodeAt(beforeBreak - 1) === QUOTE && text.charCodeAt(beforeBreak - 2) === RETURN;
  if (last.endsWith('\r') && !isQuotedReturn) cells[cells.length - 1] = last.slice(0, -1);
}

/** In a file of one column, `""` is a row. */
function isBlank(text: string, start: number, cells: readonly string[]): boolean {
  return cells.length === 1 && cells[0]!.trim() === '' && text.charCodeAt(start) !== QUOTE;
}

const quoteNotClosed = (line: number): ServiceError => new ServiceError({ reason: 'quote_not_closed', line });

const textAfterQuote = (line: number): ServiceError => new ServiceError({ reason: 'text_after_quote', line });

const rowTooLong = (line: number): ServiceError => new ServiceError({ reason: 'row_too_long', line, max: LONGEST_ROW });

/** Splits one line with undoubled or mid-cell quotes: `"Big" Mike,3`. */

const QUOTE_MARK = '"';

interface SplitLine {
  cells: string[];
  /** Text follows a closing quote; the cell is kept unchanged. */
  hasLoneQuotes: boolean;
}

/** Undefined if a quote remains open. */
export function splitLine(line: string, delimiter: string): SplitLine | undefined {
  const cells: string[] = [];
  let hasLoneQuotes = false;
  for (let at = 0; ; at++) {
    if (line[at] === QUOTE_MARK) {
      const close = closingQuote(line, at);
      if (close < 0) return undefined;
      const end = endOfCell(line, close, delimiter);
      const isClosed = line.slice(close + 1, end).trim() === '';
      cells.push(isClosed ? line.slice(at + 1, close).replaceAll('""', QUOTE_MARK) : line.slice(at, end));
      hasLoneQuotes ||= !isClosed;
      at = end;
    } else {
      const end = endOfCell(line, at, delimiter);
      cells.push(line.slice(at, end));
      at = end;
    }
    if (at >= line.length) return { cells, hasLoneQuotes };
  }
}

function closingQuote(line: string, open: number): number {
  for (let at = line.indexOf(QUOTE_MARK, open + 1); at >= 0; at = line.indexOf(QUOTE_MARK, at + 2)) {
    if (line[at + 1] !== QUOTE_MARK) return at;
  }
  return -1;
}

function endOfCell(line: string, from: number, delimiter: string): number {
  const end = line.indexOf(delimiter, from);
  return end < 0 ? line.length : end;
}
