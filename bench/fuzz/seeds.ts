/** Small files of every kind that can be uploaded: what fuzzing starts from. */
import { utils, type WorkBook, write } from 'xlsx';

const TEXT = [
  'id,name,price\n1,"Anna, B",1.50\n2,"say ""hi""",2\n3,,NA\n',
  'navn;år;beløp\r\nÅse;2019;1.204,50\r\nBjørn;2020;"x\r\ny"\r\n',
  'a\tb\tc\r1\t2\t3\r4\t5\t6\r',
  '# made by a program\n\nwhen|what\n2024-03-20|x\n2024-03-21|y\n',
  'Sales of the year,,\n,,\nregion,units,price\nNorth,3,$3.50\nSouth,4,(12)\n',
  'sep=;\na;b\n1;2\n',
];

function wide(text: string, littleEndian: boolean): Uint8Array {
  const view = new DataView(new ArrayBuffer(2 * text.length + 2));
  for (const [i, char] of ['\ufeff', ...text].entries()) view.setUint16(2 * i, char.charCodeAt(0), littleEndian);
  return new Uint8Array(view.buffer);
}

function workbook(): WorkBook {
  const sheet = utils.aoa_to_sheet([
    ['id', 'when', 'share'],
    [1, new Date(Date.UTC(2024, 2, 20)), 0.5],
    [2, new Date(Date.UTC(2024, 2, 21)), '7 %'],
    [3, null, true],
  ]);
  const book = utils.book_new();
  utils.book_append_sheet(book, utils.aoa_to_sheet([]), 'Empty');
  utils.book_append_sheet(book, sheet, 'Data');
  return book;
}

/** Text in three encodings, and workbooks: zipped with and without compression (so that XML is hit too), and `.xls`. */
export function seedFiles(): Uint8Array[] {
  const texts = TEXT.map((text) => new TextEncoder().encode(text));
  const workbooks = [
    write(workbook(), { type: 'array', bookType: 'xlsx', compression: true }),
    write(workbook(), { type: 'array', bookType: 'xlsx', compression: false }),
    write(workbook(), { type: 'array', bookType: 'biff8' }),
  ].map((file: ArrayBuffer) => new Uint8Array(file));
  return [...texts, wide(TEXT[0]!, true), wide(TEXT[0]!, false), ...workbooks];
}
