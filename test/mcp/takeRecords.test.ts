import fc from 'fast-check';
import Papa from 'papaparse';
import { describe, expect, it } from 'vitest';
import { takeRecords } from '../../mcp/tools/rows.ts';

/** The bytes in pieces of a given size, so that characters and quotes are cut in two. */
async function* inPieces(text: string, size: number): AsyncGenerator<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

const cell = fc.oneof(fc.constantFrom('a', '', '"', 'x,y', 'two\nlines', 'ü€🙂', '1.5'), fc.string({ maxLength: 5 }));

describe('takeRecords', () => {
  it('gives what reading the whole file gives, wherever its pieces end', async () => {
    const tables = fc
      .integer({ min: 1, max: 4 })
      .chain((width) =>
        fc.array(fc.array(cell, { minLength: width, maxLength: width }), { minLength: 1, maxLength: 12 }),
      );
    await fc.assert(
      fc.asyncProperty(
        tables,
        fc.nat(10),
        fc.integer({ min: 1, max: 6 }),
        fc.integer({ min: 1, max: 9 }),
        async (...drawn) => {
          const [table, offset, limit, size] = drawn;
          const text = `${Papa.unparse(table, { newline: '\n', quotes: true })}\n`;
          const [columns = [], ...rows] = table;
          expect(await takeRecords(inPieces(text, size), offset, limit)).toEqual({
            columns,
            rows: rows.slice(offset, offset + limit),
            more: rows.length > offset + limit,
          });
        },
      ),
      { numRuns: 200 },
    );
  });

  it('reads no further than it has to', async () => {
    let read = 0;
    async function* endless(): AsyncGenerator<Uint8Array> {
      for (;;) {
        read++;
        yield new TextEncoder().encode('a,b\n');
      }
    }
    const found = await takeRecords(endless(), 2, 3);
    expect([found.rows.length, found.more, read]).toEqual([3, true, 7]);
  });
});
