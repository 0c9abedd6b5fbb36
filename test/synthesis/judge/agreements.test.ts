import { describe, expect, it } from 'vitest';
import { createStream } from '../../../packages/numerics/random/createStream.ts';
import type { RandomStream } from '../../../packages/numerics/random/stream.ts';
import type { MeasuredColumns } from '../../../packages/synthesis/judge/columns.ts';
import { coincidences } from '../../../packages/synthesis/judge/privacy/agreements.ts';
import { worstColumns } from '../../../packages/synthesis/judge/privacy/worstColumns.ts';
import type { ModelTable } from '../../../packages/synthesis/models/model.ts';
import { levels, numbers, tableOf } from './tables.ts';

const COLUMNS: MeasuredColumns = { numeric: ['x', 'y'], categorical: ['c'], text: [] };

/** Coarse enough for ties, with missing cells of both kinds. */
function coarse(rows: number, random: RandomStream): ModelTable {
  const cell = (steps: number) => (random.uniform() < 0.1 ? Number.NaN : random.integer(steps));
  const drawn = Array.from({ length: rows }, () => [cell(40), cell(12) / 7, random.integer(30)] as const);
  return tableOf(
    numbers('x', ...drawn.map(([x]) => x)),
    numbers('y', ...drawn.map(([, y]) => y)),
    levels('c', ...drawn.map(([, , c]) => (c === 0 ? null : `level ${c}`))),
  );
}

type Cell = number | string | null;

function cellsOf(table: ModelTable): Cell[][] {
  return Array.from({ length: table.rows }, (_, row) =>
    [...table.columns.values()].map((column): Cell => {
      if (column.kind === 'numeric') return Number.isNaN(column.values[row]!) ? null : column.values[row]!;
      return column.kind === 'category' ? (column.levels[column.codes[row]!] ?? null) : null;
    }),
  );
}

const gap = (a: Cell, b: Cell): number => {
  if (a === b) return 0;
  return typeof a === 'number' && typeof b === 'number' ? Math.abs(a - b) : Number.POSITIVE_INFINITY;
};

/** Every pair of rows, column by column, and every row that is as near. */
function slowCoincidence(person: Cell[], made: Cell[][]): number {
  const scores = made.map((row) =>
    row.reduce<number>((sum, cell, j) => {
      const own = gap(person[j]!, cell);
      const nearer = made.filter((other) => gap(person[j]!, other[j]!) <= own).length;
      return Number.isFinite(own) ? sum + Math.max(0, Math.log((0.1 * made.length) / nearer)) : sum;
    }, 0),
  );
  return Math.max(0, ...scores);
}

describe('agreement of a person with some synthetic row', () => {
  const random = createStream(3, 'agreements');
  const [persons, made] = [coarse(40, random.child('persons')), coarse(150, random.child('made'))];
  const [ours, theirs] = [cellsOf(persons), cellsOf(made)];

  it('is as unlikely by chance as a look at every pair of rows says', () => {
    const found = coincidences(persons, made, COLUMNS);
    for (const [row, person] of ours.entries()) expect(found[row]).toBeCloseTo(slowCoincidence(person, theirs), 10);
    expect(Math.max(...found)).toBeGreaterThan(0);
  });

  it('is that of the worst column, in the unit given for it', () => {
    const units = new Map([
      ['x', 10],
      ['y', 0.5],
    ]);
    const found = worstColumns(persons, made, COLUMNS, (name) => units.get(name)!);
    for (const [row, [x, y, c]] of ours.entries()) {
      const gaps = theirs.map((other) =>
        Math.max(gap(x!, other[0]!) / 10, gap(y!, other[1]!) / 0.5, gap(c!, other[2]!)),
      );
      const least = Math.min(...gaps);
      // Places are kept in single precision.
      if (Number.isFinite(least)) expect(found[row]).toBeCloseTo(least, 5);
      else expect(found[row]).toBe(Number.POSITIVE_INFINITY);
    }
  });

  it('is none at all if there are no synthetic rows', () => {
    const none = coarse(0, random);
    expect([...coincidences(persons, none, COLUMNS)]).toEqual(new Array(40).fill(0));
    expect([...worstColumns(persons, none, COLUMNS, () => 1)]).toEqual(new Array(40).fill(Number.POSITIVE_INFINITY));
  });
});
