/** Reads delimited text row by row, in pieces: the file is never in memory as a whole. */
import { ServiceError } from '../errors.ts';
import { inPieces, peek } from './byteStream.ts';
import { TextReader } from './decodeText.ts';
import { detectNewline, type Newline } from './detectDelimiter.ts';
import { findHeader, type Layout } from './findHeader.ts';
import { nameColumns } from './nameColumns.ts';
import type { Reading, RowSink } from './rowSink.ts';
import type { Encoding } from './sniff.ts';
import { RowSplitter } from './splitRows.ts';
import { counted, withCommas } from './wording.ts';

const PIECE_BYTES = 32 * 1024;
/** The part of the file from which its layout is found. */
const HEAD_BYTES = 256 * 1024;

export interface CsvSource {
  encoding: Encoding;
  /** Bytes of the byte order mark. */
  markBytes: number;
  /** As a dialect says; found from the content where left out. */
  layout?: { delimiter: string; skipLines: number };
}

/**
 * Gives the sink the header and every row. Rows that are too short are padded, what is too long by empty cells is cut,
 * blank lines are skipped. Throws `empty_file`, `no_data_rows`, `encoding_error`, and `parse_error`, naming the line.
 */
export async function readCsv(bytes: AsyncIterable<Uint8Array>, source: CsvSource, sink: RowSink): Promise<Reading> {
  const { head, all } = await peek(bytes, HEAD_BYTES);
  const layout = layoutOf(head, source);
  const splitter: RowSplitter = new RowSplitter(layout, (cells) => rows.take(cells));
  const rows = new RowReader(sink, () => splitter.lineOfRow());
  const reader = new TextReader(source.encoding, source.markBytes, (text) => splitter.lineAfter(text));
  for await (const piece of inPieces(skip(all, source.markBytes), PIECE_BYTES)) splitter.add(reader.read(piece));
  reader.end();
  splitter.end();
  const { delimiter, skipLines } = layout;
  const above = skipLines > 0 ? { skip_lines: skipLines } : {};
  return {
    dialect: { format: 'csv', encoding: source.encoding, delimiter, ...above },
    rows: rows.count,
    warnings: [...layout.warnings, ...rows.end()],
  };
}

function layoutOf(head: Uint8Array, { encoding, markBytes, layout }: CsvSource): Layout & { newline: Newline } {
  // Not strict: what does not decode is found, with its place, when the file is read.
  const text = new TextDecoder(encoding).decode(head.subarray(markBytes));
  const newline = detectNewline(text);
  if (layout) return { newline, warnings: [], ...layout };
  return { newline, ...findHeader(text, newline, head.length < HEAD_BYTES) };
}

async function* skip(bytes: AsyncIterable<Uint8Array>, count: number): AsyncGenerator<Uint8Array> {
  let left = count;
  for await (const chunk of bytes) {
    if (left < chunk.length) yield left > 0 ? chunk.subarray(left) : chunk;
    left = Math.max(0, left - chunk.length);
  }
}

/** Makes rows of equal width, and counts what it had to do for it. */
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

  /** What was odd, in words. Throws where there was no header or no row. */
  end(): string[] {
    if (this.width === 0) throw blankFile();
    if (this.count === 0) throw noDataRows(this.width);
    const { short, long } = this;
    if (short.rows > 0) {
      const was = short.rows === 1 ? 'was' : 'were';
      this.warnings.push(
        `${counted(short.rows, 'row')} had fewer cells than the header (the first in line ${withCommas(short.firstLine)}) and ${was} filled up with missing cells.`,
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

const blankFile = (): ServiceError =>
  new ServiceError(
    'empty_file',
    'The file has nothing but blank lines. Upload a file with a header line and data rows.',
  );

const noDataRows = (width: number): ServiceError =>
  new ServiceError(
    'no_data_rows',
    `The file has a header of ${counted(width, 'column')} and no rows below it. Upload a file with at least one data row.`,
  );

const rowTooWide = (cells: number, width: number, line: number): ServiceError =>
  new ServiceError(
    'parse_error',
    `The row that begins in line ${withCommas(line)} has ${counted(cells, 'cell')}; the header has ${counted(width, 'column')}. Put cells that hold the delimiter in double quotes, or correct the row.`,
  );
