import { ServiceError } from '../contract/errors.ts';
import { type Encoding, knownExtension, UPLOAD } from '../contract/files.ts';
import type { FileFormat } from '../contract/problems.ts';

export type Sniffed =
  | {
      format: 'csv';
      encoding: Encoding;
      markBytes: number;
      byTabs: boolean;
      warnings: string[];
    }
  | { format: 'spreadsheet'; warnings: string[] };

export const SNIFF_BYTES = 4096;

interface Signature {
  bytes: readonly number[] | string;
  at?: number;
  format: FileFormat;
}

const FOREIGN: readonly Signature[] = [
  { bytes: [0x1f, 0x8b], format: 'gzip' },
  { bytes: 'BZh', format: 'bzip2' },
  { bytes: [0xfd, 0x37, 0x7a, 0x58, 0x5a], format: 'xz' },
  { bytes: [0x28, 0xb5, 0x2f, 0xfd], format: 'zstd' },
  { bytes: [0x37, 0x7a, 0xbc, 0xaf, 0x27, 0x1c], format: '7z' },
  { bytes: 'Rar!', format: 'rar' },
  { bytes: 'ustar', at: 257, format: 'tar' },
  { bytes: '%PDF-', format: 'pdf' },
  { bytes: '{\\rtf', format: 'rtf' },
  { bytes: 'PAR1', format: 'parquet' },
  { bytes: 'ARROW1', format: 'arrow' },
  { bytes: 'SQLite format 3', format: 'sqlite' },
  { bytes: [0x89, 0x48, 0x44, 0x46], format: 'hdf5' },
  { bytes: '$FL2', format: 'spss' },
  { bytes: '<stata_dta>', format: 'stata' },
  { bytes: [0x89, 0x50, 0x4e, 0x47], format: 'png' },
  { bytes: [0xff, 0xd8, 0xff], format: 'jpeg' },
];

const ZIP = [0x50, 0x4b, 0x03, 0x04];
const EMPTY_ZIP = [0x50, 0x4b, 0x05, 0x06];
const OLE2 = [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1];
/**
 * @param head The first `SNIFF_BYTES` bytes.
 * @param given Encoding without a byte order mark.
 * @throws ServiceError `unsupported_file_type` or `empty_file`.
 */
export function sniff(head: Uint8Array, fileName: string, given: Encoding = 'utf-8'): Sniffed {
  const extension = extensionOf(fileName);
  const isText = extension === '.csv' || extension === '.tsv';
  if (head.length === 0) throw new ServiceError({ reason: 'file_has_no_bytes' });
  if ([ZIP, EMPTY_ZIP, OLE2].some((bytes) => begins(head, bytes))) {
    return { format: 'spreadsheet', warnings: isText ? [calledText(extension)] : [] };
  }
  refuseForeign(head);
  const warnings = isText ? [] : [`The file name ends in ${extension}, but its content is text; it was read as CSV.`];
  return { format: 'csv', ...markedEncoding(head, given), byTabs: extension === '.tsv', warnings };
}

const calledText = (extension: string): string =>
  `The file name ends in ${extension}, but its content is an Excel workbook; it was read as one.`;

function extensionOf(fileName: string): (typeof UPLOAD.extensions)[number] {
  const known = knownExtension(fileName);
  if (known) return known;
  const dot = fileName.lastIndexOf('.');
  throw new ServiceError({
    reason: 'file_extension_unknown',
    file_name: fileName,
    extension: dot < 0 ? null : fileName.slice(dot).toLowerCase(),
    known: [...UPLOAD.extensions],
  });
}

function refuseForeign(head: Uint8Array): void {
  const foreign = FOREIGN.find((signature) => begins(head, signature.bytes, signature.at));
  if (foreign) throw unsupported(foreign.format);
  const text = new TextDecoder('latin1').decode(head.subarray(0, 512)).replace(/^ï»¿/, '').trimStart().toLowerCase();
  if (/^<(!doctype html|html|head|body|table|meta)\b/.test(text)) {
    throw unsupported('html');
  }
  if (/^<\?xml\b/.test(text)) throw unsupported('xml');
  if (/^\[?\s*\{\s*"[^"\n]*"\s*:/.test(text)) throw unsupported('json');
}

export const unsupported = (format: FileFormat): ServiceError =>
  new ServiceError({ reason: 'file_format_foreign', format });

const MARKS: Readonly<Partial<Record<Encoding, readonly number[]>>> = {
  'utf-8': [0xef, 0xbb, 0xbf],
  'utf-16le': [0xff, 0xfe],
  'utf-16be': [0xfe, 0xff],
};

export function markBytesOf(head: Uint8Array, encoding: Encoding): number {
  const mark = MARKS[encoding] ?? [];
  return begins(head, mark) ? mark.length : 0;
}

function markedEncoding(head: Uint8Array, given: Encoding): { encoding: Encoding; markBytes: number } {
  const marked = (['utf-8', 'utf-16le', 'utf-16be'] as const).find((encoding) => markBytesOf(head, encoding) > 0);
  const encoding = marked ?? given;
  return { encoding, markBytes: markBytesOf(head, encoding) };
}

function begins(head: Uint8Array, bytes: readonly number[] | string, at = 0): boolean {
  const wanted = typeof bytes === 'string' ? [...bytes].map((char) => char.charCodeAt(0)) : bytes;
  return wanted.every((byte, index) => head[at + index] === byte);
}

/** Returns the first `count` bytes (or fewer) and the whole stream. */
export async function peek(
  bytes: AsyncIterable<Uint8Array>,
  count: number,
): Promise<{ head: Uint8Array; all: AsyncIterable<Uint8Array> }> {
  const iterator = bytes[Symbol.asyncIterator]();
  const read: Uint8Array[] = [];
  let length = 0;
  while (length < count) {
    const next = await iterator.next();
    if (next.done) break;
    read.push(next.value);
    length += next.value.length;
  }
  return { head: concat(read).subarray(0, count), all: continued(read, iterator) };
}

async function* continued(read: Uint8Array[], iterator: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    for (let piece = read.shift(); piece; piece = read.shift()) yield piece;
    for (;;) {
      const next = await iterator.next();
      if (next.done) return;
      yield next.value;
    }
  } finally {
    await iterator.return?.();
  }
}

/** A piece may share memory with the input. */
export async function* inPieces(bytes: AsyncIterable<Uint8Array>, size: number): AsyncGenerator<Uint8Array> {
  let held: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of bytes) {
    let at = 0;
    while (length + chunk.length - at >= size) {
      const end = at + size - length;
      held.push(chunk.subarray(at, end));
      yield concat(held);
      held = [];
      length = 0;
      at = end;
    }
    if (at < chunk.length) {
      // The source may reuse the chunk.
      held.push(chunk.slice(at));
      length += chunk.length - at;
    }
  }
  if (length > 0) yield concat(held);
}

export async function allBytes(bytes: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of bytes) chunks.push(chunk.slice());
  return concat(chunks);
}

function concat(chunks: readonly Uint8Array[]): Uint8Array {
  if (chunks.length === 1) return chunks[0]!;
  const joined = new Uint8Array(chunks.reduce((sum, chunk) => sum + chunk.length, 0));
  let at = 0;
  for (const chunk of chunks) {
    joined.set(chunk, at);
    at += chunk.length;
  }
  return joined;
}
