/** How much of a workbook can be read, and what is said of one that is more. */
import { ServiceError } from '../errors.ts';
import { counted, withCommas } from './wording.ts';

const MEGABYTE = 2 ** 20;

/** Parts of the archive. */
export const MOST_ENTRIES = 10_000;
/** All parts together, unpacked. */
export const MOST_UNPACKED_BYTES = 256 * MEGABYTE;
/** How many times its packed size a large part may unpack to; sheets of one number in every cell stay below 100. */
export const MOST_RATIO = 400;
/** Parts up to this size do no harm, however tightly they are packed. */
export const SMALL_PART_BYTES = 8 * MEGABYTE;
/** Rows that a worksheet of Excel can have. */
export const MOST_ROWS = 2 ** 20;
/** Cells of one sheet that hold something; each takes some 120 bytes while the sheet is read. */
export const MOST_CELLS = 5_000_000;
/** Rows times columns, empty cells with them. */
export const MOST_PLACES = 20_000_000;

const AS_CSV = 'Save the sheet as CSV and upload that, or upload fewer rows or columns.';

const tooMuch = (message: string): ServiceError => new ServiceError('parse_error', `${message} ${AS_CSV}`);

export const tooManyEntries = (count: number): ServiceError =>
  tooMuch(`The workbook is an archive of ${withCommas(count)} parts; at most ${withCommas(MOST_ENTRIES)} can be read.`);

export const unpacksToTooMuch = (): ServiceError =>
  tooMuch(`The workbook unpacks to more than ${MOST_UNPACKED_BYTES / MEGABYTE} MB, the most that can be read.`);

export const packedTooTightly = (name: string, ratio: number): ServiceError =>
  tooMuch(
    `A part of the workbook (${JSON.stringify(name)}) unpacks to ${counted(Math.round(ratio), 'time')} its size, as no table does; at most ${withCommas(MOST_RATIO)} times can be read.`,
  );

export const tooManyRows = (count: number): ServiceError =>
  tooMuch(`A sheet of the workbook has ${counted(count, 'row')}; at most ${withCommas(MOST_ROWS)} can be read.`);

export const tooManyCells = (count: number): ServiceError =>
  tooMuch(
    `A sheet of the workbook has more cells than can be read: ${withCommas(count)}, and at most ${withCommas(MOST_CELLS)} are possible.`,
  );

export const tooManyPlaces = (rows: number, columns: number): ServiceError =>
  tooMuch(
    `The sheet has ${counted(rows, 'row')} of ${counted(columns, 'column')}; at most ${withCommas(MOST_PLACES)} cells can be read, empty ones with them.`,
  );

/** The answer to a workbook that no parser can read. */
export const damaged = (): ServiceError =>
  new ServiceError(
    'parse_error',
    'The file begins like an Excel workbook and cannot be read as one: it is damaged or cut off. Open it in a spreadsheet program, save it again as .xlsx or CSV, and upload that.',
  );

export const protectedByPassword = (): ServiceError =>
  new ServiceError('parse_error', 'The workbook is protected by a password. Save it without one and upload it again.');
