import { describe, expect, it } from 'vitest';
import { createStream } from '../../../packages/numerics/random/createStream.ts';
import { distancesToClosest } from '../../../packages/synthesis/judge/nearestNeighbours.ts';
import type { ModelTable } from '../../../packages/synthesis/models/model.ts';
import { drawTable, levels, numbers, tableOf } from './tables.ts';

const NONE = Number.NaN;
const columns = { numeric: ['price', 'width', 'height'], categorical: ['place', 'kind'], text: [] };

/** By the definition, cell by cell, every row against every row. */
function byDefinition(queried: ModelTable, real: ModelTable): number[] {
  const cell = (table: ModelTable, name: string, row: number): number | string | null => {
    const column = table.columns.get(name)!;
    if (column.kind === 'numeric') return Number.isNaN(column.values[row]) ? null : column.values[row]!;
    return column.kind === 'category' ? (column.levels[column.codes[row]!] ?? null) : null;
  };
  const names = [...columns.numeric, ...columns.categorical];
  const ranges = new Map(
    columns.numeric.map((name) => {
      const values = Array.from({ length: real.rows }, (_, row) => cell(real, name, row)).filter(
        (v) => typeof v === 'number',
      );
      return [name, Math.max(...values) - Math.min(...values)];
    }),
  );
  const gap = (name: string, a: number | string | null, b: number | string | null): number => {
    if (typeof a === 'number' && typeof b === 'number') return Math.min(1, Math.abs(a - b) / ranges.get(name)!);
    return a === b ? 0 : 1;
  };
  return Array.from({ length: queried.rows }, (_, row) => {
    let nearest = Number.POSITIVE_INFINITY;
    for (let other = 0; other < real.rows; other++) {
      const gaps = names.map((name) => gap(name, cell(queried, name, row), cell(real, name, other)));
      nearest = Math.min(nearest, gaps.reduce((sum, value) => sum + value, 0) / names.length);
    }
    return nearest;
  });
}

describe('distance to the closest record', () => {
  it('equals its definition row by row', () => {
    const real = drawTable(1500, createStream(4, 'real'));
    const queried = drawTable(200, createStream(4, 'asked'));
    const expected = byDefinition(queried, real);
    const found = distancesToClosest(queried, real, columns);
    for (const [row, distance] of expected.entries()) expect(Math.abs(found[row]! - distance)).toBeLessThan(1e-6);
  });

  it('is 0 for every row handed back', () => {
    const real = drawTable(3000, createStream(5, 'real'));
    expect(Math.max(...distancesToClosest(real, real, columns))).toBe(0);
  });

  it('counts a quarter of the range as a quarter, another level as 1, and beyond the range as 1', () => {
    const real = tableOf(numbers('a', 0, 100), levels('b', 'x', 'x'));
    const queried = tableOf(numbers('a', 25, 25, 1e308), levels('b', 'x', 'new', 'x'));
    const found = distancesToClosest(queried, real, { numeric: ['a'], categorical: ['b'], text: [] });
    expect([...found]).toEqual([0.125, 0.625, 0.5]);
  });

  it('counts two missing cells as equal and one missing cell as 1', () => {
    const real = tableOf(numbers('a', 0, 100, NONE), levels('b', 'x', 'x', null));
    const queried = tableOf(numbers('a', NONE, NONE, 100), levels('b', null, 'x', null));
    const found = distancesToClosest(queried, real, { numeric: ['a'], categorical: ['b'], text: [] });
    expect([...found]).toEqual([0, 0.5, 0.5]);
  });

  it('counts 0 or 1 in a column that is constant in the real rows, or has no value there', () => {
    const real = tableOf(numbers('a', 5, 5), numbers('b', NONE, NONE));
    const queried = tableOf(numbers('a', 5, 5.001), numbers('b', NONE, 1));
    expect([...distancesToClosest(queried, real, { numeric: ['a', 'b'], categorical: [], text: [] })]).toEqual([0, 1]);
  });

  it('takes ranges as wide as doubles go', () => {
    const real = tableOf(numbers('a', -1.5e308, 1.5e308));
    const found = distancesToClosest(tableOf(numbers('a', 0)), real, { numeric: ['a'], categorical: [], text: [] });
    expect(found[0]).toBeCloseTo(0.5, 6);
  });

  it('finds the nearest among rows that differ only in cells seldom looked at', () => {
    const rare = Array.from({ length: 5000 }, (_, row) => (row === 4001 ? 1 : 0));
    const real = tableOf(
      numbers('a', ...rare),
      numbers('b', ...rare.map((value, row) => value + (row % 1000 === 7 ? 0.5 : 0))),
    );
    const queried = tableOf(numbers('a', 1), numbers('b', 1));
    expect(distancesToClosest(queried, real, { numeric: ['a', 'b'], categorical: [], text: [] })[0]).toBe(0);
  });
});
