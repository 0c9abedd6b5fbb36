import { describe, expect, test } from 'vitest';
import { createStream } from '../../../../packages/numerics/random/createStream.ts';
import { categoryChain } from '../../../../packages/synthesis/models/categorical/categoryChain.ts';
import type { ModelTable } from '../../../../packages/synthesis/models/model.ts';
import { category, cellsOf, fitTask, silent, tableOf } from '../tables.ts';

const random = createStream(3, 'bad categories');
const times = <T>(n: number, make: (i: number) => T): T[] => Array.from({ length: n }, (_, i) => make(i));

async function made(table: ModelTable, rows: number, { keepRare } = { keepRare: false }) {
  const names = [...table.columns.keys()];
  const task = fitTask(table, names);
  const fitted = await categoryChain.fit({ ...task, settings: { ...task.settings, keepRare } });
  const restored = categoryChain.restore(JSON.parse(JSON.stringify(fitted.save())));
  const columns = await restored.sample({
    rows,
    made: { rows, columns: new Map() },
    random: createStream(1, 's'),
    onProgress: silent,
  });
  return { notes: JSON.stringify(fitted.diagnostics().notes), cells: (name: string) => cellsOf(columns, name) };
}
const share = (cells: readonly (string | null)[], level: string | null): number =>
  cells.filter((cell) => cell === level).length / cells.length;

describe('categories', () => {
  const other = category(
    'other',
    times(300, (i) => `level ${i % 3}`),
  );

  test('of one level are that level in every row', async () => {
    const { cells } = await made(
      tableOf(
        category(
          'c',
          times(300, () => 'only'),
        ),
        other,
      ),
      200,
    );
    expect(new Set(cells('c'))).toEqual(new Set(['only']));
    expect(new Set(cells('other')).size).toBe(3);
  });

  test('of as many levels as rows stay empty and say so, or come out where they may, tied to no row', async () => {
    const table = tableOf(
      category(
        'c',
        times(300, (i) => `row ${i}`),
      ),
      other,
    );
    const { cells, notes } = await made(table, 200);
    expect(share(cells('c'), null)).toBe(1);
    expect(notes).toMatch(/300 levels of column .*c.* are empty.*keep_rare/);
    const kept = await made(table, 3000, { keepRare: true });
    expect(share(kept.cells('c'), null)).toBe(0);
    expect(new Set(kept.cells('c')).size).toBeGreaterThan(250);
    const same = kept
      .cells('c')
      .filter((cell, row) => kept.cells('other')[row] === `level ${Number(cell!.slice(4)) % 3}`);
    expect(same.length / 3000).toBeCloseTo(1 / 3, 1);
  });

  test('of missing cells alone stay missing, and do not stand in the way', async () => {
    const { cells } = await made(
      tableOf(
        category(
          'c',
          times(300, () => null),
        ),
        other,
      ),
      200,
    );
    expect(share(cells('c'), null)).toBe(1);
    expect(new Set(cells('other')).size).toBe(3);
  });

  test('in 150 columns keep their levels, and what follows from another still does', async () => {
    const table = tableOf(
      ...times(148, (k) =>
        category(
          `c${k}`,
          times(200, () => `${k} ${random.integer(2 + (k % 5))}`),
        ),
      ),
      category(
        'region',
        times(200, (i) => `region ${i % 4}`),
      ),
      category(
        'coast',
        times(200, (i) => (i % 4 < 2 ? 'west' : 'east')),
      ),
    );
    const { cells } = await made(table, 300);
    for (const k of [0, 75, 147]) expect(new Set(cells(`c${k}`)).size).toBe(2 + (k % 5));
    expect(cells('region').filter((cell, row) => cell! < 'region 2' !== (cells('coast')[row] === 'west'))).toEqual([]);
  });

  test.each([1, 2])('of %i rows give a table', async (rows) => {
    const table = tableOf(category('a', ['x', 'y'].slice(0, rows)), category('b', [null, 'p'].slice(0, rows)));
    const { cells } = await made(table, 50);
    expect(share(cells('a'), null)).toBe(1);
    const kept = await made(table, 50, { keepRare: true });
    expect(new Set(kept.cells('a')).size).toBe(rows);
  });

  test('of levels of 10,000 characters that differ at their ends come out whole', async () => {
    const [start, end] = ['a'.repeat(9_999), 'b'.repeat(9_999)];
    const levels = [`${start}1`, `${start}2`, `1${end}`];
    const { cells } = await made(
      tableOf(
        category(
          'c',
          times(300, (i) => levels[i % 3]!),
        ),
        other,
      ),
      3000,
    );
    expect(new Set(cells('c'))).toEqual(new Set(levels));
    for (const level of levels) expect(share(cells('c'), level)).toBeCloseTo(1 / 3, 1);
  });

  test('of levels that differ by case, by a space or by Unicode form stay apart, each with its own company', async () => {
    const levels = ['Oslo', 'oslo', 'Oslo ', 'é', 'e\u0301', 'ﬁ', 'fi', 'x\u00a0y', 'x y', '\u200bz', 'z'];
    const own = times(1100, (i) => levels[i % levels.length]!);
    const table = tableOf(
      category('c', own),
      category(
        'number',
        own.map((level) => String(levels.indexOf(level))),
      ),
    );
    const { cells } = await made(table, 3000);
    expect(new Set(cells('c'))).toEqual(new Set(levels));
    for (const level of levels) expect(share(cells('c'), level)).toBeCloseTo(1 / levels.length, 1);
    expect(cells('c').filter((cell, row) => String(levels.indexOf(cell!)) !== cells('number')[row])).toEqual([]);
  });
});
