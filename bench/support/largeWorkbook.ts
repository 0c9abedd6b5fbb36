/** A workbook as large as people upload: 200,000 rows of 20 numbers, about 20 MB as .xlsx. */
import { crc32, deflateRawSync } from 'node:zlib';
import { createStream } from '../../packages/numerics/random/createStream.ts';
import { keptFile } from './largeFile.ts';

const COLUMNS = 20;

const PARTS: Readonly<Record<string, string>> = {
  '[Content_Types].xml':
    '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/></Types>',
  '_rels/.rels':
    '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="xl/workbook.xml"/></Relationships>',
  'xl/workbook.xml':
    '<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets><sheet name="Sheet1" sheetId="1" r:id="rId1"/></sheets></workbook>',
  'xl/_rels/workbook.xml.rels':
    '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
};

/** The path of a workbook of so many rows, made once. */
export const largeWorkbook = (rows: number): string =>
  keptFile(`numbers-${rows}x${COLUMNS}.xlsx`, () => zipped({ ...PARTS, 'xl/worksheets/sheet1.xml': sheetOf(rows) }));

function sheetOf(rows: number): string {
  const random = createStream(1, 'large-workbook');
  const letters = Array.from({ length: COLUMNS }, (_, i) => String.fromCharCode(65 + i));
  const header = letters.map((letter) => `<c r="${letter}1" t="inlineStr"><is><t>column ${letter}</t></is></c>`);
  const lines = [`<row r="1">${header.join('')}</row>`];
  for (let row = 2; row <= rows + 1; row++) {
    const cells = letters.map((letter) => `<c r="${letter}${row}"><v>${random.integer(100_000) / 10}</v></c>`);
    lines.push(`<row r="${row}">${cells.join('')}</row>`);
  }
  return `<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>${lines.join('')}</sheetData></worksheet>`;
}

/** A zip archive of texts, deflated. */
function zipped(parts: Readonly<Record<string, string>>): Uint8Array {
  const locals: Buffer[] = [];
  const central: Buffer[] = [];
  let offset = 0;
  for (const [name, text] of Object.entries(parts)) {
    const data = deflateRawSync(text);
    const fields = Buffer.alloc(26);
    fields.writeUInt16LE(20, 0);
    fields.writeUInt16LE(8, 4);
    fields.writeUInt32LE(crc32(text), 10);
    fields.writeUInt32LE(data.length, 14);
    fields.writeUInt32LE(Buffer.byteLength(text), 18);
    fields.writeUInt16LE(name.length, 22);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(offset, 10);
    locals.push(Buffer.from('PK\x03\x04'), fields, Buffer.from(name), data);
    central.push(Buffer.from('PK\x01\x02\x14\x00'), fields, place, Buffer.from(name));
    offset += 4 + fields.length + name.length + data.length;
  }
  const count = Object.keys(parts).length;
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(count, 8);
  end.writeUInt16LE(count, 10);
  end.writeUInt32LE(Buffer.concat(central).length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...locals, ...central, end]);
}
