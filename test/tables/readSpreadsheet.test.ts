import { deflateRawSync } from 'node:zlib';
import { describe, expect, it, vi } from 'vitest';
import { utils, type WorkSheet, write } from 'xlsx';
import { zipOf, zipParts } from '../../bench/fuzz/zip.ts';
import { zipEntries } from '../../packages/tables/checkWorkbook.ts';
import { readSpreadsheet } from '../../packages/tables/readSpreadsheet.ts';
import { readTable } from '../../packages/tables/readTable.ts';
import { cellAt } from '../../packages/tables/table.ts';
import { bytesOf } from '../support/bytes.ts';
import { told } from '../support/problems.ts';

type Format = 'xlsx' | 'xls';
type Cells = (string | number | boolean | Date | null)[][];

const sheetOf = (cells: Cells): WorkSheet => utils.aoa_to_sheet(cells);

function workbook(sheets: Record<string, WorkSheet>, bookType: Format = 'xlsx'): Uint8Array {
  const book = utils.book_new();
  for (const [name, sheet] of Object.entries(sheets)) utils.book_append_sheet(book, sheet, name);
  const bytes: ArrayBuffer = write(book, { type: 'array', bookType, compression: true });
  return new Uint8Array(bytes);
}

async function read(bytes: Uint8Array) {
  const names: string[] = [];
  const rows: string[][] = [];
  const sink = { header: (header: string[]) => names.push(...header), row: (cells: string[]) => rows.push(cells) };
  const { dialect, warnings } = await readSpreadsheet(bytesOf(bytes, 1000), {}, sink);
  return { names, rows, dialect, warnings };
}

const refusal = (bytes: Uint8Array) => read(bytes).then(() => ({ code: 'none', message: '' }), told);

describe.each(['xlsx', 'xls'] as const)('readSpreadsheet of .%s', (format) => {
  const book = (cells: Cells) => workbook({ Data: sheetOf(cells) }, format);

  it('reads texts, numbers in full, truth values and empty cells', async () => {
    const { names, rows, dialect } = await read(
      book([
        ['id', 'x', 'ok', 'note'],
        ['00742', 1 / 3, true, 'æ🦒'],
        ['2', 1234567890123, false, null],
      ]),
    );
    expect(names).toEqual(['id', 'x', 'ok', 'note']);
    expect(rows).toEqual([
      ['00742', '0.3333333333333333', 'TRUE', 'æ🦒'],
      ['2', '1234567890123', 'FALSE', ''],
    ]);
    expect(dialect).toEqual({ format: 'spreadsheet', sheet: 'Data' });
  });

  it('shows dates with four digits of the year', async () => {
    const sheet = sheetOf([['day'], [45371], [45372.5]]);
    sheet.A2.z = 'm/d/yy';
    sheet.A3.z = 'yyyy-mm-dd hh:mm';
    expect((await read(workbook({ S: sheet }, format))).rows).toEqual([['2024-03-20'], ['2024-03-21 12:00']]);
  });

  it('shows as many digits of a second as the format of the cell does', async () => {
    const sheet = sheetOf([
      ['at', 'lap'],
      [45371.297_337_673_61, 0.001_052_627],
    ]);
    sheet.A2.z = 'yyyy-mm-dd hh:mm:ss.000';
    sheet.B2.z = 'mm:ss.0';
    expect((await read(workbook({ S: sheet }, format))).rows).toEqual([['2024-03-20 07:08:09.975', '00:01:30.9']]);
  });

  it('shows percentages, currency and groups as their formats do, and zero as a number', async () => {
    const sheet = sheetOf([
      ['p', 'q', 'r', 's', 't', 'u'],
      [3.5, 1234.5, 0.125, 3.5, 0, 1_234_000],
    ]);
    sheet.A2.z = '0.00';
    sheet.B2.z = '#,##0.00';
    sheet.C2.z = '0.0%';
    sheet.D2.z = '"$"#,##0.00';
    sheet.E2.z = '"$"#,##0.00;-"$"#,##0.00;"-"??';
    sheet.F2.z = '0.0,,"M"';
    expect((await read(workbook({ S: sheet }, format))).rows).toEqual([
      ['3.50', '1,234.50', '12.5%', '$3.50', '$0.00', '1234000'],
    ]);
  });

  it('leaves out rows and columns without any cell', async () => {
    const { names, rows } = await read(
      book([[], [null, 'a', null, 'b'], [], [null, 1, null, null], [null, 2, null, 'x']]),
    );
    expect(names).toEqual(['a', 'b']);
    expect(rows).toEqual([
      ['1', ''],
      ['2', 'x'],
    ]);
  });

  it('reads the first sheet with data and names the others', async () => {
    const sheets = { Empty: sheetOf([]), Data: sheetOf([['a'], [1]]), Notes: sheetOf([['n'], ['x']]) };
    const { rows, dialect, warnings } = await read(workbook(sheets, format));
    expect(rows).toEqual([['1']]);
    expect(dialect).toEqual({ format: 'spreadsheet', sheet: 'Data' });
    expect(warnings).toEqual(['Only sheet "Data" of the workbook was read. Not read: "Empty" and "Notes".']);
  });

  it('takes error cells for missing and says how many there are', async () => {
    const sheet = sheetOf([
      ['a', 'b'],
      [1, 2],
      [3, 4],
    ]);
    sheet.A2 = { t: 'e', v: 0x2a };
    const { rows, warnings } = await read(workbook({ S: sheet }, format));
    expect(rows[0]).toEqual(['', '2']);
    expect(warnings).toEqual(['1 cell in the sheet has an error and counts as missing (#N/A in A2).']);
  });

  it('shows what formulas gave', async () => {
    const sheet = sheetOf([
      ['a', 'b'],
      [2, null],
    ]);
    sheet.B2 = { t: 'n', v: 4, f: 'A2*2' };
    sheet['!ref'] = 'A1:B2';
    expect((await read(workbook({ S: sheet }, format))).rows).toEqual([['2', '4']]);
  });

  it('counts days from 1904 where the workbook does', async () => {
    const sheet = sheetOf([['day'], [45371 - 1462]]);
    sheet.A2.z = 'd/m/yyyy';
    const book = utils.book_new();
    utils.book_append_sheet(book, sheet, 'S');
    book.Workbook = { WBProps: { date1904: true } };
    const bytes: ArrayBuffer = write(book, { type: 'array', bookType: format });
    expect((await read(new Uint8Array(bytes))).rows).toEqual([['2024-03-20']]);
  });

  it('leaves a merged title out and joins the names of groups', async () => {
    const sheet = sheetOf([
      ['Sales of the year'],
      ['region', 'units', null, 'price'],
      [null, '2019', '2020', null],
      ['North', 3, 4, 9.5],
      ['South', 5, 6, 7.5],
    ]);
    sheet['!merges'] = ['A1:D1', 'B2:C2', 'A2:A3', 'D2:D3'].map((ref) => utils.decode_range(ref));
    const { names, rows, warnings } = await read(workbook({ S: sheet }, format));
    expect(names).toEqual(['region', 'units 2019', 'units 2020', 'price']);
    expect(rows[0]).toEqual(['North', '3', '4', '9.5']);
    expect(warnings).toEqual([
      '1 row above the header was left out: not part of the table (the first: "Sales of the year").',
      expect.stringContaining('The header spans 2 rows with merged cells'),
    ]);
  });

  it('leaves a title out that is not merged', async () => {
    const { names, rows, warnings } = await read(
      book([['Sales of 2024'], ['region', 'units', 'price'], ['North', 3, 9.5]]),
    );
    expect([names, rows]).toEqual([['region', 'units', 'price'], [['North', '3', '9.5']]]);
    expect(warnings).toEqual([
      '1 row above the header was left out: not part of the table (the first: "Sales of 2024").',
    ]);
  });

  it('takes merged cells above data for what they are: one name and one without', async () => {
    const sheet = sheetOf([
      ['name', null, 'age'],
      ['Ann', 'Lee', 34],
      ['Bo', 'Ray', 51],
    ]);
    sheet['!merges'] = [utils.decode_range('A1:B1')];
    const { rows } = await read(workbook({ S: sheet }, format));
    expect(rows).toHaveLength(2);
  });

  it('is read again as its dialect says', async () => {
    const bytes = workbook({ First: sheetOf([['x'], [1]]), Second: sheetOf([['y'], ['two']]) }, format);
    const table = await readTable(bytesOf(bytes), { format: 'spreadsheet', sheet: 'Second' });
    expect(table.columns.map((column) => [column.name, cellAt(column, 0)])).toEqual([['y', 'two']]);
  });

  it('refuses a workbook without cells and one without rows', async () => {
    expect((await refusal(book([]))).code).toBe('empty_file');
    expect((await refusal(book([['a', 'b']]))).code).toBe('no_data_rows');
  });

  it('refuses a workbook that is cut off', async () => {
    const bytes = book([['a', 'b'], ...Array.from({ length: 500 }, (_, i) => [i, `text ${i * 7919}`])]);
    expect((await refusal(bytes.slice(0, bytes.length / 2))).code).toBe('parse_error');
  });
});

describe('a sheet of few cells that lie far apart', () => {
  /** A header of 2,000 columns, one cell below it, and one in the given row. */
  function far(row: number): Uint8Array {
    const header = Array.from({ length: 2000 }, (_, column) => `c${column}`);
    const parts = zipParts(workbook({ S: sheetOf([header, [1]]) }));
    const moved = parts.map(({ name, bytes }) => {
      if (!name.endsWith('sheet1.xml')) return { name, bytes };
      const last = `<row r="${row}"><c r="A${row}"><v>2</v></c></row></sheetData>`;
      return { name, bytes: Buffer.from(Buffer.from(bytes).toString().replace('</sheetData>', last)) };
    });
    return zipOf(moved);
  }

  it('is read up to 20 million places and refused beyond, with its rows and columns', async () => {
    expect((await read(far(10_001))).rows).toHaveLength(2);
    const { code, message } = await refusal(far(10_002));
    expect(code).toBe('parse_error');
    expect(message).toContain('10,001 rows of 2,000 columns; at most 20,000,000 cells can be read');
  });
});

/** A zip archive with entries whose declared sizes may be lies. */
function zip(entries: { name: string; packed: Uint8Array; declared: number }[]): Uint8Array {
  const parts: Uint8Array[] = [];
  const directory: Uint8Array[] = [];
  let offset = 0;
  for (const { name, packed, declared } of entries) {
    const text = new TextEncoder().encode(name);
    const header = (signature: number, length: number, shift: number) => {
      const view = new DataView(new ArrayBuffer(length));
      view.setUint32(0, signature, true);
      view.setUint16(8 + shift, 8, true);
      view.setUint32(18 + shift, packed.length, true);
      view.setUint32(22 + shift, declared, true);
      view.setUint16(26 + shift, text.length, true);
      if (shift > 0) view.setUint32(42, offset, true);
      return new Uint8Array(view.buffer);
    };
    directory.push(header(0x02014b50, 46, 2), text);
    const local = [header(0x04034b50, 30, 0), text, packed];
    parts.push(...local);
    offset += local.reduce((sum, part) => sum + part.length, 0);
  }
  const end = new DataView(new ArrayBuffer(22));
  end.setUint32(0, 0x06054b50, true);
  end.setUint16(10, entries.length, true);
  end.setUint32(16, offset, true);
  return new Uint8Array(Buffer.concat([...parts, ...directory, new Uint8Array(end.buffer)]));
}

describe('checkWorkbook, before anything is unpacked', () => {
  const zeros = deflateRawSync(Buffer.alloc(300 * 2 ** 20));

  it('refuses an archive that declares too much', async () => {
    const { code, message } = await refusal(zip([{ name: 'xl/workbook.xml', packed: zeros, declared: 300 * 2 ** 20 }]));
    expect([code, message]).toEqual(['parse_error', expect.stringContaining('unpacks to more than 256 MB')]);
  });

  it('unpacks nothing of an archive that declares too much, and nothing beyond what one declares that lies', async () => {
    let unpacked = 0;
    const Real = DecompressionStream;
    vi.stubGlobal(
      'DecompressionStream',
      class {
        readonly writable: WritableStream;
        readonly readable: ReadableStream;
        constructor(format: 'deflate-raw') {
          const count = new TransformStream<Uint8Array, Uint8Array>({
            transform: (chunk, out) => {
              unpacked += chunk.length;
              out.enqueue(chunk);
            },
          });
          const real = new Real(format);
          this.writable = real.writable;
          this.readable = real.readable.pipeThrough(count);
        }
      },
    );
    try {
      const part = { name: 'xl/workbook.xml', packed: zeros };
      expect((await refusal(zip([{ ...part, declared: 2 ** 32 - 2 }]))).message).toContain('more than 256 MB');
      expect((await refusal(zip([{ ...part, declared: 200 * 2 ** 20 }]))).message).toContain('times its size');
      expect(unpacked).toBe(0);
      expect((await refusal(zip([{ ...part, declared: 100 }]))).code).toBe('parse_error');
      expect(unpacked).toBeGreaterThan(0);
      expect(unpacked).toBeLessThan(2 ** 21);
    } finally {
      vi.unstubAllGlobals();
    }
  });

  it('refuses an archive of very many parts', async () => {
    const empty = deflateRawSync(Buffer.alloc(0));
    const entries = Array.from({ length: 10_001 }, (_, i) => ({ name: `p${i}`, packed: empty, declared: 0 }));
    const { code } = await refusal(zip([...entries, { name: 'xl/workbook.xml', packed: empty, declared: 0 }]));
    expect(code).toBe('parse_error');
  });

  it('says that a zip archive is no workbook', async () => {
    const packed = deflateRawSync(Buffer.from('a,b\n1,2\n'));
    const { code, message } = await refusal(zip([{ name: 'table.csv', packed, declared: 8 }]));
    expect([code, message]).toEqual(['unsupported_file_type', expect.stringContaining('no workbook in it')]);
  });

  it('says that a binary workbook is one', async () => {
    const packed = deflateRawSync(Buffer.from('...'));
    const { code, message } = await refusal(zip([{ name: 'xl/workbook.bin', packed, declared: 3 }]));
    expect([code, message]).toEqual(['unsupported_file_type', expect.stringContaining('.xlsb')]);
  });

  it('refuses an OLE2 file that is no workbook', async () => {
    const bytes = Uint8Array.of(0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1, ...new Array(2000).fill(7));
    expect((await refusal(bytes)).code).toBe('parse_error');
  });

  it('reads the directory that the library writes', () => {
    const entries = zipEntries(workbook({ S: sheetOf([['a'], [1]]) }));
    expect(entries?.map(({ name }) => name)).toContain('xl/workbook.xml');
    expect(zipEntries(new Uint8Array(10))).toBeUndefined();
  });
});
