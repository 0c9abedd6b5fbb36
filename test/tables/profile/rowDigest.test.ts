import { describe, expect, it } from 'vitest';
import { utils, write } from 'xlsx';
import { createStream } from '../../../packages/numerics/random/createStream.ts';
import { shuffle } from '../../../packages/numerics/random/draws.ts';
import { profileUpload } from '../../../packages/tables/profile/profileUpload.ts';
import { ROW_HASHES, RowDigester, SMALLEST_ROWS } from '../../../packages/tables/profile/rowDigest.ts';

const NAMES = ['id', 'x', 'c'];
const rowsOf = (count: number, from = 0): string[][] =>
  Array.from({ length: count }, (_, i) => [String(from + i), (i / 8).toFixed(2), i % 3 === 0 ? '' : `level ${i % 7}`]);

function digest(rows: readonly string[][], names = NAMES) {
  const digester = new RowDigester(names);
  for (const row of rows) digester.add(row);
  return digester.finish();
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

const csvOf = (rows: readonly string[][], end = '\n'): Uint8Array =>
  Buffer.from([NAMES, ...rows].map((row) => row.join(',')).join('\n') + end);
const digestOfFile = async (bytes: Uint8Array, name = 'a.csv') => (await profileUpload(once(bytes), name)).row_digest!;

describe('the digest of a table', () => {
  const rows = rowsOf(500);
  const own = digest(rows);

  it('is the same in every order of rows and of columns', () => {
    const shuffled = [...rows];
    shuffle(shuffled, createStream(1, 'rows'));
    expect(digest(shuffled)).toEqual(own);
    const turned = rows.map(([id, x, c]) => [c!, id!, x!]);
    expect(digest(turned, ['c', 'id', 'x'])).toEqual(own);
  });

  it.each<[string, (rows: string[][]) => string[][]]>([
    ['a row less', (all) => all.slice(1)],
    ['a row more', (all) => [...all, ['500', '1', 'a']]],
    ['a row twice', (all) => [...all, all[0]!]],
    ['a row twice in place of another', (all) => [...all.slice(1), all[1]!]],
    ['one cell changed', (all) => [['0', '0.01', ''], ...all.slice(1)]],
    [
      'two cells exchanged',
      (all) => [[all[0]![0]!, all[1]![1]!, ''], [all[1]![0]!, all[0]![1]!, 'level 1'], ...all.slice(2)],
    ],
    ['a sign changed', (all) => [['-0.5', '0', ''], ...all.slice(1)]],
  ])('differs for %s', (_, change) => {
    expect(digest(change(rows)).table).not.toBe(own.table);
  });

  it.each([
    ['1.50', '1.5'],
    ['007', '7'],
    ['1e3', '1000'],
    ['+2', '2'],
    ['-0.0', '0'],
    [' a ', 'a'],
    ['NA', ''],
    ['.5', '0.5'],
    ['5.', '5'],
  ])('reads %j as %j', (one, other) => {
    expect(digest([['1', one, 'x']]).table).toBe(digest([['1', other, 'x']]).table);
  });

  it.each([
    ['12345678901234567', '12345678901234568'],
    ['1-2', '12'],
    ['1.2.3', '1.23'],
    ['-', ''],
    ['0', ''],
  ])('tells %j from %j', (one, other) => {
    expect(digest([['1', one, 'x']]).table).not.toBe(digest([['1', other, 'x']]).table);
  });

  it('is that of the file with other line ends, another delimiter, or as a workbook', async () => {
    const expected = await digestOfFile(csvOf(rows));
    expect(expected).toEqual(own);
    expect(await digestOfFile(csvOf(rows, '\n\n'))).toEqual(own);
    expect(await digestOfFile(Buffer.from(Buffer.from(csvOf(rows)).toString().replaceAll('\n', '\r\n')))).toEqual(own);
    expect(await digestOfFile(Buffer.from(Buffer.from(csvOf(rows)).toString().replaceAll(',', ';')))).toEqual(own);
    const typed = rows.map(([id, x, c]) => [Number(id), Number(x), c === '' ? null : c]);
    const book = utils.book_new();
    utils.book_append_sheet(book, utils.aoa_to_sheet([NAMES, ...typed]), 'a');
    const bytes: Uint8Array = write(book, { type: 'buffer', bookType: 'xlsx' });
    expect(await digestOfFile(bytes, 'a.xlsx')).toEqual(own);
  });

  it('keeps the smallest hashes, each once, of whatever number of rows', () => {
    expect(own.smallest).toHaveLength(500);
    expect(digest([...rows, ...rows]).smallest).toEqual(own.smallest);
    const many = digest(rowsOf(20_000));
    expect(many.smallest).toHaveLength(SMALLEST_ROWS);
    expect(many.smallest).toEqual([...many.smallest].sort((a, b) => a - b));
    // Of 20,000 uniform hashes the 1,024th lies here, with a standard error of 3 %.
    expect(many.smallest.at(-1)! / ROW_HASHES).toBeCloseTo(SMALLEST_ROWS / 20_000, 2);
    const others = new Set(digest(rowsOf(20_000, 20_000)).smallest);
    expect(many.smallest.filter((hash) => others.has(hash))).toEqual([]);
  });
});
