import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { utils, write } from 'xlsx';
import { isMissingMark } from '../../../packages/tables/missing.ts';
import { type Profile, profileSchema } from '../../../packages/tables/profile/profile.ts';
import { profileUpload } from '../../../packages/tables/profile/profileUpload.ts';
import { readTable } from '../../../packages/tables/readTable.ts';
import { writeCsv } from '../../../packages/tables/records.ts';
import { cellAt } from '../../../packages/tables/table.ts';
import { bytesOf, utf16 } from '../../support/bytes.ts';
import { saying } from '../../support/problems.ts';
import { describeShared } from '../../support/shared.ts';
import { housesCsv, ODD_NAMES, oddNamesCsv } from '../../support/tables.ts';

const profile = (content: string | Uint8Array, fileName = 'table.csv') =>
  profileUpload(bytesOf(content, 4000), fileName);
const kindsOf = ({ columns }: Profile) => Object.fromEntries(columns.map(({ name, kind }) => [name, kind]));

describe('profileUpload', () => {
  it('profiles every column of a table, and keeps to the schema', async () => {
    const houses = await profile(housesCsv(200));
    expect(profileSchema.parse(JSON.parse(JSON.stringify(houses)))).toEqual(houses);
    expect(houses.rows).toBe(200);
    expect(kindsOf(houses)).toEqual({
      price: 'continuous',
      area: 'continuous',
      rooms: 'categorical',
      city: 'categorical',
      note: 'text',
    });
    expect(houses.columns[0]?.suggested_role).toBe('target');
    expect(houses.columns[1]?.missing).toBe(18);
    expect(houses.warnings).toEqual([
      'Column "area" has 18 missing values (9 %); the synthetic column keeps the same share.',
    ]);
    expect(houses.sample.rows).toBe(200);
    expect(houses.sample.cells).toHaveLength(5);
  });

  it('keeps the first eight rows as they stand in the file: long cells cut, missing ones null', async () => {
    const long = '🦒'.repeat(150);
    const rows = Array.from(
      { length: 60 },
      (_, i) => `${i % 20 === 2 ? '-999' : `${i}.50`}, a ,${i === 1 ? 'NA' : long}`,
    );
    const { preview, columns } = await profile(`x,y,z\n${rows.join('\n')}\n`);
    expect(columns[0]?.missing_tokens).toEqual([['-999', 3]]);
    expect(preview).toHaveLength(8);
    expect(preview?.slice(0, 3)).toEqual([
      ['0.50', ' a ', `${'🦒'.repeat(99)}…`],
      ['1.50', ' a ', null],
      [null, ' a ', expect.any(String)],
    ]);
    expect((await profile('a\n1\n2\n')).preview).toEqual([['1'], ['2']]);
  });

  it('takes column names for what they are', async () => {
    const { columns } = await profile(oddNamesCsv());
    expect(columns.map(({ name }) => name)).toEqual([...ODD_NAMES.slice(0, -1), 'column_8']);
  });

  it('finds the encoding and the delimiter, with which the file reads again to the same cells', async () => {
    const { dialect, rows } = await profile(utf16('navn;æ\n1;"x;y"\n2;z\n', 'le'));
    expect(dialect).toEqual({ format: 'csv', encoding: 'utf-16le', delimiter: ';' });
    expect(rows).toBe(2);
  });

  it('profiles a workbook as it does the same table in CSV', async () => {
    const rows = housesCsv(120)
      .trim()
      .split('\n')
      .map((line) => line.split(','));
    const book = utils.book_new();
    utils.book_append_sheet(book, utils.aoa_to_sheet(rows), 'Houses');
    const bytes: ArrayBuffer = write(book, { type: 'array', bookType: 'xlsx' });
    const fromBook = await profile(new Uint8Array(bytes), 'houses.xlsx');
    const fromText = await profile(housesCsv(120));
    expect(fromBook.dialect).toEqual({ format: 'spreadsheet', sheet: 'Houses' });
    expect({ ...fromBook, dialect: null }).toEqual({ ...fromText, dialect: null });
  });

  it('reads text that is called .xls, and a workbook that is called .csv, with a warning', async () => {
    expect((await profile('a,b\n1,2\n', 't.xls')).warnings[0]).toContain('it was read as CSV');
  });

  it('gives the same profile for the same bytes, in chunks of any size', async () => {
    const text = housesCsv(150);
    const whole = await profileUpload(bytesOf(text), 'a.csv');
    expect(await profileUpload(bytesOf(text, 7), 'a.csv')).toEqual(whole);
  });

  it('warns of what is odd, the heaviest first', async () => {
    const lines = Array.from(
      { length: 60 },
      (_, i) => `${i + 1},${i === 3 ? 'ten' : i * 1.5},,one,${i % 9 ? 'x' : 'NA'}`,
    );
    const { warnings } = await profile(`id,x,nothing,same,y,y\n${lines.join('\n')}\n`);
    expect(warnings).toEqual([
      'Some column names occur more than once in the header; the later ones were renamed: "y" (column 6, now "y_2").',
      '60 rows had fewer cells than the header (the first in line 2) and were padded with missing cells.',
      'Columns "nothing" and "y_2" have no values and are left out.',
      'Column "x" has 1 value that is not a number, among 60; used as a number, it counts as missing.',
      'Column "y" has 7 missing values (11.7 %); the synthetic column keeps the same share.',
      'Column "same": the same value in every row; it is repeated in the synthetic table.',
      'Column "id" looks like an identifier: new ones with the same pattern are generated, because real ones would point to real rows.',
    ]);
  });

  it('counts missing cells of many columns in one sentence', async () => {
    const names = Array.from({ length: 30 }, (_, i) => `c${i}`);
    const { warnings } = await profile(
      `${names.join(',')}\n${names.map(() => '1.5').join(',')}\n${names.map(() => 'NA').join(',')}\n`,
    );
    expect(warnings.filter((warning) => warning.startsWith('Column "c'))).toHaveLength(6);
    expect(warnings).toContainEqual(
      expect.stringMatching(
        /^24 further columns with missing values, handled in the same way: "c6" 1, .*"c28" 1 and "c29" 1\.$/,
      ),
    );
  });

  it.each([
    ['table.txt', 'a\n1\n', 'unsupported_file_type'],
    ['table.csv', '', 'empty_file'],
    ['table.csv', ' \n', 'empty_file'],
    ['table.csv', 'a,b\n', 'no_data_rows'],
    ['table.csv', 'a,b\n1,2,3\n', 'parse_error'],
    ['table.csv', Uint8Array.of(0x61, 0x0a, 0xff, 0x0a), 'encoding_error'],
    ['table.xlsx', 'PK\u0003\u0004 nothing', 'parse_error'],
  ])('refuses %s with %j by %s', async (fileName, content, code) => {
    await expect(profile(content, fileName)).rejects.toMatchObject({ name: 'ServiceError', code });
  });

  it('sees what writeCsv wrote: names, rows and cells', async () => {
    // Among numbers a mark such as "na" is a missing cell, which only the profile knows.
    const isText = (text: string) => !text.includes('\0') && text.trim() !== '' && !isMissingMark(text);
    const cell = fc.string({ maxLength: 6 }).filter(isText);
    const row = fc.tuple(cell, cell, cell);
    await fc.assert(
      fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 8 }), async (rows) => {
        const columns = ['a;b', 'c\td', 'e|f'].map((name, column) => ({
          name,
          codes: Int32Array.from(rows, (_, index) => index),
          levels: rows.map((cells) => cells[column] ?? ''),
        }));
        const text = [...writeCsv({ rows: rows.length, columns })].join('');
        const found = await profile(text);
        expect(found.columns.map(({ name }) => name)).toEqual(['a;b', 'c\td', 'e|f']);
        expect(found.sample.rows).toBe(rows.length);
        const again = await readTable(bytesOf(text), found.dialect);
        expect(found.sample.cells).toEqual(
          again.columns.map((column) => rows.map((_, index) => cellAt(column, index))),
        );
      }),
    );
  });

  it('keeps its memory bounded over many rows and columns', async () => {
    async function* rows(count: number, width: number): AsyncGenerator<Uint8Array> {
      const encoder = new TextEncoder();
      const line = (cell: (column: number) => string) =>
        Array.from({ length: width }, (_, column) => cell(column)).join(',');
      yield encoder.encode(`${line((column) => `c${column}`)}\n`);
      for (let row = 0; row < count; row++)
        yield encoder.encode(`${line((column) => `${(row * 31 + column * 17) % 1009}.${row}`)}\n`);
    }
    const { columns, sample } = await profileUpload(rows(4000, 300), 'wide.csv');
    expect(columns.every(({ distinct }) => distinct === 4000)).toBe(true);
    expect(sample.rows).toBeLessThan(4000);
  });
});

describeShared('profileUpload over real tables', (dir) => {
  const load = (name: string) => profileUpload(bytesOf(readFileSync(join(dir, 'data', name)), 65_536), name);

  it('keeps 18-digit identifiers and counts rows with line breaks in cells', async () => {
    const tweets = await load('airline_tweets.csv');
    expect(tweets.rows).toBe(14_640);
    expect(kindsOf(tweets)).toEqual({
      tweet_id: 'identifier',
      airline_sentiment: 'categorical',
      negativereason: 'categorical',
      airline: 'categorical',
      text: 'text',
      tweet_created: 'datetime',
    });
    expect(tweets.sample.cells[0]?.every((cell) => cell?.length === 18)).toBe(true);
    expect(tweets.warnings).toContainEqual(
      expect.stringContaining('Column "negativereason" has 5,462 missing values (37.3 %)'),
    );
  });

  it('knows empty columns, dates, and identifiers above 2^53', async () => {
    const oslo = await load('oslo_airbnb.csv');
    expect(oslo.rows).toBe(10_099);
    expect(kindsOf(oslo)).toMatchObject({
      id: 'identifier',
      host_id: 'identifier',
      neighbourhood_group: 'empty',
      license: 'empty',
      last_review: 'datetime',
      name: 'text',
    });
  });

  it('says where a file stops being UTF-8', async () => {
    await expect(load('coffee_reviews_raw_mixed_encoding.csv')).rejects.toMatchObject({
      code: 'encoding_error',
      params: saying('byte offset 198138'),
    });
  });
});
