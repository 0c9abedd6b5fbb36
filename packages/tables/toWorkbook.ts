/** Streams an Excel workbook of one sheet (ECMA-376, part 1); libraries need hundreds of bytes per cell. */

import { strToU8, Zip, ZipDeflate } from 'fflate';
import type { Case } from '../contract/problems.ts';
import type { RefusalReason } from '../contract/reasons.ts';
import { isMissing } from './missing.ts';
import { type OutputFormat, recordBatches, type TableTypes, type TypedColumn } from './records.ts';

export const workbook: OutputFormat = {
  title: 'Excel workbook',
  contentType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  cells: 'an Excel workbook with the same numbers and texts; no cell is a formula, and missing cells are empty',
  typed: true,
  refuse: noWorkbook,
  convert: toWorkbook,
};

/** Excel's limits. */
const MAX_ROWS = 1_048_576;
const MAX_COLUMNS = 16_384;
const LONGEST_CELL = 32_767;
/** Keeps the sheet below zip's 4 GB, at about 60 bytes per cell. */
const MAX_CELLS = 40_000_000;

const LEVEL = 3;

export function noWorkbook({ rows, columns }: TableTypes): Case<RefusalReason> | undefined {
  if (rows + 1 > MAX_ROWS) return { reason: 'workbook_too_many_rows_to_write', rows, max: MAX_ROWS };
  const wide = columns.length;
  if (wide > MAX_COLUMNS) return { reason: 'workbook_too_many_columns_to_write', columns: wide, max: MAX_COLUMNS };
  const cells = rows * wide;
  if (cells > MAX_CELLS) return { reason: 'workbook_too_many_cells_to_write', cells, max: MAX_CELLS };
  const long = columns.find(({ name, longest }) => Math.max(name.length, longest) > LONGEST_CELL);
  return long && { reason: 'workbook_cell_too_long_to_write', column: long.name, max: LONGEST_CELL };
}

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const SHEET = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

const PARTS: Readonly<Record<string, string>> = {
  '[Content_Types].xml': `${XML}<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${SHEET}.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="${SHEET}.worksheet+xml"/></Types>`,
  '_rels/.rels': `${XML}<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
  'xl/workbook.xml': `${XML}<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><sheets><sheet name="synthetic_data" sheetId="1" r:id="rId1"/></sheets></workbook>`,
  'xl/_rels/workbook.xml.rels': `${XML}<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${OFFICE}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`,
};

/** Check with `noWorkbook` first. No cell becomes a formula; missing cells are empty. */
export async function* toWorkbook(csv: AsyncIterable<Uint8Array>, { columns }: TableTypes): AsyncGenerator<Uint8Array> {
  let made: Uint8Array[] = [];
  const zip = new Zip((error, bytes) => {
    if (error) throw error;
    made.push(bytes);
  });
  const begin = (name: string): ZipDeflate => {
    const entry = new ZipDeflate(name, { level: LEVEL });
    entry.mtime = EPOCH;
    zip.add(entry);
    return entry;
  };
  for (const [name, text] of Object.entries(PARTS)) begin(name).push(strToU8(text), true);
  const sheet = begin('xl/worksheets/sheet1.xml');
  sheet.push(strToU8(`${XML}<worksheet xmlns="${MAIN}"><sheetData>`));
  const letters = columns.map((_, j) => columnLetters(j));
  let row = 0;
  for await (const rows of recordBatches(csv)) {
    let text = '';
    for (const cells of rows) {
      row++;
      text += `<row r="${row}">`;
      for (let j = 0; j < columns.length; j++) text += cellOf(cells[j] ?? '', columns[j]!, `${letters[j]}${row}`, row);
      text += '</row>';
    }
    sheet.push(strToU8(text));
    yield* made;
    made = [];
  }
  sheet.push(strToU8('</sheetData></worksheet>'), true);
  zip.end();
  yield* made;
}

/** The earliest time in zip; fixed for reproducible output. */
const EPOCH = '1980-01-01T12:00:00';

function cellOf(cell: string, { type, fitsDouble }: TypedColumn, reference: string, row: number): string {
  if (row === 1) return textCell(cell, reference);
  if (isMissing(cell)) return '';
  return type === 'text' || !fitsDouble ? textCell(cell, reference) : `<c r="${reference}"><v>${Number(cell)}</v></c>`;
}

const textCell = (text: string, reference: string): string =>
  `<c r="${reference}" t="inlineStr"><is><t xml:space="preserve">${escaped(text)}</t></is></c>`;

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** Escapes characters that XML forbids or normalises (ECMA-376, part 1, 22.9.2.19). */
const escaped = (text: string): string =>
  NEEDS_ESCAPE.test(text)
    ? text
        .replace(/_(?=x[\da-fA-F]{4}_)/g, '_x005F_')
        .replace(/[&<>]/g, (char) => ENTITIES[char]!)
        .replace(ILLEGAL, (char) => `_x${char.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`)
    : text;

const NEEDS_ESCAPE = /[^ -%'-;=?-^`-\ud7ff]/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what has to be found
const ILLEGAL = /[\u0000-\u0008\u000b-\u001f\ufffe\uffff]/g;

/** 0 → A, 25 → Z, 26 → AA. */
function columnLetters(index: number): string {
  let [left, out] = [index + 1, ''];
  while (left > 0) {
    out = String.fromCharCode(65 + ((left - 1) % 26)) + out;
    left = Math.floor((left - 1) / 26);
  }
  return out;
}
