import { ServiceError } from '../contract/errors.ts';

const MEGABYTE = 2 ** 20;

export const MAX_ENTRIES = 10_000;
/** Total unpacked size. */
export const MAX_UNPACKED_BYTES = 256 * MEGABYTE;
/** Of a large part; sheets of numbers stay below 100. */
export const MAX_RATIO = 400;
export const SMALL_PART_BYTES = 8 * MEGABYTE;
/** Excel's limit. */
export const MAX_ROWS = 2 ** 20;
/** Each takes about 120 bytes while reading. */
export const MAX_CELLS = 5_000_000;
/** Rows times columns, including empty cells. */
export const MAX_PLACES = 20_000_000;

export const tooManyEntries = (count: number): ServiceError =>
  new ServiceError({ reason: 'workbook_too_many_parts', parts: count, max: MAX_ENTRIES });

export const unpacksToTooMuch = (): ServiceError =>
  new ServiceError({ reason: 'workbook_unpacks_too_large', max_mb: MAX_UNPACKED_BYTES / MEGABYTE });

export const packedTooTightly = (name: string, ratio: number): ServiceError =>
  new ServiceError({ reason: 'workbook_packed_too_tightly', part: name, ratio: Math.round(ratio), max: MAX_RATIO });

export const tooManyRows = (count: number): ServiceError =>
  new ServiceError({ reason: 'workbook_too_many_rows', rows: count, max: MAX_ROWS });

export const tooManyCells = (count: number): ServiceError =>
  new ServiceError({ reason: 'workbook_too_many_cells', cells: count, max: MAX_CELLS });

export const tooManyPlaces = (rows: number, columns: number): ServiceError =>
  new ServiceError({ reason: 'workbook_area_too_large', rows, columns, max: MAX_PLACES });

export const damaged = (): ServiceError => new ServiceError({ reason: 'workbook_damaged' });

export const protectedByPassword = (): ServiceError => new ServiceError({ reason: 'workbook_encrypted' });
