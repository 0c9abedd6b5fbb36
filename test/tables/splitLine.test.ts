import fc from 'fast-check';
import Papa from 'papaparse';
import { describe, expect, it } from 'vitest';
import { splitLine } from '../../packages/tables/splitRows.ts';

describe('splitLine', () => {
  it('reads what papaparse wrote on one line as papaparse does', () => {
    const cell = fc.array(fc.constantFrom('a', '"', ',', ' ', '5'), { maxLength: 5 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(fc.array(cell, { minLength: 1, maxLength: 4 }), fc.boolean(), (cells, quotes) => {
        const line = Papa.unparse([cells], { quotes });
        fc.pre(line !== '');
        expect(splitLine(line, ',')).toEqual({
          cells: Papa.parse(line, { delimiter: ',' }).data[0],
          hasLoneQuotes: false,
        });
      }),
    );
  });

  it('keeps a cell as it stands where text follows the quote that should close it', () => {
    expect(splitLine('"Big" Mike,3', ',')).toEqual({ cells: ['"Big" Mike', '3'], hasLoneQuotes: true });
    expect(splitLine('"a, ""b""" c,3,', ',')).toEqual({ cells: ['"a, ""b""" c', '3', ''], hasLoneQuotes: true });
  });

  it('leaves a quote that is open at the end of the line to those who see the next line', () => {
    expect(splitLine('3,"open', ',')).toBeUndefined();
  });
});
