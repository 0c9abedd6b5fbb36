import { describe, expect, test } from 'vitest';
import { createStream } from '../../../../packages/numerics/random/createStream.ts';
import { categoryChain } from '../../../../packages/synthesis/models/categorical/categoryChain.ts';
import { redistributedRows } from '../../../../packages/synthesis/models/categorical/classWeights.ts';
import { countLeaves } from '../../../../packages/synthesis/models/categorical/conditionalModel.ts';
import { weighLeaves } from '../../../../packages/synthesis/models/categorical/drawClass.ts';
import { category, cellsOf, fitTask, silent, tableOf } from '../tables.ts';

const times = <T>(n: number, make: (i: number) => T): T[] => Array.from({ length: n }, (_, i) => make(i));
const sumOf = (values: Float64Array): number => values.reduce((sum, value) => sum + value, 0);

describe('suppressed rows that levels are given', () => {
  test('are as many as were suppressed, and raise the rarest to one height, below which no other lies', () => {
    const margin = Int32Array.of(50, 3, 7, 100, 9, 2, 30, 0);
    const released = [true, false, true, true, true, false, true, true];
    const rows = redistributedRows(margin, released);
    expect(sumOf(rows)).toBeCloseTo(5, 12);
    expect(rows[2]! + 7).toBeCloseTo(10.5, 12);
    expect(rows[4]! + 9).toBeCloseTo(10.5, 12);
    for (const one of [0, 1, 3, 5, 6, 7]) expect(rows[one]).toBe(0);
  });

  test('are of all levels where very many rows are suppressed, and of none where no level may come out', () => {
    const rows = redistributedRows(Int32Array.of(0, 1000, 10, 20), [true, false, true, true]);
    expect([rows[2]! + 10, rows[3]! + 20]).toEqual([515, 515]);
    expect(sumOf(redistributedRows(Int32Array.of(5, 3, 4), [true, false, false]))).toBe(0);
    expect(sumOf(redistributedRows(Int32Array.of(5, 30, 40), [true, true, true]))).toBe(0);
  });
});

describe('what comes out of a leaf', () => {
  // Classes: 0 missing, 1 frequent, 2 nearly rare, 3 suppressed.
  const released = [true, true, true, false];
  const leaves = Int32Array.from([
    ...times(30, () => 0),
    ...times(12, () => 1),
    ...times(6, () => 2),
    ...times(4, () => 3),
  ]);
  const classes = Int32Array.from([
    ...times(20, () => 1),
    ...times(8, () => 2),
    ...times(2, () => 3),
    ...times(10, () => 1),
    ...times(2, () => 3),
    ...times(4, () => 0),
    ...times(2, () => 3),
    ...times(4, () => 0),
  ]);
  const counts = countLeaves(leaves, 4, classes, 4);
  const { weights, rows, leftOver } = weighLeaves(counts, released);
  const weightOf = (leaf: number, one: number): number => {
    for (let k = counts.from[leaf]!; k < counts.from[leaf + 1]!; k++) if (counts.classes[k] === one) return weights[k]!;
    return 0;
  };

  test('is the rarest of its own levels for what is suppressed, else whatever level it has', () => {
    expect([weightOf(0, 1), weightOf(0, 2), weightOf(0, 3)]).toEqual([20, 10, 0]);
    expect([weightOf(1, 1), weightOf(1, 2), weightOf(1, 3)]).toEqual([12, 0, 0]);
  });

  test('is no more missing cells than it has: what is left is said', () => {
    expect([weightOf(2, 0), weightOf(3, 0)]).toEqual([4, 4]);
    expect([...rows]).toEqual([30, 12, 4, 4]);
    expect([...leftOver]).toEqual([0, 0, 2, 0]);
  });
});

describe('a column of which every second cell is suppressed', () => {
  const n = 4000;
  const random = createStream(3, 'stand-ins');
  const cells = times(n, (i) => {
    if (i % 10 === 0) return null;
    if (i % 2 === 1) return `single ${i}`;
    const u = random.uniform();
    return u < 0.5 ? 'most' : u < 0.8 ? 'many' : `few ${random.integer(30)}`;
  });
  const share = (some: readonly (string | null)[], level: string | null): number =>
    some.filter((cell) => cell === level).length / some.length;

  test('keeps the shares of its frequent levels and of its missing cells', async () => {
    const table = tableOf(category('c', cells));
    const fitted = await categoryChain.fit(fitTask(table, ['c']));
    const made = cellsOf(
      await fitted.sample({ rows: n, made: table, random: createStream(8, 's'), onProgress: silent }),
      'c',
    );
    // Draws are even: shares are met to a few rows.
    for (const level of ['most', 'many', null])
      expect(Math.abs(share(made, level) - share(cells, level))).toBeLessThan(0.005);
    expect(made.some((cell) => cell?.startsWith('single'))).toBe(false);
    const isFew = (cell: string | null) => cell?.startsWith('few') === true;
    expect(made.filter(isFew).length - cells.filter(isFew).length).toBeGreaterThan(0.49 * n);
  });
});
