import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import Papa from 'papaparse';
import { describe, expect, it } from 'vitest';
import type { Encoding } from '../../packages/contract/files.ts';
import { readCsv } from '../../packages/tables/readCsv.ts';
import { bytesOf, utf16 } from '../support/bytes.ts';
import { told } from '../support/problems.ts';
import { describeShared } from '../support/shared.ts';

interface Options {
  chunk?: number;
  encoding?: Encoding;
  markBytes?: number;
}

async function read(content: string | Uint8Array, { chunk, encoding = 'utf-8', markBytes = 0 }: Options = {}) {
  const names: string[] = [];
  const rows: string[][] = [];
  const sink = { header: (header: string[]) => names.push(...header), row: (cells: string[]) => rows.push([...cells]) };
  const reading = await readCsv(bytesOf(content, chunk), { encoding, markBytes }, sink);
  return { names, rows, dialect: reading.dialect, warnings: reading.warnings };
}

async function refusal(
  content: string | Uint8Array,
  options: Options = {},
): Promise<{ code: string; message: string }> {
  return read(content, options).then(() => ({ code: 'none', message: '' }), told);
}

describe('readCsv', () => {
  it('reads cells as they are in the file', async () => {
    const { names, rows } = await read('id,zip,x\n570306133677760513,00742,1.50\n2, a ,""\n');
    expect(names).toEqual(['id', 'zip', 'x']);
    expect(rows).toEqual([
      ['570306133677760513', '00742', '1.50'],
      ['2', ' a ', ''],
    ]);
  });

  it.each([
    [',', 'a,b\n1,2\n'],
    [';', 'a;b\n1,5;2\n'],
    ['\t', 'a\tb\n1\t2\n'],
    ['|', 'a|b\n1|2\n'],
  ])('finds the delimiter %j and says so', async (delimiter, text) => {
    const { dialect, rows } = await read(text);
    expect(dialect).toEqual({ format: 'csv', encoding: 'utf-8', delimiter });
    expect(rows[0]).toHaveLength(2);
  });

  it.each([
    ['LF', 'a,b\n1,"x\ny"\n2,z\n'],
    ['CR LF', 'a,b\r\n1,"x\ny"\r\n2,z\r\n'],
    ['CR', 'a,b\r1,"x\ny"\r2,z\r'],
    ['LF and CR LF', 'a,b\n1,"x\ny"\r\n2,z\n'],
    ['LF, the last one left out', 'a,b\n1,"x\ny"\n2,z'],
    ['CR LF, the last one left out', 'a,b\r\n1,"x\ny"\r\n2,z'],
  ])('splits lines that end in %s', async (_, text) => {
    expect((await read(text)).rows).toEqual([
      ['1', 'x\ny'],
      ['2', 'z'],
    ]);
  });

  it('keeps quoted delimiters, line breaks, doubled quotes, and quotes inside unquoted cells', async () => {
    const { rows } = await read('a,b\n"x, y","say ""hi"""\n"l1\r\nl2",5" pipe\n"","\r"\r\n');
    expect(rows).toEqual([
      ['x, y', 'say "hi"'],
      ['l1\r\nl2', '5" pipe'],
      ['', '\r'],
    ]);
  });

  it.each(['\n', '\r\n', '\r'])('reads lone quotes inside unquoted cells, lines ending in %j', async (end) => {
    const lines = ['size,5" wide', '3" pipe,it"s', 'a"b"c,x"', '7,"quoted, with ""two"""', 'last",8'];
    const { names, rows, warnings } = await read(`${lines.join(end)}${end}`);
    expect(names).toEqual(['size', '5" wide']);
    expect(rows).toEqual([
      ['3" pipe', 'it"s'],
      ['a"b"c', 'x"'],
      ['7', 'quoted, with "two"'],
      ['last"', '8'],
    ]);
    expect(warnings).toEqual([]);
  });

  it('reads the same in chunks of any size, across characters, quotes and line breaks', async () => {
    const text = 'naïve,"🦒 ""q"""\r\n"a\r\nb",æøå\r\n€,"x"\r\n';
    const whole = await read(text);
    for (const chunk of [1, 2, 3, 5, 7]) expect((await read(text, { chunk })).rows).toEqual(whole.rows);
    expect(whole.rows).toEqual([
      ['a\r\nb', 'æøå'],
      ['€', 'x'],
    ]);
  });

  it('reads rows far longer than a piece', async () => {
    const long = 'lorem "ipsum"\n'.repeat(40_000);
    const { rows } = await read(`a,b\n1,"${long.replaceAll('"', '""')}"\n2,x\n`);
    expect(rows[0]?.[1]).toBe(long);
    expect(rows[1]).toEqual(['2', 'x']);
  });

  it.each(['le', 'be'] as const)('reads UTF-16 %s', async (order) => {
    const { rows, dialect } = await read(utf16('a,b\n🦒,ø\n', order), {
      encoding: `utf-16${order}`,
      markBytes: 2,
      chunk: 3,
    });
    expect(rows).toEqual([['🦒', 'ø']]);
    expect(dialect).toMatchObject({ encoding: `utf-16${order}` });
  });

  it('skips blank lines, but not a quoted empty cell in a file of one column', async () => {
    expect((await read('\n\na,b\n\n1,2\n  \n3,4\n\n')).rows).toEqual([
      ['1', '2'],
      ['3', '4'],
    ]);
    expect((await read('a\n1\n\n""\n2\n')).rows).toEqual([['1'], [''], ['2']]);
  });

  it('fills up rows that are too short and counts them in one warning', async () => {
    const { rows, warnings } = await read('a,b,c\n1,2,3\n4\n5,6\n7,8,9\n');
    expect(rows[1]).toEqual(['4', '', '']);
    expect(warnings).toEqual([
      '2 rows had fewer cells than the header (the first in line 3) and were padded with missing cells.',
    ]);
  });

  it('cuts empty cells beyond the header and says so', async () => {
    const { rows, warnings } = await read('a,b\n1,2,\n3,4, ,\n');
    expect(rows).toEqual([
      ['1', '2'],
      ['3', '4'],
    ]);
    expect(warnings).toHaveLength(1);
  });

  it('renames header cells that are empty or repeated and says so', async () => {
    const { names, warnings } = await read('a,,a\n1,2,3\n');
    expect(names).toEqual(['a', 'column_2', 'a_2']);
    expect(warnings).toHaveLength(2);
  });

  it('lets quotes pass that are not doubled where they swallow no line', async () => {
    expect((await read('a,b\n"he said "hi" to me",2\n3,4\n')).rows).toEqual([
      ['he said "hi" to me', '2'],
      ['3', '4'],
    ]);
  });
});

describe('readCsv of quotes that open a cell and do not close it', () => {
  const big = '"Big" Mike';

  it.each([
    [
      'first',
      'name,age\n"Big" Mike,3\n"x",4\n',
      [
        [big, '3'],
        ['x', '4'],
      ],
    ],
    [
      'last',
      'age,name\n3,"Big" Mike\n4,"x"\n',
      [
        ['3', big],
        ['4', 'x'],
      ],
    ],
    [
      'between quoted cells',
      'a,b\n"Big" Mike,"3"\n1,2\n',
      [
        [big, '3'],
        ['1', '2'],
      ],
    ],
    [
      'in the last line of all',
      'a,b\n1,2\n"Big" Mike,3',
      [
        ['1', '2'],
        [big, '3'],
      ],
    ],
    [
      'in each line',
      'a,b\n"Big" Mike,3\n"Big" Mike,4\n',
      [
        [big, '3'],
        [big, '4'],
      ],
    ],
    [
      'with delimiters in the quotes',
      'a,b\n"Big, bad" Mike,3\n"x",4\n',
      [
        ['"Big, bad" Mike', '3'],
        ['x', '4'],
      ],
    ],
    [
      'before line breaks in quotes',
      'a,b\n1,2\n"Big" Mike,3\n"x\ny",4\n"Big" Mike,"5"\n',
      [
        ['1', '2'],
        [big, '3'],
        ['x\ny', '4'],
        [big, '5'],
      ],
    ],
  ])('reads them as lone quotes: %s', async (_, text, rows) => {
    for (const end of ['\n', '\r\n'])
      for (const chunk of [1, 7, 65_536])
        expect((await read(text.replaceAll('\n', end), { chunk })).rows).toEqual(
          rows.map((row) => row.map((cell) => cell.replaceAll('\n', end))),
        );
  });

  it('takes time in proportion to their number, however far the file goes on', async () => {
    const line = '"Big" Mike,3\n';
    const time = async (lines: number): Promise<number> => {
      const start = performance.now();
      expect((await read(`a,b\n${line.repeat(lines)}`)).rows).toHaveLength(lines);
      return performance.now() - start;
    };
    await time(2000);
    const [few, many] = [await time(4000), await time(64_000)];
    // Sixteen times the lines: linear would be 16, quadratic 256.
    expect(many / few).toBeLessThan(80);
  });
});

describe('readCsv of what papaparse wrote', () => {
  const nasty = fc.constantFrom(',', ';', '\t', '|', '"', '\n', '\r\n', '\r', 'é', '🦒', ' ', '1,5', "'");
  const cell = fc.oneof(
    fc.string({ maxLength: 6 }),
    fc.array(nasty, { maxLength: 4 }).map((parts) => parts.join('')),
  );
  const row = fc.tuple(cell, cell, cell).map((cells) => cells.map((text) => text.replaceAll('\0', '0')));

  it('gives every cell back, for all delimiters, line ends and quotings, in chunks of any size', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(row, { minLength: 1, maxLength: 8 }),
        fc.constantFrom(',', ';', '\t', '|'),
        fc.constantFrom('\n', '\r\n'),
        fc.boolean(),
        fc.integer({ min: 1, max: 60 }),
        async (rows, delimiter, newline, quotes, chunk) => {
          const text = Papa.unparse([['a', 'b', 'c'], ...rows], { delimiter, newline, quotes });
          const read: string[][] = [];
          const source = { encoding: 'utf-8' as const, markBytes: 0, delimiter };
          await readCsv(bytesOf(text, chunk), source, { header: () => {}, row: (cells) => read.push(cells) });
          expect(read).toEqual(rows);
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe('what readCsv refuses', () => {
  it('a row with more cells than the header, naming its line', async () => {
    const { code, message } = await refusal('a,b\n"x\ny",2\n\n1,2,3\n');
    expect(code).toBe('parse_error');
    expect(message).toContain('line 5 has 3 cells; the header has 2 columns');
  });

  it('names the line in a file of many pieces', async () => {
    const lines = Array.from({ length: 100_000 }, (_, i) => `${i},x`);
    lines[99_000] = '1,2,3';
    expect((await refusal(`a,b\n${lines.join('\n')}\n`)).message).toContain('line 99,002 ');
  });

  it('a quote that is never closed, naming the line of its row', async () => {
    const { code, message } = await refusal('a,b\n1,2\n3,"x\n5,6\n');
    expect(code).toBe('parse_error');
    expect(message).toContain('line 3 ');
  });

  it('a quote that is never closed in a large file, before the file ends', async () => {
    const rest = '5,some more text\n'.repeat(400_000);
    const { code, message } = await refusal(`a,b\n1,2\n3,"x\n${rest}`, { chunk: 65_536 });
    expect(code).toBe('parse_error');
    expect(message).toContain('line 3 ');
  });

  it('text after a closing quote that swallows lines, where no reading makes cells for all columns', async () => {
    const { code, message } = await refusal('a,b\n1,2\n"Big" Mike,3,x\n"y",4\n');
    expect(code).toBe('parse_error');
    expect(message).toContain('line 3 has a closing quote');
  });

  it.each([
    ['nothing', '', 'empty_file'],
    ['blank lines', '\n \r\n\n', 'empty_file'],
    ['a header', 'a,b\n', 'no_data_rows'],
    ['a header without a line break', 'a,b', 'no_data_rows'],
    ['a header and blank lines', 'a,b\n\n\n', 'no_data_rows'],
  ])('a file of %s', async (_, text, code) => {
    expect((await refusal(text)).code).toBe(code);
  });

  it('a byte that is not UTF-8, with its offset and line, in chunks of any size', async () => {
    const bytes = Uint8Array.from([
      ...new TextEncoder().encode('a,b\næ,1\ncaf'),
      0xe9,
      ...new TextEncoder().encode(',2\n'),
    ]);
    for (const chunk of [1, 4, 1000]) {
      const { code, message } = await refusal(bytes, { chunk });
      expect(code).toBe('encoding_error');
      expect(message).toContain('byte 0xE9 at byte offset 12, in line 3,');
    }
  });

  it('counts the byte order mark in the offset', async () => {
    const bytes = Uint8Array.of(0xef, 0xbb, 0xbf, 0x61, 0x0a, 0xff, 0x0a);
    expect((await refusal(bytes, { markBytes: 3 })).message).toContain('byte offset 5, in line 2,');
  });

  it.each([
    ['a character cut off by the end', [0x61, 0x0a, 0x62, 0xe2, 0x82], 3],
    ['an overlong form', [0x61, 0x0a, 0xc0, 0xaf], 2],
    ['a surrogate', [0x61, 0x0a, 0xed, 0xa0, 0x80, 0x0a], 2],
    ['a stray continuation byte', [0x61, 0x0a, 0x62, 0x80], 3],
  ])('%s', async (_, bytes, offset) => {
    const { code, message } = await refusal(Uint8Array.from(bytes));
    expect(code).toBe('encoding_error');
    expect(message).toContain(`byte offset ${offset}, in line 2,`);
  });

  it('half a character of UTF-16', async () => {
    const bytes = utf16('a\nb', 'le').slice(0, -1);
    const { code, message } = await refusal(bytes, { encoding: 'utf-16le', markBytes: 2 });
    expect(code).toBe('encoding_error');
    expect(message).toContain('byte offset 6, in line 2,');
  });

  it('a NUL byte, with its offset and line', async () => {
    const { code, message } = await refusal('a,b\næ,1\nx\0,2\n');
    expect(code).toBe('parse_error');
    expect(message).toContain('byte offset 10, in line 3:');
  });

  it('UTF-16 without its byte order mark, by name', async () => {
    const { code, message } = await refusal(utf16('a,b\n1,2\n', 'le').slice(2));
    expect(code).toBe('encoding_error');
    expect(message).toContain('UTF-16 LE without a byte order mark');
  });
});

describeShared('readCsv over a file with broken bytes', (dir) => {
  it('says where the first of them is', async () => {
    const bytes = readFileSync(join(dir, 'data', 'coffee_reviews_raw_mixed_encoding.csv'));
    const { code, message } = await refusal(bytes, { chunk: 65_536 });
    expect(code).toBe('encoding_error');
    expect(message).toContain('byte 0xE2 at byte offset 198138, in line 162,');
    expect(message).toContain('probably UTF-8 with some bytes of Windows-1252');
  });
});
