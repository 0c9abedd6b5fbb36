import { ServiceError } from '../errors.ts';
import { unsupported } from './sniff.ts';
import { withCommas } from './wording.ts';
import { unpackedBytes, zipEntries } from './zipEntries.ts';

const MOST_ENTRIES = 10_000;
const MOST_UNPACKED_MB = 256;
const MEGABYTE = 2 ** 20;

/** The part that every workbook has, and the one that a binary workbook has instead. */
const WORKBOOK = /^\/?xl\/workbook\d*\.xml$/i;
const BINARY_WORKBOOK = /^\/?xl\/workbook\d*\.bin$/i;

/**
 * Refuses an archive that is no workbook (`unsupported_file_type`) and one that is damaged or unpacks to more than can be
 * read (`parse_error`), before a parser unpacks it. Both the sizes that it declares and the real ones are looked at.
 */
export async function checkWorkbook(bytes: Uint8Array): Promise<void> {
  const entries = zipEntries(bytes);
  if (!entries) throw damaged();
  if (entries.some(({ name }) => BINARY_WORKBOOK.test(name))) {
    throw unsupported('a binary Excel workbook (.xlsb)', 'Save it as .xlsx or CSV and upload that.');
  }
  if (!entries.some(({ name }) => WORKBOOK.test(name))) {
    throw unsupported('a zip archive with no workbook in it', 'Unpack it and upload the table inside.');
  }
  if (entries.length > MOST_ENTRIES) throw tooManyEntries(entries.length);
  const declared = entries.reduce((sum, entry) => sum + entry.declaredBytes, 0);
  if (declared > MOST_UNPACKED_MB * MEGABYTE) throw tooLarge();
  let left = MOST_UNPACKED_MB * MEGABYTE;
  for (const entry of entries) {
    const unpacked = await unpackedBytes(bytes, entry, left);
    if (unpacked === undefined) throw damaged();
    left -= unpacked;
    if (left < 0) throw tooLarge();
  }
}

/** The answer to a workbook that no parser can read. */
export const damaged = (): ServiceError =>
  new ServiceError(
    'parse_error',
    'The file begins like an Excel workbook and cannot be read as one: it is damaged or cut off. Open it in a spreadsheet program, save it again as .xlsx or CSV, and upload that.',
  );

const tooLarge = (): ServiceError =>
  new ServiceError(
    'parse_error',
    `The workbook unpacks to more than ${MOST_UNPACKED_MB} MB, the most that can be read. Save the sheet as CSV and upload that, or upload fewer rows or columns.`,
  );

const tooManyEntries = (count: number): ServiceError =>
  new ServiceError(
    'parse_error',
    `The workbook is an archive of ${withCommas(count)} parts; at most ${withCommas(MOST_ENTRIES)} can be read. Save the sheet as CSV and upload that.`,
  );
