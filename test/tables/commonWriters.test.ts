import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readCsv } from '../../packages/tables/readCsv.ts';
import { bytesOf, utf16 } from '../support/bytes.ts';

/** How programs write delimited text. */
const writer = fc.record({
  delimiter: fc.constantFrom(',', ';', '\t', '|'),
  end: fc.constantFrom('\n', '\r\n', '\r'),
  quoteAll: fc.boolean(),
  lastEnd: fc.boolean(),
  mark: fc.constantFrom('none', 'utf-8', 'utf-16le', 'utf-16be'),
  chunk: fc.integer({ min: 1, max: 50 }),
});
type Writer = typeof writer extends fc.Arbitrary<infer W> ? W : never;

const piece = fc.constantFrom('a', 'Ø', '🦒', ' ', '"', ',', ';', '\t', '|', '\n', '\r\n', '1', '.5', '#', "'");
const cell = fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join(''));

/** Two to six columns with names of letters, so that the header is one; one to twenty rows. */
const table = fc
  .integer({ min: 2, max: 6 })
  .chain((width) => fc.array(fc.array(cell, { minLength: width, maxLength: width }), { minLength: 1, maxLength: 20 }));

function write(rows: string[][], { delimiter, end, quoteAll, lastEnd }: Writer): string {
  const needsQuotes = (text: string) => quoteAll || /[",;|\t\r\n]/.test(text);
  const quote = (text: string) => (needsQuotes(text) ? `"${text.replaceAll('"', '""')}"` : text);
  return rows.map((row) => row.map(quote).join(delimiter)).join(end) + (lastEnd ? end : '');
}

function encode(text: string, mark: string): Uint8Array {
  if (mark === 'utf-16le' || mark === 'utf-16be') return utf16(text, mark === 'utf-16le' ? 'le' : 'be');
  return new TextEncoder().encode(mark === 'none' ? text : `\ufeff${text}`);
}

describe('a table by any common writer', () => {
  it('reads back cell for cell, whatever delimiter, quotes, line ends and encoding it was written with', async () => {
    await fc.assert(
      fc.asyncProperty(table, writer, async (rows, how) => {
        const names = rows[0]!.map((_, index) => `name ${'abcdef'[index]}`);
        const found: string[][] = [];
        const sink = {
          header: (cells: string[]) => found.push(cells),
          row: (cells: string[]) => found.push([...cells]),
        };
        const encoding = how.mark === 'none' || how.mark === 'utf-8' ? 'utf-8' : how.mark;
        const markBytes = how.mark === 'none' ? 0 : how.mark === 'utf-8' ? 3 : 2;
        const bytes = encode(write([names, ...rows], how), how.mark);
        const { dialect } = await readCsv(bytesOf(bytes, how.chunk), { encoding, markBytes }, sink);
        expect(found).toEqual([names, ...rows]);
        expect(dialect).toMatchObject({ delimiter: how.delimiter });
      }),
      { numRuns: 300 },
    );
  });
});
