import { describe, expect, it } from 'vitest';
import { checkSheet } from '../../packages/tables/checkWorkbook.ts';
import { MAX_CELLS, MAX_ROWS } from '../../packages/tables/workbookLimits.ts';
import { saying } from '../support/problems.ts';

const xml = (text: string): Uint8Array => new TextEncoder().encode(text);
const repeated = (tag: string, count: number): Uint8Array => xml(`<sheetData>${tag.repeat(count)}</sheetData>`);

describe('checkSheet', () => {
  it('lets as many rows pass as a worksheet can have, and not one more, however few cells they hold', () => {
    expect(() => checkSheet(repeated('<row/>', MAX_ROWS))).not.toThrow();
    expect(() => checkSheet(repeated('<row/>', MAX_ROWS + 1))).toThrow(
      expect.objectContaining({
        code: 'parse_error',
        params: saying('has 1,048,577 rows; at most 1,048,576 can be read'),
      }),
    );
  });

  it.each(['<c/>', '<si/>'])('lets as many %s pass as can be read, and not one more, all in one row', (tag) => {
    expect(() => checkSheet(repeated(tag, MAX_CELLS))).not.toThrow();
    expect(() => checkSheet(repeated(tag, MAX_CELLS + 1))).toThrow(
      expect.objectContaining({
        code: 'parse_error',
        params: saying('5,000,001 cells; at most 5,000,000'),
      }),
    );
  });

  it('counts tags with a prefix, and none that only begin like one or end one', () => {
    expect(() => checkSheet(repeated('<x:row/>', MAX_ROWS + 1))).toThrow(
      expect.objectContaining({ params: saying('1,048,577 rows') }),
    );
    expect(() => checkSheet(repeated('<rowBreaks/></row>', MAX_ROWS + 1))).not.toThrow();
  });

  it('takes links over whole sheets from the parser', () => {
    const part = xml('<x><hyperlink ref="A1:XFD1048576"/><row/></x>');
    checkSheet(part);
    expect(new TextDecoder().decode(part)).toBe('<x><Hyperlink ref="A1:XFD1048576"/><row/></x>');
  });
});
