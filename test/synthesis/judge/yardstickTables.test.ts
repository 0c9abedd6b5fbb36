import { describe, expect, it } from 'vitest';
import { createStream } from '../../../packages/numerics/random/createStream.ts';
import { measureTable } from '../../../packages/synthesis/judge/measureAll.ts';
import { independentColumns, swappedTenth } from '../../../packages/synthesis/judge/parts.ts';
import type { ModelTable } from '../../../packages/synthesis/models/model.ts';
import { DRAWN_ROLES, drawTable } from './tables.ts';

const random = createStream(15, 'baselines');
const train = drawTable(3000, random.child('train'));

function cellsOf(table: ModelTable, name: string): unknown[] {
  const column = table.columns.get(name)!;
  return column.kind === 'category' ? [...column.codes] : [...column.values];
}

describe('baseline tables', () => {
  it('swap a tenth of each column and keep every margin', () => {
    const swapped = swappedTenth(train, 3000, random.child('swap'));
    for (const name of ['price', 'width', 'place']) {
      const [before, after] = [cellsOf(train, name), cellsOf(swapped, name)];
      expect(after.toSorted()).toEqual(before.toSorted());
      expect(after.filter((cell, row) => cell !== before[row]).length).toBeLessThanOrEqual(300);
    }
    const moved = cellsOf(swapped, 'price').filter((cell, row) => cell !== cellsOf(train, 'price')[row]).length;
    expect(moved).toBeGreaterThan(250);
  });

  it('are ranked by dependence and utility: real rows, then a tenth swapped, then independent columns', async () => {
    const holdout = drawTable(3000, random.child('holdout'));
    const of = async (synthetic: ModelTable) => {
      const onProgress = async () => {};
      const task = { train, holdout, synthetic, roles: DRAWN_ROLES, family: null, crossFit: null, onProgress };
      return (await measureTable({ ...task, random: random.child('measure') })).numeric;
    };
    const real = await of(drawTable(3000, random.child('fresh')));
    const swapped = await of(swappedTenth(train, 3000, random.child('swap')));
    const independent = await of(independentColumns(train, 3000, random.child('independent')));
    expect(swapped['Duplicate Rate (%)']).toBeGreaterThan(50);
    expect(real['Duplicate Rate (%)']).toBeLessThan(1);
    expect(Math.max(swapped['DCR (Avg)']!, real['DCR (Avg)']!)).toBeLessThan(independent['DCR (Avg)']!);
    expect(real['Corr Diff (F-Norm)']).toBeLessThan(swapped['Corr Diff (F-Norm)']!);
    expect(swapped['Corr Diff (F-Norm)']).toBeLessThan(independent['Corr Diff (F-Norm)']!);
    expect(real['TSTR R²']).toBeGreaterThan(swapped['TSTR R²']!);
    expect(swapped['TSTR R²']).toBeGreaterThan(independent['TSTR R²']!);
  });
});
