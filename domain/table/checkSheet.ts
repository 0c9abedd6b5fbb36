/** What the XML of a workbook's part holds, told from its tags before a parser builds anything of it. */
import { MOST_CELLS, MOST_ROWS, tooManyCells, tooManyRows } from './workbookLimits.ts';

const OPEN = 0x3c;
const SLASH = 0x2f;
const COLON = 0x3a;
const LETTER_R = 0x72;
const LETTER_C = 0x63;
const LETTER_S = 0x73;
const LETTER_H = 0x68;

const ROW = [...'row'].map((letter) => letter.charCodeAt(0));
const CELL = [...'c'].map((letter) => letter.charCodeAt(0));
const TEXT = [...'si'].map((letter) => letter.charCodeAt(0));
const LINK = [...'hyperlink'].map((letter) => letter.charCodeAt(0));

/**
 * Throws `parse_error` where a sheet has too many rows or cells, or there are too many shared texts. Changes the names of
 * links, which say nothing of the table and may each span all cells of a sheet, so that no parser sees them.
 */
export function checkSheet(xml: Uint8Array): void {
  let rows = 0;
  let cells = 0;
  for (let at = xml.indexOf(OPEN); at >= 0; at = xml.indexOf(OPEN, at + 1)) {
    if (xml[at + 1] === SLASH) continue;
    const start = localName(xml, at + 1);
    const letter = xml[start];
    if (letter === LETTER_C && isName(xml, start, CELL)) cells++;
    else if (letter === LETTER_S && isName(xml, start, TEXT)) cells++;
    else if (letter === LETTER_R && isName(xml, start, ROW)) rows++;
    else if (letter === LETTER_H && isName(xml, start, LINK)) xml[start] = LETTER_H - 0x20;
  }
  if (rows > MOST_ROWS) throw tooManyRows(rows);
  if (cells > MOST_CELLS) throw tooManyCells(cells);
}

const LONGEST_PREFIX = 20;

/** Where a tag's name begins behind its prefix, if it has one. */
function localName(xml: Uint8Array, start: number): number {
  for (let at = start; at < start + LONGEST_PREFIX; at++) {
    const code = xml[at];
    if (code === COLON) return at + 1;
    if (code === undefined || !isNamePart(code)) return start;
  }
  return start;
}

function isName(xml: Uint8Array, start: number, name: readonly number[]): boolean {
  for (let i = 0; i < name.length; i++) if (xml[start + i] !== name[i]) return false;
  const next = xml[start + name.length];
  return next === undefined || !isNamePart(next);
}

/** A letter, a digit, "_", "-", "." or a byte of another letter. */
function isNamePart(code: number): boolean {
  const letter = code | 0x20;
  if ((letter >= 0x61 && letter <= 0x7a) || (code >= 0x30 && code <= 0x39)) return true;
  return code === 0x5f || code === 0x2d || code === 0x2e || code >= 0x80;
}
