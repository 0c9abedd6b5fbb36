import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import { ServiceError } from '../../contract/errors.ts';
import type { ReportIdentity } from '../../contract/report.ts';
import { writeCsv } from '../../tables/records.ts';
import { type CellColumn, MISSING } from '../../tables/table.ts';
import { throwInWords } from './work.ts';

/** A cell. Null, undefined, NaN and '' are missing; dates become ISO 8601 in UTC. */
export type CellValue = string | number | bigint | boolean | Date | null | undefined;

/** Cells by column name. */
export type Row = Readonly<Record<string, CellValue>>;

/**
 * A real table in one of these forms. Streams are kept in memory, because tables are read twice.
 * - rows, with columns in order of first appearance;
 * - a record of columns of equal length;
 * - a stream of the bytes of a CSV file;
 * - a File, or a Blob of CSV;
 * - the path of a .csv, .xlsx or .xls file.
 */
export type TableSource =
  | readonly Row[]
  | Readonly<Record<string, readonly CellValue[]>>
  | AsyncIterable<Uint8Array>
  | ReadableStream<Uint8Array>
  | Blob
  | string;

export interface SourceFile {
  name: string;
  bytes(): AsyncIterable<Uint8Array>;
}

/** Throws ServiceError `no_data_rows` for no rows, or `invalid_parameter` for columns of unequal length. */
export async function fileOf(source: TableSource, check: () => void): Promise<SourceFile> {
  if (typeof source === 'string') return { name: basename(source), bytes: () => checked(pathBytes(source), check) };
  if (source instanceof Blob) {
    const name = source instanceof File ? source.name : 'table.csv';
    return { name, bytes: () => checked(source.stream(), check) };
  }
  if (!isStream(source)) {
    const text = writeSource(source);
    return { name: 'table.csv', bytes: () => checked(oneChunk(text), check) };
  }
  const chunks: Uint8Array[] = [];
  for await (const chunk of checked(source, check)) chunks.push(chunk);
  return { name: 'table.csv', bytes: () => checked(chunks, check) };
}

const isStream = (source: object): source is AsyncIterable<Uint8Array> => Symbol.asyncIterator in source;

async function* pathBytes(path: string): AsyncGenerator<Uint8Array> {
  for await (const chunk of createReadStream(path)) if (chunk instanceof Uint8Array) yield chunk;
}

async function* oneChunk(text: string): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(text);
}

async function* checked(
  bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  check: () => void,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of bytes) {
    check();
    yield chunk;
  }
}

/** Converts a table to CSV text. Throws as `synthesize` does. */
export function writeSource(source: readonly Row[] | Readonly<Record<string, readonly CellValue[]>>): string {
  const columns = isRows(source)
    ? columnsOfRows(source)
    : Object.entries(source).map(([name, cells]) => ({ name, cells }));
  const rows = columns[0]?.cells.length ?? 0;
  const uneven = columns.find(({ cells }) => cells.length !== rows);
  if (uneven) {
    const rule = `must have ${rows} cells, as the first column has`;
    const faults = [{ field: uneven.name, rule, found: String(uneven.cells.length) }];
    return throwInWords(new ServiceError({ reason: 'fields_invalid', faults }));
  }
  if (rows === 0) return throwInWords(new ServiceError({ reason: 'file_has_no_rows', columns: columns.length }));
  return [...writeCsv({ rows, columns: columns.map(toCells) })].join('');
}

const isRows = (source: object): source is readonly Row[] => Array.isArray(source);

interface NamedCells {
  name: string;
  cells: readonly CellValue[];
}

function columnsOfRows(rows: readonly Row[]): NamedCells[] {
  const names = new Set(rows.flatMap((row) => Object.keys(row)));
  return [...names].map((name) => ({ name, cells: rows.map((row) => row[name]) }));
}

function toCells({ name, cells }: NamedCells): CellColumn {
  const codeOf = new Map<string, number>();
  const codes = Int32Array.from(cells, (cell) => {
    const text = cellText(cell);
    if (text === '') return MISSING;
    const code = codeOf.get(text) ?? codeOf.size;
    codeOf.set(text, code);
    return code;
  });
  return { name, codes, levels: [...codeOf.keys()] };
}

function cellText(cell: CellValue): string {
  if (cell === null || cell === undefined || Number.isNaN(cell)) return '';
  return cell instanceof Date ? cell.toISOString() : String(cell);
}

export class Hashing {
  private readonly hash = createHash('sha256');
  private size = 0;

  async *through(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of bytes) {
      this.hash.update(chunk);
      this.size += chunk.length;
      yield chunk;
    }
  }

  /** Call once, at the end. */
  identity(): ReportIdentity {
    const output = { output_sha256: this.hash.digest('hex'), output_bytes: this.size };
    return { input_commitment: null, ...output, receipt_key_id: null };
  }
}
