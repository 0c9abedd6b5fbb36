/** Text of a delimited file to rows, piece by piece, with papaparse; knows the line that each row begins in. */
import Papa from 'papaparse';
import { ServiceError } from '../errors.ts';
import { countLines } from './countLines.ts';
import type { Newline } from './detectDelimiter.ts';
import { withCommas } from './wording.ts';

/** Characters of one row, at most: more are a quote that is never closed. */
const LONGEST_ROW = 4 * 2 ** 20;

const QUOTE = 0x22;
const RETURN = 0x0d;

interface Step {
  data: string[][];
  errors: { code: string }[];
  meta: { cursor: number };
}

/** Is given each row that is not blank, and what tells the number of the line where the row begins. */
export type TakeRow = (cells: string[], lineOfRow: () => number) => void;

export class RowSplitter {
  private readonly delimiter: string;
  private readonly newline: Newline;
  private readonly take: TakeRow;
  /** What is not split yet. */
  private text = '';
  /** Characters to gather before the next attempt: doubled where there was no whole row, so that time stays linear. */
  private wanted = 0;
  private line = 1;

  constructor(layout: { delimiter: string; newline: Newline }, take: TakeRow) {
    this.delimiter = layout.delimiter;
    this.newline = layout.newline;
    this.take = take;
  }

  /** Splits what it can. Throws `parse_error` for quotes that cannot be made sense of, naming the line. */
  add(text: string): void {
    this.text += text;
    if (this.text.length >= this.wanted) this.split(false);
  }

  end(): void {
    this.split(true);
  }

  private split(last: boolean): void {
    const text = this.text;
    let start = 0;
    const step = ({ data, errors, meta }: Step): void => {
      this.row(text, start, meta.cursor, data[0]!, errors);
      start = meta.cursor;
    };
    new Papa.Parser({ delimiter: this.delimiter, newline: this.newline, step }).parse(text, 0, !last);
    this.line += countLines(text, 0, start);
    this.text = text.slice(start);
    this.wanted = start > 0 || last ? 0 : 2 * text.length;
    if (this.text.length > LONGEST_ROW) throw rowTooLong(this.line);
  }

  private row(text: string, start: number, end: number, cells: string[], errors: Step['errors']): void {
    const lineOfRow = () => this.line + countLines(text, 0, start);
    if (errors.length > 0) this.refuseQuotes(text.slice(start, end), errors, lineOfRow);
    if (this.newline === '\n') dropReturn(text, end, cells);
    if (isBlank(text, start, cells)) return;
    this.take(cells, lineOfRow);
  }

  /** Quotes within a quoted cell that are not doubled are let pass where the row is on one line: nothing was swallowed. */
  private refuseQuotes(raw: string, errors: Step['errors'], lineOfRow: () => number): void {
    if (errors.some((error) => error.code === 'MissingQuotes')) throw quoteNotClosed(lineOfRow());
    if (countLines(raw, 0, raw.length - 2) > 0) throw textAfterQuote(lineOfRow());
  }
}

/** Takes the CR of a CR LF from the last cell. papaparse has left it there, unless the cell was quoted. */
function dropReturn(text: string, end: number, cells: string[]): void {
  const beforeBreak = text.charCodeAt(end - 1) === RETURN ? end - 1 : end - 2;
  if (text.charCodeAt(beforeBreak) !== RETURN) return;
  const last = cells[cells.length - 1]!;
  const isQuotedReturn = text.charCodeAt(beforeBreak - 1) === QUOTE && text.charCodeAt(beforeBreak - 2) === RETURN;
  if (last.endsWith('\r') && !isQuotedReturn) cells[cells.length - 1] = last.slice(0, -1);
}

/** A line with nothing on it; in a file of one column, `""` is a row. */
function isBlank(text: string, start: number, cells: readonly string[]): boolean {
  return cells.length === 1 && cells[0]!.trim() === '' && text.charCodeAt(start) !== QUOTE;
}

const quoteNotClosed = (line: number): ServiceError =>
  new ServiceError(
    'parse_error',
    `A quoted cell in the row that begins in line ${withCommas(line)} is not closed before the file ends. Close the quote, or double it ("") where it belongs to the cell's text.`,
  );

const textAfterQuote = (line: number): ServiceError =>
  new ServiceError(
    'parse_error',
    `In the row that begins in line ${withCommas(line)}, a closing quote is followed by other text than a delimiter or a line break. Double the quotes that belong to a cell's text ("").`,
  );

const rowTooLong = (line: number): ServiceError =>
  new ServiceError(
    'parse_error',
    `The row that begins in line ${withCommas(line)} has more than ${withCommas(LONGEST_ROW)} characters: probably a quote is opened there and never closed. Close it, or double it ("") where it belongs to the cell's text.`,
  );
