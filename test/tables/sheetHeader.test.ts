import { describe, expect, it } from 'vitest';
import { findSheetHeader } from '../../packages/tables/header.ts';

/** A sheet without merged cells; rows without text are left out, as a reader does. */
function header(texts: string[][]) {
  const width = Math.max(...texts.map((row) => row.length));
  const text = (row: number, column: number): string => texts[row]?.[column] ?? '';
  const has = (row: number, column: number): boolean => text(row, column) !== '';
  return findSheetHeader({
    rows: texts.flatMap((row, index) => (row.some((cell) => cell !== '') ? [index] : [])),
    text,
    columnsFrom: (from) =>
      Array.from({ length: width }, (_, column) => column).filter((column) =>
        texts.some((_, row) => row >= from && has(row, column)),
      ),
    merges: [],
  });
}

const leftOut = (rows: string, title: string): string =>
  `${rows} above the header ${rows === '1 row' ? 'was' : 'were'} left out: not part of the table (the first: "${title}").`;

describe('findSheetHeader without merged cells', () => {
  it('leaves a title out that stands right above a header of three columns or more', () => {
    const found = header([['Sales of 2024'], ['region', 'units', 'price'], ['North', '3', '9.5']]);
    expect(found).toEqual({
      columns: [0, 1, 2],
      names: ['region', 'units', 'price'],
      data: 2,
      warnings: [leftOut('1 row', 'Sales of 2024')],
    });
  });

  it('leaves titles out that an empty row parts from a header of two columns', () => {
    const found = header([['Heights'], ['of the class'], [], ['name', 'nickname'], ['Ann', 'A']]);
    expect([found.names, found.data]).toEqual([['name', 'nickname'], 4]);
    expect(found.warnings).toEqual([leftOut('2 rows', 'Heights')]);
  });

  it('leaves a title out above a header of two columns that names numbers', () => {
    const found = header([['Heights of the class'], ['name', 'cm'], ['Ann', '170'], ['Bo', '181']]);
    expect([found.names, found.warnings]).toEqual([['name', 'cm'], [leftOut('1 row', 'Heights of the class')]]);
  });

  it('takes a lone text above two columns of texts for a name: it may be one', () => {
    const found = header([['name'], ['Ann', 'Lee'], ['Bo', 'Ray']]);
    expect(found).toEqual({ columns: [0, 1], names: ['name', ''], data: 1, warnings: [] });
  });

  it('takes the first row for the header where the row below it has a number or a gap', () => {
    expect(header([['name'], ['Ann', '34', 'x'], ['Bo', '51', 'y']]).data).toBe(1);
    expect(header([['name'], ['Ann', '', 'x'], ['Bo', 'b', 'y']]).data).toBe(1);
  });

  it('does not take a lone number above the header for a title', () => {
    expect(header([['2024'], ['region', 'units', 'price'], ['North', '3', '9.5']])).toMatchObject({ data: 1 });
  });
});
