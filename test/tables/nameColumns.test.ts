import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nameColumns } from '../../packages/tables/header.ts';

describe('nameColumns', () => {
  it('leaves names that are distinct as they are, whatever they are', () => {
    const names = ['__proto__', 'constructor', '100g_USD', '🦒', 'two\nlines', 'a,"b"'];
    expect(nameColumns(names)).toEqual({ names, warnings: [] });
  });

  it('numbers repeated names past those that are taken', () => {
    const { names, warnings } = nameColumns(['a', 'a', 'a_2', 'a', '__proto__', '__proto__']);
    expect(names).toEqual(['a', 'a_3', 'a_2', 'a_4', '__proto__', '__proto___2']);
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain('"a" (column 2, now "a_3")');
  });

  it('calls cells without a name by their place', () => {
    const { names, warnings } = nameColumns(['', 'x', ' ', 'column_1']);
    expect(names).toEqual(['column_1_2', 'x', 'column_3', 'column_1']);
    expect(warnings).toEqual([
      'The header has 2 cells without a name; they were named by their position: column_1_2 and column_3.',
    ]);
  });

  it('removes spaces around names and says so', () => {
    expect(nameColumns(['a', ' b '])).toEqual({
      names: ['a', 'b'],
      warnings: ['Spaces around column names were removed: "b".'],
    });
  });

  it('always gives distinct names, none empty', () => {
    const cell = fc.oneof(fc.constantFrom('', 'a', ' a', 'a_2', 'column_1', 'column_2'), fc.string());
    fc.assert(
      fc.property(fc.array(cell, { minLength: 1, maxLength: 30 }), (cells) => {
        const { names } = nameColumns(cells);
        expect(new Set(names).size).toBe(cells.length);
        expect(names.every((name) => name.trim() !== '')).toBe(true);
      }),
    );
  });

  it('names thousands of equal cells in no time and refuses more than a worksheet has', () => {
    expect(new Set(nameColumns(Array(16_384).fill('x')).names).size).toBe(16_384);
    expect(() => nameColumns(Array(16_385).fill('x'))).toThrow(expect.objectContaining({ code: 'parse_error' }));
  });
});
