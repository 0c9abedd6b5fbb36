/** Small files of every kind that can be uploaded: what fuzzing starts from. */
import { type BookType, utils, type WorkBook, type WorkSheet, write } from 'xlsx';
import { type ZipPart, zipParts } from './zip.ts';

const TEXT = [
  'id,name,price\n1,"Anna, B",1.50\n2,"say ""hi""",2\n3,,NA\n',
  'navn;år;beløp\r\nÅse;2019;1.204,50\r\nBjørn;2020;"x\r\ny"\r\n',
  'a\tb\tc\r1\t2\t3\r4\t5\t6\r',
  '# made by a program\n\nwhen|what\n2024-03-20|x\n2024-03-21|y\n',
  'Sales of the year,,\n,,\nregion,units,price\nNorth,3,$3.50\nSouth,4,(12)\n',
  'sep=;\na;b\n1;2\n',
];

function wide(text: string, { littleEndian }: { littleEndian: boolean }): Uint8Array {
  const view = new DataView(new ArrayBuffer(2 * text.length + 2));
  for (const [i, char] of ['\ufeff', ...text].entries()) view.setUint16(2 * i, char.charCodeAt(0), littleEndian);
  return new Uint8Array(view.buffer);
}

function bookOf(sheets: Record<string, WorkSheet>): WorkBook {
  const book = utils.book_new();
  for (const [name, sheet] of Object.entries(sheets)) utils.book_append_sheet(book, sheet, name);
  return book;
}

function plain(): WorkBook {
  const sheet = utils.aoa_to_sheet([
    ['id', 'when', 'share'],
    [1, 45371, 0.5],
    [2, 45372, '7 %'],
    [3, null, true],
  ]);
  for (const ref of ['B2', 'B3']) sheet[ref].z = 'yyyy-mm-dd';
  return bookOf({ Empty: utils.aoa_to_sheet([]), Data: sheet });
}

/** Titles, groups of columns, formats of many kinds, an error, a link, a formula, and days counted from 1904. */
function styled(): WorkBook {
  const sheet = utils.aoa_to_sheet([
    ['Sales of the year'],
    [],
    ['region', 'units', null, 'price'],
    [null, '2019', '2020', null],
    ['North', 3, 0.25, 1234.5],
    ['South', 4, 0.5, -3.25],
  ]);
  sheet['!merges'] = ['A1:D1', 'B3:C3', 'A3:A4', 'D3:D4'].map((ref) => utils.decode_range(ref));
  for (const [ref, z] of [
    ['B5', 'h:mm'],
    ['C5', '0.0%'],
    ['D5', '"$"#,##0.00_);("$"#,##0.00)'],
    ['B6', 'dd.mm.yyyy hh:mm:ss.0'],
  ] as const) {
    sheet[ref].z = z;
  }
  sheet.C6 = { t: 'e', v: 0x2a };
  sheet.D6 = { t: 'n', v: -3.25, f: 'B6-C6' };
  sheet.A5.l = { Target: 'https://example.com/' };
  const book = bookOf({ Report: sheet, Notes: utils.aoa_to_sheet([['n'], ['x']]) });
  book.Workbook = { WBProps: { date1904: true } };
  return book;
}

function written(book: WorkBook, bookType: BookType, options: { compression?: boolean; bookSST?: boolean } = {}) {
  const bytes: ArrayBuffer = write(book, { type: 'array', bookType, ...options });
  return new Uint8Array(bytes);
}

/**
 * Text in three encodings, and workbooks: zipped with and without compression (so that XML is hit too), and `.xls`. Written
 * when the module is loaded: the library remembers formats of what it read before, and would write them too.
 */
export const SEED_FILES: readonly Uint8Array[] = [
  ...TEXT.map((text) => new TextEncoder().encode(text)),
  wide(TEXT[0]!, { littleEndian: true }),
  wide(TEXT[0]!, { littleEndian: false }),
  written(plain(), 'xlsx', { compression: true }),
  written(plain(), 'xlsx', { compression: false }),
  written(plain(), 'biff8'),
  written(styled(), 'xlsx', { bookSST: true }),
  written(styled(), 'biff8'),
  written(styled(), 'biff5'),
];

/** Workbooks in their parts. */
export const SEED_WORKBOOKS: readonly (readonly ZipPart[])[] = [
  written(plain(), 'xlsx'),
  written(styled(), 'xlsx', { bookSST: true }),
].map(zipParts);
