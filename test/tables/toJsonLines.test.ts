import fc from 'fast-check';
import Papa from 'papaparse';
import { describe, expect, it } from 'vitest';
import { toJsonLines } from '../../packages/tables/toJsonLines.ts';

/** The bytes in pieces of a given size, so that characters and quotes are cut in two. */
async function* inPieces(text: string, size: number): AsyncGenerator<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function linesOf(text: string, size = 1000): Promise<unknown[]> {
  let all = '';
  for await (const piece of toJsonLines(inPieces(text, size))) all += new TextDecoder().decode(piece);
  expect(all === '' || all.endsWith('\n')).toBe(true);
  return all === ''
    ? []
    : all
        .trimEnd()
        .split('\n')
        .map((line): unknown => JSON.parse(line));
}

const cell = fc.oneof(fc.constantFrom('a', '', '"', 'x,y', 'two\nlines', 'ü€🙂', '1.50'), fc.string({ maxLength: 5 }));

describe('toJsonLines', () => {
  it('gives every cell as its text, wherever pieces end', async () => {
    const tables = fc
      .integer({ min: 1, max: 4 })
      .chain((width) => fc.array(fc.array(cell, { minLength: width, maxLength: width }), { maxLength: 12 }));
    await fc.assert(
      fc.asyncProperty(tables, fc.integer({ min: 1, max: 9 }), async (rows, size) => {
        const columns = ['p', 'q', 'r', 's'].slice(0, rows[0]?.length ?? 1);
        const text = `${Papa.unparse([columns, ...rows], { newline: '\n', quotes: true })}\n`;
        const objects = rows.map((row) => Object.fromEntries(columns.map((name, j) => [name, row[j]])));
        expect(await linesOf(text, size)).toEqual(objects);
      }),
      { numRuns: 200 },
    );
  });

  it('keeps a lone empty cell, a last line without an end, and a column called __proto__', async () => {
    expect(await linesOf('a\n""\n""\n')).toEqual([{ a: '' }, { a: '' }]);
    expect(await linesOf('a,b\n1,2')).toEqual([{ a: '1', b: '2' }]);
    expect(JSON.stringify(await linesOf('__proto__,b\nx,y\n'))).toBe('[{"__proto__":"x","b":"y"}]');
  });
});
