import { type Encoding, UPLOAD } from '../contract/files.ts';
import { bytes } from './format.ts';
import { wordsFor } from './wording.ts';

/** ".csv, .tsv, .xlsx or .xls" */
export const UPLOAD_ENDINGS = UPLOAD.extensions.join(', ').replace(/, (?=\S+$)/, ' or ');
/** "50 MB" */
export const UPLOAD_SIZE = bytes(UPLOAD.maxBytes);

// Common names of encodings.

const NAMES: Readonly<Record<Encoding, string>> = {
  'utf-8': 'UTF-8',
  'utf-16le': 'UTF-16 LE without a byte order mark',
  'utf-16be': 'UTF-16 BE without a byte order mark',
  'windows-1252': 'Windows-1252 (Western European)',
  'windows-1250': 'Windows-1250 (Central European)',
  'windows-1251': 'Windows-1251 (Cyrillic)',
  'iso-8859-2': 'ISO-8859-2 (Central European)',
  'iso-8859-15': 'ISO-8859-15 (Latin-9)',
  macintosh: 'Mac Roman',
  shift_jis: 'Shift-JIS (Japanese)',
  'utf-8-windows-1252': 'UTF-8 with some bytes of Windows-1252',
};

/** Returns an unknown name unchanged. */
export const encodingName = (encoding: string): string => wordsFor(NAMES, encoding) ?? encoding;

export const readAsButton = (encoding: string): string => `Read it as ${encodingName(encoding)}`;
