import fc from 'fast-check';
import { parquetMetadata, parquetReadObjects } from 'hyparquet';
import Papa from 'papaparse';
import { describe, expect, it } from 'vitest';
import { read, utils } from 'xlsx';
import { findCellTypes, type TableTypes } from '../../packages/tables/records.ts';
import { toParquet } from '../../packages/tables/toParquet.ts';
import { toSpreadsheetCsv } from '../../packages/tables/toSpreadsheetCsv.ts';
import { noWorkbook, toWorkbook } from '../../packages/tables/toWorkbook.ts';
import { ODD_NAMES } from '../support/tables.ts';

type Rows = readonly (readonly string[])[];

const csvOf = (rows: Rows): string => `${Papa.unparse([...rows], { newline: '\n', quotes: true })}\n`;

async function* inPieces(text: string, size = 1000): AsyncGenerator<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function collect(pieces: AsyncIterable<Uint8Array>): Promise<Uint8Array<ArrayBuffer>> {
  const all: Uint8Array[] = [];
  for await (const piece of pieces) all.push(piece);
  return new Uint8Array(Buffer.concat(all));
}

const typesOf = (rows: Rows, numeric: readonly string[]): Promise<TableTypes> =>
  findCellTypes(inPieces(csvOf(rows)), new Set(numeric));

async function parquetOf(rows: Rows, numeric: readonly string[], size = 1000): Promise<Uint8Array<ArrayBuffer>> {
  const { columns } = await typesOf(rows, numeric);
  return collect(toParquet(inPieces(csvOf(rows), size), columns));
}

/** Cells by row, as another reader reads them. */
async function parquetCells(rows: Rows, numeric: readonly string[], size = 1000): Promise<unknown[][]> {
  const { buffer: file } = await parquetOf(rows, numeric, size);
  const objects = await parquetReadObjects({ file });
  return objects.map((row) => (rows[0] ?? []).map((name) => row[name]));
}

async function sheetOf(rows: Rows, numeric: readonly string[], size = 1000) {
  const types = await typesOf(rows, numeric);
  expect(noWorkbook(types)).toBeUndefined();
  const book = read(await collect(toWorkbook(inPieces(csvOf(rows), size), types)), { cellFormula: true });
  return book.Sheets[book.SheetNames[0] ?? ''] ?? {};
}

const sheetCells = async (rows: Rows, numeric: readonly string[], size = 1000): Promise<unknown[][]> =>
  utils.sheet_to_json(await sheetOf(rows, numeric, size), { header: 1, defval: null, raw: true, blankrows: true });

const NUMERIC = ['whole', 'large', 'decimal', 'zeros', 'date', 'mixed'];
const TABLE: Rows = [
  [...NUMERIC, 'category', 'text'],
  ['3', '900719925474099312', '1.50', '007', '2024-02-29', '9007199254740993', '01', '=1+1'],
  ['-12', '-1', '-2e-3', '1', '2023-01-01', '0.5', '', 'Zürich, "quoted"\nline'],
  ['NA', '', '', '2', '', '1', 'b', 'NA'],
];

describe('findCellTypes', () => {
  it('finds numbers where nothing of them is lost, and texts everywhere else', async () => {
    const { rows, columns } = await typesOf(TABLE, NUMERIC);
    expect(rows).toBe(3);
    expect(columns.map(({ type }) => type)).toEqual([
      'integer',
      'integer',
      'number',
      'text',
      'text',
      'text',
      'text',
      'text',
    ]);
    expect(columns.map(({ fitsDouble }) => fitsDouble).slice(0, 3)).toEqual([true, false, true]);
    expect(columns.at(-1)?.longest).toBe('Zürich, "quoted"\nline'.length);
  });

  it.each(['1e999', '0x10', '+5', '1,5', '١', ' 1', '1_000', 'Infinity', '12345678901234567890', '--1', '.', ''])(
    'takes %j for no number, or for a missing one',
    async (cell) => {
      const { columns } = await typesOf(
        [
          ['n', 'm'],
          [cell, 'x'],
          ['1.5', 'x'],
        ],
        ['n'],
      );
      expect(columns[0]?.type).toBe(cell === '' ? 'number' : 'text');
    },
  );
});

describe('toParquet', () => {
  it('is read back by another reader with types, texts as they are, and nulls for missing cells', async () => {
    expect(await parquetCells(TABLE, NUMERIC)).toEqual([
      [3n, 900719925474099312n, 1.5, '007', '2024-02-29', '9007199254740993', '01', '=1+1'],
      [-12n, -1n, -0.002, '1', '2023-01-01', '0.5', null, 'Zürich, "quoted"\nline'],
      [null, null, null, '2', null, '1', 'b', null],
    ]);
    const { buffer } = await parquetOf(TABLE, NUMERIC);
    const schema = parquetMetadata(buffer).schema.slice(1);
    expect(schema.map(({ type, converted_type, repetition_type }) => [type, converted_type, repetition_type])).toEqual([
      ...['INT64', 'INT64', 'DOUBLE'].map((type) => [type, undefined, 'OPTIONAL']),
      ...Array.from({ length: 5 }, () => ['BYTE_ARRAY', 'UTF8', 'OPTIONAL']),
    ]);
  });

  it('keeps any text, wherever pieces end', async () => {
    const cell = fc.oneof(fc.string({ maxLength: 6, unit: 'binary' }), fc.constantFrom('🙂', 'NA', '', '1', '\r\n'));
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(cell, cell), { minLength: 1, maxLength: 8 }),
        fc.integer({ min: 1, max: 9 }),
        async (rows, size) => {
          const expected = rows.map((row) => row.map((text) => (isGone(text) ? null : text)));
          expect(await parquetCells([['a', 'b'], ...rows], [], size)).toEqual(expected);
        },
      ),
      { numRuns: 100 },
    );
  });

  it('takes odd names, a table without rows, and a column without a cell', async () => {
    const names = ODD_NAMES.filter((name) => name !== '' && name !== '__proto__');
    expect(await parquetCells([names, names], [])).toEqual([names]);
    const { schema } = parquetMetadata(
      (
        await parquetOf(
          [
            ['__proto__', 'b'],
            ['x', 'y'],
          ],
          [],
        )
      ).buffer,
    );
    expect(schema.map(({ name }) => name)).toEqual(['root', '__proto__', 'b']);
    expect(parquetMetadata((await parquetOf([['a', 'b']], ['a'])).buffer).num_rows).toBe(0n);
    expect(
      await parquetCells(
        [
          ['a', 'b'],
          ['', 'x'],
        ],
        ['a'],
      ),
    ).toEqual([[null, 'x']]);
  });

  it('gives out a row group before it has read the rows behind', async () => {
    const row = 'x'.repeat(1000);
    let read = 0;
    async function* rows(): AsyncGenerator<Uint8Array> {
      yield new TextEncoder().encode('a\n');
      for (; read < 12_000; read++) yield new TextEncoder().encode(`${row}${read}\n`);
    }
    const column = { name: 'a', type: 'text' as const, fitsDouble: true, longest: 1005 };
    const whens: number[] = [];
    for await (const _ of toParquet(rows(), [column])) whens.push(read);
    expect(whens[0]).toBeLessThan(5_000);
    expect(whens.length).toBe(5);
  });

  it('gives the same bytes for the same table', async () => {
    expect(await parquetOf(TABLE, NUMERIC)).toEqual(await parquetOf(TABLE, NUMERIC, 7));
  });
});

const isGone = (text: string): boolean => ['', 'NA', 'N/A', 'n/a', 'NaN', 'nan', 'null', 'NULL'].includes(text.trim());

describe('toWorkbook', () => {
  it('is read back by another reader with numbers, texts as they are, and empty cells for missing ones', async () => {
    expect(await sheetCells(TABLE, NUMERIC)).toEqual([
      TABLE[0],
      [3, '900719925474099312', 1.5, '007', '2024-02-29', '9007199254740993', '01', '=1+1'],
      [-12, '-1', -0.002, '1', '2023-01-01', '0.5', null, 'Zürich, "quoted"\nline'],
      [null, null, null, '2', null, '1', 'b', null],
    ]);
  });

  it.each(['=1+1', '+A1', '-2+3', '@SUM(A1)', '\t=1', '=HYPERLINK("x")', "=cmd|' /C calc'!A0"])(
    'writes %j as a text, and no formula',
    async (text) => {
      const sheet = await sheetOf(
        [
          ['a', 'b'],
          [text, 'x'],
        ],
        ['a'],
      );
      expect(sheet.A2).toMatchObject({ t: 's', v: text });
      expect(sheet.A2).not.toHaveProperty('f');
    },
  );

  it('keeps any text, wherever pieces end', async () => {
    const cell = fc.oneof(
      fc.string({ maxLength: 6, unit: 'binary' }),
      fc.constantFrom('🙂', '_x0041_', '_x005F_x0041_', '<&>', '  two  ', '\u0001', '\r\n', '\ufffe'),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(cell, cell), { minLength: 1, maxLength: 8 }),
        fc.integer({ min: 1, max: 9 }),
        async (rows, size) => {
          const marked = rows.map(([a, b]) => [`.${a}`, `${b}.`]);
          // The reader gives LF for CR LF.
          const expected = marked.map((row) => row.map((text) => text.replaceAll('\r\n', '\n')));
          expect(await sheetCells([['a', 'b'], ...marked], [], size)).toEqual([['a', 'b'], ...expected]);
        },
      ),
      { numRuns: 100 },
    );
  });

  it('names columns as Excel does', async () => {
    const names = Array.from({ length: 800 }, (_, j) => `c${j}`);
    const sheet = await sheetOf([names, names], []);
    expect([sheet.Z2, sheet.AA2, sheet.ZZ2, sheet.AAA2].map((cell) => cell?.v)).toEqual(['c25', 'c26', 'c701', 'c702']);
  });

  it('gives the same bytes for the same table, at whatever time', async () => {
    const types = await typesOf(TABLE, NUMERIC);
    const bytes = () => collect(toWorkbook(inPieces(csvOf(TABLE)), types));
    expect(await bytes()).toEqual(await bytes());
  });

  it.each<[{ rows?: number; width?: number; longest?: number }, ReturnType<typeof noWorkbook>]>([
    [{ rows: 1_048_576 }, { reason: 'workbook_too_many_rows_to_write', rows: 1_048_576, max: 1_048_576 }],
    [
      { rows: 1_000_000, width: 41 },
      { reason: 'workbook_too_many_cells_to_write', cells: 41_000_000, max: 40_000_000 },
    ],
    [{ width: 16_385 }, { reason: 'workbook_too_many_columns_to_write', columns: 16_385, max: 16_384 }],
    [{ longest: 32_768 }, { reason: 'workbook_cell_too_long_to_write', column: 'c0', max: 32_767 }],
    [{ rows: 1_048_575, longest: 32_767 }, undefined],
  ])('knows what no sheet holds: %j', ({ rows = 1, width = 1, longest = 1 }, found) => {
    const columns = Array.from({ length: width }, (_, j) => ({
      name: `c${j}`,
      type: 'text' as const,
      fitsDouble: true,
      longest,
    }));
    expect(noWorkbook({ rows, columns })).toEqual(found);
  });
});

describe('toSpreadsheetCsv', () => {
  it('puts an apostrophe before what would be a formula, and changes nothing else', async () => {
    const rows = [
      ['=a', 'b'],
      ['=1+1', '-5.5'],
      ['@SUM(A1)', '+1e3'],
      ['-x', 'a=b'],
      ['\tx', '"=2"'],
      ['', 'two\nlines, one cell'],
    ];
    const made = new TextDecoder().decode(await collect(toSpreadsheetCsv(inPieces(csvOf(rows), 7))));
    expect(Papa.parse<string[]>(made.trimEnd()).data).toEqual([
      ["'=a", 'b'],
      ["'=1+1", '-5.5'],
      ["'@SUM(A1)", '+1e3'],
      ["'-x", 'a=b'],
      ["'\tx", '"=2"'],
      ['', 'two\nlines, one cell'],
    ]);
  });
});
