/** What the bytes of an upload really are: the name only has to have an extension that is allowed. */
import { ServiceError } from '../errors.ts';
import { quoted } from './wording.ts';

export const EXTENSIONS = ['.csv', '.xlsx', '.xls'] as const;
type Extension = (typeof EXTENSIONS)[number];

export type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be';

export type Sniffed =
  | { format: 'csv'; encoding: Encoding /** Bytes of the byte order mark. */; markBytes: number; warnings: string[] }
  | { format: 'spreadsheet'; warnings: string[] };

/** Bytes that `sniff` wants to see, where the file has as many. */
export const SNIFF_BYTES = 4096;

interface Signature {
  bytes: readonly number[] | string;
  /** Where the bytes stand; 0 where left out. */
  at?: number;
  name: string;
  advice: string;
}

const UNPACK = 'Unpack it and upload the table inside.';
const EXPORT = 'Export the table as CSV and upload that.';

/** Files that people take for a table, by how they begin. */
const FOREIGN: readonly Signature[] = [
  { bytes: [0x1f, 0x8b], name: 'a gzip archive', advice: UNPACK },
  { bytes: 'BZh', name: 'a bzip2 archive', advice: UNPACK },
  { bytes: [0xfd, 0x37, 0x7a, 0x58, 0x5a], name: 'an xz archive', advice: UNPACK },
  { bytes: [0x28, 0xb5, 0x2f, 0xfd], name: 'a zstd archive', advice: UNPACK },
  { bytes: [0x37, 0x7a, 0xbc, 0xaf, 0x27, 0x1c], name: 'a 7z archive', advice: UNPACK },
  { bytes: 'Rar!', name: 'a RAR archive', advice: UNPACK },
  { bytes: 'ustar', at: 257, name: 'a tar archive', advice: UNPACK },
  { bytes: '%PDF-', name: 'a PDF document', advice: EXPORT },
  { bytes: '{\\rtf', name: 'a rich text document', advice: EXPORT },
  { bytes: 'PAR1', name: 'a Parquet file', advice: EXPORT },
  { bytes: 'ARROW1', name: 'an Arrow file', advice: EXPORT },
  { bytes: 'SQLite format 3', name: 'a SQLite database', advice: EXPORT },
  { bytes: [0x89, 0x48, 0x44, 0x46], name: 'an HDF5 file', advice: EXPORT },
  { bytes: '$FL2', name: 'an SPSS file', advice: EXPORT },
  { bytes: '<stata_dta>', name: 'a Stata file', advice: EXPORT },
  { bytes: [0x89, 0x50, 0x4e, 0x47], name: 'a PNG image', advice: 'Upload the table itself, as CSV.' },
  { bytes: [0xff, 0xd8, 0xff], name: 'a JPEG image', advice: 'Upload the table itself, as CSV.' },
];

const ZIP = [0x50, 0x4b, 0x03, 0x04];
const EMPTY_ZIP = [0x50, 0x4b, 0x05, 0x06];
const OLE2 = [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1];
/**
 * Tells a spreadsheet from text, and the text's encoding by its byte order mark, from the file's first `SNIFF_BYTES`
 * bytes. Throws `unsupported_file_type` for another extension or another kind of file, `empty_file` for no bytes.
 */
export function sniff(head: Uint8Array, fileName: string): Sniffed {
  const extension = extensionOf(fileName);
  if (head.length === 0)
    throw new ServiceError('empty_file', 'The file has 0 bytes. Upload a file with a header line and data rows.');
  if ([ZIP, EMPTY_ZIP, OLE2].some((bytes) => begins(head, bytes))) {
    return { format: 'spreadsheet', warnings: extension === '.csv' ? [WORKBOOK_CALLED_CSV] : [] };
  }
  refuseForeign(head);
  const warnings =
    extension === '.csv' ? [] : [`The file is called ${extension} but is text by its content; it was read as CSV.`];
  return { format: 'csv', ...encodingOf(head), warnings };
}

const WORKBOOK_CALLED_CSV = 'The file is called .csv but is an Excel workbook by its content; it was read as one.';

function extensionOf(fileName: string): Extension {
  const dot = fileName.lastIndexOf('.');
  const found = dot < 0 ? '' : fileName.slice(dot).toLowerCase();
  const extension = EXTENSIONS.find((candidate) => candidate === found);
  if (extension) return extension;
  const what = found === '' ? 'has no extension' : `has the extension ${quoted(found)}`;
  throw new ServiceError(
    'unsupported_file_type',
    `The file name ${quoted(fileName)} ${what}; files that can be read end in ${EXTENSIONS.join(', ')}. Save the table as CSV or Excel, or give a delimited text file the extension .csv.`,
  );
}

function refuseForeign(head: Uint8Array): void {
  const foreign = FOREIGN.find((signature) => begins(head, signature.bytes, signature.at));
  if (foreign) throw unsupported(foreign.name, foreign.advice);
  const text = new TextDecoder('latin1').decode(head.subarray(0, 512)).replace(/^ï»¿/, '').trimStart().toLowerCase();
  if (/^<(!doctype html|html|head|body|table|meta)\b/.test(text)) {
    throw unsupported('an HTML page', 'Open it in a spreadsheet program, save it as .xlsx or CSV, and upload that.');
  }
  if (/^<\?xml\b/.test(text)) throw unsupported('an XML document', EXPORT);
  if (/^\[?\s*\{\s*"[^"\n]*"\s*:/.test(text)) throw unsupported('a JSON document', EXPORT);
}

export const unsupported = (name: string, advice: string): ServiceError =>
  new ServiceError(
    'unsupported_file_type',
    `By its content the file is ${name}, not a CSV file or an Excel workbook. ${advice}`,
  );

const MARKS: Readonly<Record<Encoding, readonly number[]>> = {
  'utf-8': [0xef, 0xbb, 0xbf],
  'utf-16le': [0xff, 0xfe],
  'utf-16be': [0xfe, 0xff],
};

/** Bytes of the encoding's byte order mark, where the file begins with it. */
export function markBytesOf(head: Uint8Array, encoding: Encoding): number {
  return begins(head, MARKS[encoding]) ? MARKS[encoding].length : 0;
}

function encodingOf(head: Uint8Array): { encoding: Encoding; markBytes: number } {
  const marked = (['utf-8', 'utf-16le', 'utf-16be'] as const).find((encoding) => markBytesOf(head, encoding) > 0);
  const encoding = marked ?? 'utf-8';
  return { encoding, markBytes: markBytesOf(head, encoding) };
}

function begins(head: Uint8Array, bytes: readonly number[] | string, at = 0): boolean {
  const wanted = typeof bytes === 'string' ? [...bytes].map((char) => char.charCodeAt(0)) : bytes;
  return wanted.every((byte, index) => head[at + index] === byte);
}
