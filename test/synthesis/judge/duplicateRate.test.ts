import { describe, expect, it } from 'vitest';
import { createStream } from '../../../packages/numerics/random/createStream.ts';
import { duplicateRate, findCopies, numberRows } from '../../../packages/synthesis/judge/duplicateRate.ts';
import { levels, numbers, tableOf, texts } from './tables.ts';

const columns = { numeric: ['a'], categorical: ['b'], text: ['c'] };
const real = tableOf(numbers('a', 1.5, 2, Number.NaN), levels('b', 'x', null, 'y'), texts('c', 'one', null, 'three'));

describe('duplicate rate', () => {
  it('counts rows that equal a real row in every column, missing cells and text included', () => {
    const queried = tableOf(
      numbers('a', 1.5, 2, Number.NaN, 1.5, 2),
      levels('b', 'x', null, 'y', 'x', 'x'),
      texts('c', 'one', null, 'three', 'other', null),
    );
    expect([...findCopies(queried, real, columns)]).toEqual([1, 1, 1, 0, 0]);
    expect(duplicateRate(queried, real, columns)).toBe(60);
  });

  it('does not put a row together from the cells of several real rows', () => {
    const queried = tableOf(numbers('a', 2), levels('b', 'x'), texts('c', 'three'));
    expect(duplicateRate(queried, real, columns)).toBe(0);
  });

  it('tells rows apart whose columns have more levels than there are rows', () => {
    const all = Array.from({ length: 10 }, (_, k) => `level ${k}`);
    const column = (name: string, ...codes: number[]) => ({
      kind: 'category' as const,
      name,
      codes: Int32Array.from(codes),
      levels: all,
    });
    const table = tableOf(column('a', 5, 1), column('b', 4, 1));
    const [first, second] = numberRows(table, { numeric: [], categorical: ['a', 'b'], text: [] });
    expect(first).not.toBe(second);
  });

  it('is 100 for the real rows themselves and 0 against no rows', () => {
    expect(duplicateRate(real, real, columns)).toBe(100);
    const none = tableOf(numbers('a'), levels('b'), texts('c'));
    expect(duplicateRate(real, none, columns)).toBe(0);
  });

  it('equals a comparison of rows as text', () => {
    const random = createStream(6, 'duplicates');
    const draw = (rows: number) => {
      const cell = () => Array.from({ length: rows }, () => random.integer(5));
      const [a, b, c] = [cell(), cell(), cell()];
      const texted = (values: number[]) => values.map((value) => (value === 0 ? null : `${value}`));
      return {
        keys: a.map((_, i) => `${a[i]} ${b[i]} ${c[i]}`),
        table: tableOf(numbers('a', ...a), levels('b', ...texted(b)), texts('c', ...texted(c))),
      };
    };
    const [left, right] = [draw(300), draw(80)];
    const known = new Set(right.keys);
    const expected = left.keys.map((key) => (known.has(key) ? 1 : 0));
    expect([...findCopies(left.table, right.table, columns)]).toEqual(expected);
  });
});
