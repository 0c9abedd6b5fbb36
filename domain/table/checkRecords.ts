/** The records of an .xls workbook (MS-XLS): those that tell of the table are kept, all others made to say nothing. */
import { MOST_CELLS, tooManyCells } from './workbookLimits.ts';

/** Begin and end of the workbook and its sheets; their names, their date system, code page, and whether they are encrypted. */
const FRAME = [0x0809, 0x000a, 0x0085, 0x0022, 0x0042, 0x002f];
/** Number formats, cell formats, shared texts, what a long record goes on with, and merged cells. */
const SHARED = [0x041e, 0x00e0, 0x00fc, 0x003c, 0x00e5];
/** Cells: numbers, texts, truth values and errors, and the shown values of formulas. */
const CELLS = [0x0203, 0x027e, 0x00bd, 0x0204, 0x00d6, 0x00fd, 0x0205, 0x0006];
/** The text of the formula before it, which stands in no place of its own. */
const TEXT = 0x0207;
const KEPT = new Set([...FRAME, ...SHARED, ...CELLS, TEXT]);
const CELL = new Set(CELLS);

const HEADER_BYTES = 4;
/** Row, column and format of a cell. Parsers do not come to an end with one that has no place. */
const LEAST_CELL_BYTES = 6;
/** Up to the length of their text: parsers do not come to an end where that is not there. */
const LEAST_TEXT_BYTES = new Map([
  [0x0204, 8],
  [0x00d6, 8],
  [TEXT, 2],
  [0x0085, 7],
  [0x041e, 3],
]);
const BEGIN = 0x0809;
const END = 0x000a;
/** Excel 95's records and those since. */
const VERSIONS = [0x0500, 0x0600];
/** Behind its value a formula has how it is computed, which is not read: parsers do not come to an end with all of them. */
const FORMULA = 0x0006;
const FORMULA_BYTES = 22;
const NOT_THERE = 0xffff;
/** A record that parsers know and leave out ("Template"). */
const SILENT = 0x0060;
/** Several numbers of one row. */
const NUMBERS = 0x00bd;
const NUMBER_BYTES = 6;

/**
 * Goes through the records in place. False where the stream does not begin as a workbook does, or a record reaches beyond
 * its end, is cut off behind its type or is too short; throws `parse_error` where there are too many cells. Comments, links over whole sheets, pictures and formulas'
 * names are gone afterwards.
 */
export function checkRecords(stream: Uint8Array): boolean {
  const view = new DataView(stream.buffer, stream.byteOffset, stream.byteLength);
  if (stream.length < HEADER_BYTES + 2 || view.getUint16(0, true) !== BEGIN) return false;
  if (!VERSIONS.includes(view.getUint16(HEADER_BYTES, true))) return false;
  let cells = 0;
  let last = -1;
  let at = 0;
  while (at + HEADER_BYTES <= stream.length) {
    const type = view.getUint16(at, true);
    const length = view.getUint16(at + 2, true);
    // Behind the end of the last sheet there may be zeros.
    if (type === 0 && last === END) break;
    if (at + HEADER_BYTES + length > stream.length) return false;
    if (!KEPT.has(type)) view.setUint16(at, SILENT, true);
    if (length < leastBytes(type)) return false;
    if (type === FORMULA) view.setUint16(at + HEADER_BYTES + FORMULA_BYTES - 2, NOT_THERE, true);
    if (CELL.has(type)) cells += type === NUMBERS ? Math.max(1, Math.floor(length / NUMBER_BYTES)) : 1;
    at += HEADER_BYTES + length;
    last = type;
  }
  if (cells > MOST_CELLS) throw tooManyCells(cells);
  // Parsers take two or three bytes more for a record without a length.
  return at === stream.length || (last === END && stream[at] === 0 && (stream[at + 1] ?? 0) === 0);
}

function leastBytes(type: number): number {
  if (type === FORMULA) return FORMULA_BYTES;
  return LEAST_TEXT_BYTES.get(type) ?? (CELL.has(type) ? LEAST_CELL_BYTES : 0);
}
