import fc from 'fast-check';
import Papa from 'papaparse';
import { describe, expect, it } from 'vitest';
import { type Newline, PlainRowReader } from '../../packages/tables/plainRow.ts';

/** All rows from the beginning, up to the first that is left to others. */
function readAll(text: string, delimiter: string, newline: Newline): { rows: string[][]; end: number } {
  const reader = new PlainRowReader(delimiter, newline);
  const rows: string[][] = [];
  for (let cells = reader.read(text, 0); cells; cells = reader.read(text, reader.end)) rows.push(cells);
  return { rows, end: reader.end };
}

const parts = (alphabet: string[], maxLength: number) =>
  fc.array(fc.constantFrom(...alphabet), { maxLength }).map((chosen) => chosen.join(''));

describe('PlainRowReader', () => {
  it('reads all rows that papaparse wrote, with any delimiter and line end', () => {
    const cell = parts(['a', 'é', '"', ',', ';', '\t', '|', '\n', '\r\n', ' '], 5);
    const rows = fc.array(fc.array(cell, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 6 });
    const how = fc.record({
      delimiter: fc.constantFrom(',', ';', '\t', '|'),
      newline: fc.constantFrom('\n', '\r\n', '\r'),
      quotes: fc.boolean(),
    });
    fc.assert(
      fc.property(rows, how, (written, { delimiter, newline, quotes }) => {
        const text = Papa.unparse(written, { delimiter, newline, quotes }) + newline;
        expect(readAll(text, delimiter, newline === '\r' ? '\r' : '\n')).toEqual({ rows: written, end: text.length });
      }),
      { numRuns: 500 },
    );
  });

  it('gives what papaparse gives wherever it gives a row, however odd the quotes', () => {
    const odd = parts(['a', '"', '"', ',', '\n', '\r\n', ' '], 25);
    fc.assert(
      fc.property(odd, (text) => {
        const { rows, end } = readAll(text, ',', '\n');
        const { data } = Papa.parse<string[]>(text.slice(0, end), { delimiter: ',', newline: '\n' });
        if (end > 0) data.pop(); // What stands behind the last line break.
        expect(rows).toEqual(end > 0 ? data.map(withoutReturn) : []);
      }),
      { numRuns: 2000 },
    );
  });

  it('leaves a row whose end is not in the text yet', () => {
    const reader = new PlainRowReader(',', '\n');
    for (const text of ['', 'a', 'a,b', 'a,"b', 'a,"b\n', 'a,"b"', 'a,"b"\r', 'a,"b""\nc"', 'a,']) {
      expect(reader.read(text, 0), JSON.stringify(text)).toBeUndefined();
    }
  });

  it('leaves a row where more than a delimiter or a line break follows a closing quote', () => {
    const reader = new PlainRowReader(',', '\n');
    for (const text of ['"Big" Mike,3\n', '"a" ,b\n', 'a,"b"c"\n', '"a"\rb\n']) {
      expect(reader.read(text, 0), JSON.stringify(text)).toBeUndefined();
    }
  });

  it('says whether it was the text that ended, so that nothing else need look at the row', () => {
    const reader = new PlainRowReader(',', '\n');
    const ranOut = ['a,b\n', 'a', 'a,', 'a,"b\n', '"a" ,b\n'].map((text) => [reader.read(text, 0), reader.ranOut][1]);
    expect(ranOut).toEqual([false, true, true, true, false]);
  });

  it('keeps lone quotes within an unquoted cell, and a carriage return that ends no line', () => {
    expect(readAll('5" pipe,a\rb,\n', ',', '\n').rows).toEqual([['5" pipe', 'a\rb', '']]);
  });
});

/** papaparse leaves the CR of a CR LF in the last cell, unless that was quoted. */
function withoutReturn(cells: string[]): string[] {
  const last = cells[cells.length - 1] ?? '';
  return [...cells.slice(0, -1), last.endsWith('\r') ? last.slice(0, -1) : last];
}
