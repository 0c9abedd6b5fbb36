import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Dialect } from '../../packages/tables/profile/profile.ts';
import { readTable } from '../../packages/tables/readTable.ts';
import { writeCsv } from '../../packages/tables/records.ts';
import { type CellTable, cellAt, columnOf, MISSING } from '../../packages/tables/table.ts';
import { bytesOf, utf16 } from '../support/bytes.ts';

const CSV: Dialect = { format: 'csv', encoding: 'utf-8', delimiter: ',' };

describe('readTable', () => {
  it('keeps every cell as the text that was in the file', async () => {
    const table = await readTable(
      bytesOf('id,zip,x\n570306133677760513,00742,1.50\n570306133677760514,00742,1.5\n'),
      CSV,
    );
    expect(table.rows).toBe(2);
    expect(columnOf(table, 'id').levels).toEqual(['570306133677760513', '570306133677760514']);
    expect([...columnOf(table, 'zip').codes]).toEqual([0, 0]);
    expect(columnOf(table, 'x').levels).toEqual(['1.50', '1.5']);
  });

  it('gives missing cells their code and no level', async () => {
    const table = await readTable(bytesOf('a,b\nNA,x\n,x\ny,N/A\n'), CSV);
    expect([...columnOf(table, 'a').codes]).toEqual([MISSING, MISSING, 0]);
    expect(columnOf(table, 'b').levels).toEqual(['x']);
  });

  it('keeps columns apart whatever they are called', async () => {
    const table = await readTable(bytesOf('__proto__,constructor,🦒\n1,2,3\n'), CSV);
    expect(table.columns.map((column) => [column.name, cellAt(column, 0)])).toEqual([
      ['__proto__', '1'],
      ['constructor', '2'],
      ['🦒', '3'],
    ]);
  });

  it.each([
    ['a byte order mark', '\ufeffa;b\n1;2\n', { ...CSV, delimiter: ';' }],
    ['UTF-16', utf16('a;b\n1;2\n', 'be'), { format: 'csv', encoding: 'utf-16be', delimiter: ';' } as const],
  ])('reads %s as its dialect says', async (_, content, dialect) => {
    const table = await readTable(bytesOf(content), dialect);
    expect(table.columns.map((column) => [column.name, cellAt(column, 0)])).toEqual([
      ['a', '1'],
      ['b', '2'],
    ]);
  });

  it('passes the errors of reading on', async () => {
    await expect(readTable(bytesOf('a\n'), CSV)).rejects.toMatchObject({ code: 'no_data_rows' });
  });
});

const nasty = fc.constantFrom(
  ',',
  '"',
  '\n',
  '\r',
  '\r\n',
  ';',
  '\t',
  '|',
  ' ',
  'é',
  '🦒',
  '0',
  '00',
  '-1.50',
  '__proto__',
  "'",
);
const anyText = fc.oneof(
  fc.string({ maxLength: 8 }),
  fc.array(nasty, { maxLength: 5 }).map((parts) => parts.join('')),
);
/** No reader can tell these from others: NUL is no text, and white space alone is a missing cell. */
const cell = anyText.filter((text) => !text.includes('\0') && text.trim() !== '' && text !== 'NA');
const name = cell.map((text) => text.trim());

/** Tables whose cells are null or a text. */
const cells = fc
  .record({ names: fc.uniqueArray(name, { minLength: 1, maxLength: 5 }), rows: fc.integer({ min: 1, max: 12 }) })
  .chain(({ names, rows }) =>
    fc.record({
      names: fc.constant(names),
      columns: fc.array(fc.array(fc.option(cell), { minLength: rows, maxLength: rows }), {
        minLength: names.length,
        maxLength: names.length,
      }),
    }),
  );

function tableOf({ names, columns }: { names: string[]; columns: (string | null)[][] }): CellTable {
  return {
    rows: columns[0]?.length ?? 0,
    columns: names.map((columnName, index) => {
      const texts = columns[index] ?? [];
      const levels = [...new Set(texts.filter((text) => text !== null))];
      const codes = Int32Array.from(texts, (text) => (text === null ? MISSING : levels.indexOf(text)));
      return { name: columnName, codes, levels };
    }),
  };
}

describe('writeCsv', () => {
  const written = (table: CellTable, missing?: Map<string, string>) => [...writeCsv(table, missing)].join('');

  it('quotes what needs it, doubles quotes, and ends lines in LF', () => {
    const table = tableOf({
      names: ['a', 'b"c'],
      columns: [
        ['x, y', null],
        ['say "hi"', 'l1\nl2'],
      ],
    });
    expect(written(table)).toBe('a,"b""c"\n"x, y","say ""hi"""\n,"l1\nl2"\n');
  });

  it('writes missing cells as they were', () => {
    const table = tableOf({ names: ['a', 'b'], columns: [[null], [null]] });
    expect(written(table, new Map([['b', 'NA']]))).toBe('a,b\n,NA\n');
  });

  it('quotes a lone empty cell, which would be no row else', () => {
    expect(written(tableOf({ names: ['a'], columns: [['x', null]] }))).toBe('a\nx\n""\n');
  });

  it('gives large tables in pieces', () => {
    const table = tableOf({ names: ['a'], columns: [Array.from({ length: 30_000 }, (_, i) => `cell ${i % 7}`)] });
    expect([...writeCsv(table)].length).toBeGreaterThan(2);
  });

  it('writes any table so that it reads back cell for cell', async () => {
    await fc.assert(
      fc.asyncProperty(
        cells,
        fc.integer({ min: 1, max: 50 }),
        fc.constantFrom('', 'NA'),
        async (content, chunk, gap) => {
          const table = tableOf(content);
          const text = written(table, new Map(content.names.map((columnName) => [columnName, gap])));
          expect(await readTable(bytesOf(text, chunk), CSV)).toEqual(table);
        },
      ),
      { numRuns: 500 },
    );
  });
});
