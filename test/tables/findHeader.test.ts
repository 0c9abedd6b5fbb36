import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { profileUpload } from '../../packages/tables/profile/profileUpload.ts';
import { findHeader } from '../../packages/tables/readCsv.ts';
import { readTable } from '../../packages/tables/readTable.ts';
import { cellAt } from '../../packages/tables/table.ts';
import { bytesOf } from '../support/bytes.ts';
import { saying } from '../support/problems.ts';
import { describeShared } from '../support/shared.ts';

const TABLE = 'region,units,price\nNorth,3,1.5\nSouth,4,2.5\nEast,5,3\n';
const find = (text: string) => findHeader(text, '\n', { whole: true });

describe('findHeader', () => {
  it.each([
    ['comments', '# made by a program\n# on "Monday, the 1st\n', 2],
    ['comments with as many cells as the table', '# a, b, c\n', 1],
    ['comments of other signs', '% one\n// two\n', 2],
    ['a title', 'Sales of the year\n', 1],
    ['a title with a blank line below', 'Sales\n\n', 2],
    ['a title padded to the table', 'Sales of the year,,\n,,\n', 2],
    ['several titles', 'Sales of the year\nall regions\n\n', 3],
  ])('leaves %s above the header out, and says so', (_, above, lines) => {
    const { delimiter, skipLines, warnings } = find(above + TABLE);
    expect({ delimiter, skipLines }).toEqual({ delimiter: ',', skipLines: lines });
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain('above the header');
  });

  it('takes a declared delimiter, whatever it is', () => {
    expect(find('sep=^\na^b\n1^2\n')).toMatchObject({ delimiter: '^', skipLines: 1 });
    expect(find('"sep=;"\r\na;b\r\n1,5;2\r\n')).toMatchObject({ delimiter: ';', skipLines: 1 });
  });

  it.each([
    ['a plain table', TABLE],
    ['a header that begins with #', '#id,name\n1,Anna\n2,Bo\n'],
    ['a header that begins with #, over numbers with a gap first', '#x,y\nNA,2\n3,4\n'],
    ['a column of hashtags', '#tag\n#one, two\n#three, four\n'],
    ['one column of text with commas', 'review\nGreat, really, nice\nBad, quite, so\n'],
    ['one column of addresses', 'Home address\nMain St, Springfield, IL\nOak St, Shelby, NY\n'],
    ['a header without the name of the row names', '"x"\n"a",5\n"b",6\n'],
    ['a header of which most names are missing', 'x,,\na,b,c\nd,e,f\n'],
    ['a short header over wider rows', 'a,b\n1,2,3\n4,5,6\n'],
  ])('leaves nothing out of %s', (_, text) => {
    expect(find(text).skipLines).toBe(0);
  });

  it.each([
    ['numbers over numbers', 'Anna,34,1.5\nBo,35,2.5\nCleo,36,3.5\n', '"34"'],
    ['words that stand below too', 'red,small\nred,large\nblue,small\nred,small\nred,large\n', '"red"'],
  ])('warns of a first row that is data: %s', (_, text, shown) => {
    const { skipLines, warnings } = find(text);
    expect(skipLines).toBe(0);
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain(`The first row looks like data, not like column names: ${shown}`);
  });

  it.each([
    ['years', 'country,2019,2020,2021\nNO,1,2,3\nSE,4,5,6\n'],
    ['one year', 'country,2019\nNO,1\nSE,4\n'],
    ['places', '0,1,2\n5.5,6,7\n8,9,9.5\n'],
    ['words alone', 'name,city\nAnna,Oslo\nBo,Rome\n'],
    ['names that stand below once more', 'name,city\nAnna,Oslo\nname,city\nBo,Rome\nname,city\n'],
  ])('does not warn of names that are %s', (_, text) => {
    expect(find(text).warnings).toEqual([]);
  });
});

describe('lines above the header', () => {
  it.each(['\n', '\r\n', '\r'])(
    'are remembered by the dialect: read again, the cells are the same (%j)',
    async (end) => {
      const text = `# it's "odd\n\nSales of the year\n${TABLE}`.replaceAll('\n', end);
      const { dialect, rows, warnings } = await profileUpload(bytesOf(text, 5), 'a.csv');
      expect(dialect).toEqual({ format: 'csv', encoding: 'utf-8', delimiter: ',', skip_lines: 3 });
      expect(rows).toBe(3);
      expect(warnings[0]).toContain('3 lines above the header were left out');
      const table = await readTable(bytesOf(text, 7), dialect);
      expect(table.columns.map((column) => [column.name, cellAt(column, 0)])).toEqual([
        ['region', 'North'],
        ['units', '3'],
        ['price', '1.5'],
      ]);
    },
  );

  it('count in the line that an error names', async () => {
    const text = `# one\n# two\n${TABLE}${'W,1,2\n'.repeat(20)}1,2,3,4\n`;
    await expect(profileUpload(bytesOf(text, 3), 'a.csv')).rejects.toMatchObject({
      params: saying('line 27 has 4 cells'),
    });
  });
});

describeShared('findHeader over real tables', (dir) => {
  const files = readdirSync(join(dir, 'data')).filter((file) => file.endsWith('.csv'));
  it.each(files)('finds the header of %s in its first line, without a warning', (file) => {
    const text = readFileSync(join(dir, 'data', file), 'utf8').slice(0, 200_000);
    expect(find(text)).toMatchObject({ skipLines: 0, warnings: [] });
  });
});
