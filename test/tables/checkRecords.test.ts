import { describe, expect, it } from 'vitest';
import { utils, write } from 'xlsx';
import { checkRecords } from '../../packages/tables/compoundFile.ts';
import { readSpreadsheet } from '../../packages/tables/readSpreadsheet.ts';
import { MAX_CELLS } from '../../packages/tables/workbookLimits.ts';
import { bytesOf } from '../support/bytes.ts';
import { saying } from '../support/problems.ts';

const BEGIN = 0x0809;
const END = 0x000a;
const FORMULA = 0x0006;
const NUMBERS = 0x00bd;
const LINK = 0x01b8;
const SILENT = 0x0060;

const record = (type: number, data: number[] | Uint8Array): number[] => [
  type & 0xff,
  type >> 8,
  data.length & 0xff,
  data.length >> 8,
  ...data,
];
const begin = record(BEGIN, [0x00, 0x06, 0x05, 0x00]);
const stream = (...records: number[][]): Uint8Array => Uint8Array.from([...begin, ...records.flat()]);
const zeros = (length: number): number[] => new Array<number>(length).fill(0);

describe('checkRecords', () => {
  it('takes records that tell nothing of the table from the parser, such as a link over all cells', () => {
    const bytes = stream(record(LINK, zeros(32)), record(END, []));
    expect(checkRecords(bytes)).toBe(true);
    expect(new DataView(bytes.buffer).getUint16(begin.length, true)).toBe(SILENT);
  });

  it('refuses what no parser comes to an end with: cells without a place, formulas without a value', () => {
    expect(checkRecords(stream(record(NUMBERS, zeros(5))))).toBe(false);
    expect(checkRecords(stream(record(FORMULA, zeros(21))))).toBe(false);
    expect(checkRecords(stream(record(FORMULA, zeros(22))))).toBe(true);
  });

  it('refuses texts, names and formats that end before the length of their text', () => {
    const least = { 516: 8, 214: 8, 519: 2, 133: 7, 1054: 3 };
    for (const [type, bytes] of Object.entries(least)) {
      expect(checkRecords(stream(record(Number(type), zeros(bytes - 1)))), type).toBe(false);
      expect(checkRecords(stream(record(Number(type), zeros(bytes)))), type).toBe(true);
    }
  });

  it('refuses bytes behind the last record that a parser takes for one more', () => {
    for (const rest of [[4], [4, 2], [4, 2, 8]]) {
      expect(checkRecords(stream(record(NUMBERS, zeros(6)), rest)), `${rest}`).toBe(false);
      expect(checkRecords(stream(record(END, []), rest)), `${rest}`).toBe(false);
    }
    expect(checkRecords(stream(record(END, []), [0, 0, 0]))).toBe(true);
  });

  it('refuses a record that reaches beyond the end, and a stream that does not begin as a workbook does', () => {
    expect(checkRecords(Uint8Array.from([...begin, END, 0, 200, 0, 1]))).toBe(false);
    expect(checkRecords(Uint8Array.from(record(END, zeros(8))))).toBe(false);
    expect(checkRecords(Uint8Array.from(record(BEGIN, [0x00, 0x07, 0x05, 0x00])))).toBe(false);
  });

  it('leaves zeros behind the end of the last sheet be', () => {
    expect(checkRecords(stream(record(END, []), zeros(500)))).toBe(true);
  });

  it('counts the numbers of a row one by one: as many cells as can be read pass, and not one more', () => {
    const inOne = 1000;
    const row = record(NUMBERS, zeros(6 * inOne));
    const full = new Uint8Array(begin.length + (MAX_CELLS / inOne) * row.length);
    full.set(begin);
    for (let at = begin.length; at < full.length; at += row.length) full.set(row, at);
    expect(checkRecords(full)).toBe(true);
    const more = new Uint8Array([...record(NUMBERS, zeros(6))]);
    const beyond = new Uint8Array(full.length + more.length);
    beyond.set(full);
    beyond.set(more, full.length);
    expect(() => checkRecords(beyond)).toThrow(
      expect.objectContaining({ code: 'parse_error', params: saying('5,000,001') }),
    );
  });
});

const NUMBER = 0x0203;
/** Of a number's record: header, row, column, format, eight bytes of value. */
const NUMBER_BYTES = 18;

/**
 * A workbook with 2 in A2 and a formula in B2, which shows 4. `expression`: what it is computed by, two bytes of length first.
 * It stands where the library has written two numbers, being as long as both.
 */
function withFormula(expression: number[]): Uint8Array {
  const bytes = writtenWithNumbers();
  const at = numberAt(bytes, 1);
  const record = new DataView(bytes.buffer, at, 2 * NUMBER_BYTES);
  const format = record.getUint16(8, true);
  record.setUint16(0, FORMULA, true);
  record.setUint16(2, 2 * NUMBER_BYTES - 4, true);
  for (const [index, word] of [1, 1, format].entries()) record.setUint16(4 + 2 * index, word, true);
  record.setFloat64(10, 4, true);
  for (let i = 18; i < 24; i++) record.setUint8(i, 0);
  for (const [index, byte] of expression.entries()) record.setUint8(24 + index, byte);
  return bytes;
}

function writtenWithNumbers(): Uint8Array {
  const sheet = utils.aoa_to_sheet([
    ['a', 'b'],
    [2, 7.625, 8.375],
  ]);
  const book = utils.book_new();
  utils.book_append_sheet(book, sheet, 'S');
  const written: ArrayBuffer = write(book, { type: 'array', bookType: 'xls' });
  return new Uint8Array(written);
}

/** Where the record of the number in the second row and this column begins. */
function numberAt(bytes: Uint8Array, column: number): number {
  const start = [NUMBER & 0xff, NUMBER >> 8, NUMBER_BYTES - 4, 0, 1, 0, column, 0];
  const at = bytes.findIndex((_, index) => start.every((byte, i) => bytes[index + i] === byte));
  if (at < 0) throw new Error('the library has not written a number where it was looked for');
  return at;
}

async function rowsOf(bytes: Uint8Array): Promise<string[][]> {
  const rows: string[][] = [];
  await readSpreadsheet(bytesOf(bytes, 1000), {}, { header: () => undefined, row: (cells) => rows.push([...cells]) });
  return rows;
}

describe('an .xls workbook with a damaged part', () => {
  it('is read by what its formulas show where they cannot be parsed', async () => {
    expect(await rowsOf(withFormula([8, 1, 32, 90, 161, 0, 63, 160, 0, 118, 11, 0]))).toEqual([['2', '4']]);
    expect(await rowsOf(withFormula([4, 0, 64, 173, 118, 0, 0, 0, 24, 0, 0, 76]))).toEqual([['2', '4']]);
  });

  it('is read by what its formulas show where a parser of them does not come to an end', async () => {
    expect(await rowsOf(withFormula([11, 0, 3, 11, 102, 106, 0, 0, 95, 212, 9, 116]))).toEqual([['2', '4']]);
    expect(await rowsOf(withFormula([12, 0, 99, 19, 18, 47, 0, 38, 0, 120, 104, 219]))).toEqual([['2', '4']]);
  });

  it('is refused where a cell has lost its place', async () => {
    const bytes = writtenWithNumbers();
    bytes[numberAt(bytes, 1) + 2] = 4;
    await expect(rowsOf(bytes)).rejects.toMatchObject({ code: 'parse_error' });
  });
});
