import { describe, expect, it } from 'vitest';
import type { ProgressEvent } from '../../../packages/contract/events.ts';
import { numericMetricsSchema } from '../../../packages/contract/metrics.ts';
import { createStream } from '../../../packages/numerics/random/createStream.ts';
import { type Measures, measureTable, type TableTask } from '../../../packages/synthesis/judge/measureAll.ts';
import type { ModelTable } from '../../../packages/synthesis/models/model.ts';
import { takeRows } from '../../../packages/synthesis/table/takeRows.ts';
import { DRAWN_ROLES, drawTable, levels, numbers, tableOf, texts } from './tables.ts';

const NONE = Number.NaN;
const KEYS = ['KS (Avg)', 'WD (Avg)', 'Corr Diff (F-Norm)', 'DCR (Avg)', 'Duplicate Rate (%)', 'TSTR R²', 'TSTR RMSE'];

const measure = (task: Partial<TableTask> & Pick<TableTask, 'train' | 'synthetic' | 'roles'>): Promise<Measures> =>
  measureTable({
    holdout: null,
    family: null,
    crossFit: null,
    random: createStream(8, 'measure'),
    onProgress: async () => {},
    ...task,
  });

/** Every key is there, a finite number or null, and a null has its reason in the notes. */
function expectComplete(measures: Measures): void {
  expect(numericMetricsSchema.parse(measures.numeric)).toEqual(measures.numeric);
  expect(Object.keys(measures.numeric)).toEqual([...KEYS, 'family']);
  for (const [prefix, figures] of [
    ['', measures.numeric],
    ['Holdout: ', measures.holdout ?? {}],
  ] as const) {
    for (const [key, value] of Object.entries(figures)) {
      if (key === 'family') continue;
      if (value === null)
        expect(measures.notes.filter((note) => note.startsWith(`${prefix}${key} is null: `))).toHaveLength(1);
      else expect(value).toSatisfy(Number.isFinite);
    }
  }
}

/** Each column's cells drawn from its own column, so that margins stay and dependence goes. */
function shuffleColumns(table: ModelTable, name: string): ModelTable {
  const columns = [...table.columns].map(([column, cells]) => {
    const random = createStream(9, `${name} ${column}`);
    const rows = Int32Array.from({ length: table.rows }, () => random.integer(table.rows));
    return takeRows({ rows: table.rows, columns: new Map([[column, cells]]) }, rows).columns.get(column)!;
  });
  return tableOf(...columns);
}

describe('measureTable', () => {
  const train = drawTable(4000, createStream(10, 'train'));
  const holdout = drawTable(4000, createStream(10, 'holdout'));
  const fresh = drawTable(4000, createStream(10, 'fresh'));

  it('ranks real rows handed back, a fresh real sample and independent columns rightly', async () => {
    const of = async (synthetic: ModelTable) => {
      const found = await measure({ train, holdout, synthetic, roles: DRAWN_ROLES });
      expectComplete(found);
      return found.numeric;
    };
    const [copy, real, shuffled] = [await of(train), await of(fresh), await of(shuffleColumns(train, 'shuffle'))];
    expect(copy).toMatchObject({
      'KS (Avg)': 0,
      'WD (Avg)': 0,
      'Corr Diff (F-Norm)': 0,
      'DCR (Avg)': 0,
      'Duplicate Rate (%)': 100,
    });
    expect(real['KS (Avg)']).toBeLessThan(0.04);
    expect(real['Corr Diff (F-Norm)']).toBeLessThan(0.1);
    expect(real['Corr Diff (F-Norm)']! * 10).toBeLessThan(shuffled['Corr Diff (F-Norm)']!);
    expect(real['DCR (Avg)']).toBeGreaterThan(0);
    expect(real['DCR (Avg)']! * 2).toBeLessThan(shuffled['DCR (Avg)']!);
    expect(real['TSTR R²']).toBeGreaterThan(0.95);
    expect(Math.abs(real['TSTR R²']! - copy['TSTR R²']!)).toBeLessThan(0.01);
    expect(shuffled['TSTR R²']).toBeLessThan(0.1);
    expect(shuffled['TSTR RMSE']).toBeGreaterThan(2 * real['TSTR RMSE']!);
  });

  it('measures the holdout by the same figures and says how many rows each is from', async () => {
    const events: ProgressEvent[] = [];
    const onProgress = async (event: ProgressEvent) => void events.push(event);
    const found = await measure({
      train,
      holdout,
      synthetic: fresh,
      roles: DRAWN_ROLES,
      family: 'gaussian',
      onProgress,
    });
    expect(found.numeric.family).toBe('gaussian');
    expect(Object.keys(found.holdout ?? {})).toEqual(KEYS);
    expect(found.holdout?.['TSTR R²']).toBeGreaterThan(0.95);
    expect(found.sample_sizes).toEqual({
      train: 4000,
      synthetic: 4000,
      holdout: 4000,
      dcr_synthetic: 4000,
      dcr_holdout: 4000,
      tstr_train: 4000,
      tstr_test: 4000,
      tstr_train_holdout: 4000,
    });
    expect(events.length).toBeGreaterThanOrEqual(4);
  });

  it('gives the same figures for the same stream', async () => {
    const task = { train, holdout, synthetic: fresh, roles: DRAWN_ROLES };
    expect(await measure(task)).toEqual(await measure(task));
  });

  it('looks for the nearest real row of 10,000 rows at most and says so', async () => {
    const synthetic = drawTable(10_001, createStream(11, 'many'));
    const found = await measure({ train: takeRows(train, Int32Array.of(0, 1, 2)), synthetic, roles: DRAWN_ROLES });
    expect(found.sample_sizes.dcr_synthetic).toBe(10_000);
    expect(found.notes.join(' ')).toContain('10000 of 10001 rows');
  });
});

describe('measureTable without a holdout', () => {
  const train = drawTable(300, createStream(12, 'train'));

  it('cross-fits: every real row is predicted by trees that come from the other folds alone', async () => {
    const seen: { rows: number; queried: number; fold: number }[] = [];
    const crossFit = async (rows: ModelTable, queried: number, fold: number) => {
      seen.push({ rows: rows.rows, queried, fold });
      return rows;
    };
    const found = await measure({
      train,
      synthetic: drawTable(700, createStream(12, 'made')),
      roles: DRAWN_ROLES,
      crossFit,
    });
    expectComplete(found);
    expect(seen).toEqual([0, 1, 2, 3, 4].map((fold) => ({ rows: 240, queried: 700, fold })));
    expect(found.sample_sizes.tstr_test).toBe(300);
    expect(found.numeric['TSTR R²']).toBeGreaterThan(0.8);
    expect(found.notes.join(' ')).toContain('5-fold cross-fitting');
    expect(found.holdout).toBeNull();
  });

  it('passes on what cross-fitting throws: a job that was stopped stops', async () => {
    const crossFit = () => Promise.reject(new Error('stopped'));
    await expect(measure({ train, synthetic: train, roles: DRAWN_ROLES, crossFit })).rejects.toThrow('stopped');
  });

  it('has no TSTR, and says why, where rows cannot be kept from the models', async () => {
    const found = await measure({ train, synthetic: train, roles: DRAWN_ROLES });
    expectComplete(found);
    expect(found.numeric['TSTR R²']).toBeNull();
  });
});

describe('measureTable on hard tables', () => {
  const roles = { target: 'y', continuous: ['x'], categorical: ['c'], text: [] };
  const table = (y: number[], x: number[], c: (string | null)[]) =>
    tableOf(numbers('y', ...y), numbers('x', ...x), levels('c', ...c));
  const many = (value: (row: number) => number) => Array.from({ length: 60 }, (_, row) => value(row));
  const cells = Array.from({ length: 60 }, (_, row) => `level ${row % 3}`);
  const good = table(
    many((row) => row),
    many((row) => row % 10),
    cells,
  );
  const crossFit = async (rows: ModelTable) => rows;

  const cases: [string, ModelTable, ModelTable, ModelTable | null][] = [
    [
      'a constant column',
      table(
        many((row) => row),
        many(() => 0.1),
        cells,
      ),
      good,
      good,
    ],
    [
      'a constant target',
      table(
        many(() => 0.1),
        many((row) => row),
        cells,
      ),
      good,
      table(
        many(() => 7),
        many((r) => r),
        cells,
      ),
    ],
    [
      'columns without a value',
      table(
        many(() => NONE),
        many(() => NONE),
        cells.map(() => null),
      ),
      good,
      good,
    ],
    [
      'synthetic columns without a value',
      good,
      table(
        many(() => NONE),
        many(() => NONE),
        cells.map(() => null),
      ),
      good,
    ],
    [
      'a holdout without a value',
      good,
      good,
      table(
        many(() => NONE),
        many(() => NONE),
        cells.map(() => null),
      ),
    ],
    ['one synthetic row', good, table([3], [1], ['level 1']), good],
    ['two real rows', table([1, 2], [3, 3], ['a', 'b']), good, null],
    ['one row on every side', table([1], [2], ['a']), table([1], [2], ['a']), table([1], [2], ['a'])],
    ['no row on any side', table([], [], []), table([], [], []), table([], [], [])],
    [
      'numbers of 1e308 on both sides',
      table(
        many((r) => (r % 2 ? 1e308 : -1e308)),
        many((r) => r * 1e306),
        cells,
      ),
      table(
        many((r) => (r % 3 ? 1.7e308 : -1.7e308)),
        many((r) => -r * 1e306),
        cells,
      ),
      table(
        many((r) => (r % 2 ? 1e308 : -1e308)),
        many(() => 1e308),
        cells,
      ),
    ],
    [
      'numbers of 1e308 that only the synthetic rows have',
      good,
      table(
        many((r) => (r % 2 ? 1.7e308 : -1.7e308)),
        many(() => -1.7e308),
        cells,
      ),
      good,
    ],
    [
      'numbers of 1e308 that only the real rows have',
      table(
        many((r) => (r % 2 ? 1.7e308 : -1.7e308)),
        many(() => 1e-308),
        cells,
      ),
      good,
      good,
    ],
    [
      'infinite numbers',
      good,
      table(
        many(() => Number.POSITIVE_INFINITY),
        many((r) => r),
        cells,
      ),
      good,
    ],
  ];

  it.each(cases)('gives every key a finite number or a reason: %s', async (_, train, synthetic, holdout) => {
    expectComplete(await measure({ train, synthetic, holdout, roles, crossFit }));
  });

  it('measures only copies where there is only text', async () => {
    const train = tableOf(texts('t', 'one', 'two', null));
    const synthetic = tableOf(texts('t', 'one', 'three'));
    const found = await measure({
      train,
      synthetic,
      roles: { target: null, continuous: [], categorical: [], text: ['t'] },
    });
    expectComplete(found);
    expect(found.numeric).toEqual({
      ...Object.fromEntries(KEYS.map((key) => [key, null])),
      'Duplicate Rate (%)': 50,
      family: null,
    });
    expect(found.notes).toContain('KS (Avg) is null: there is no numeric column.');
  });

  it('has no TSTR where there is a target and nothing to predict it from', async () => {
    const alone = tableOf(numbers('y', 1, 2, 3));
    const found = await measure({
      train: alone,
      holdout: alone,
      synthetic: alone,
      roles: { ...roles, continuous: [], categorical: [] },
    });
    expectComplete(found);
    expect(found.notes.join(' ')).toContain('no other numeric or categorical column');
  });

  it('names the columns that an average leaves out', async () => {
    const found = await measure({
      train: table(
        many((row) => row),
        many(() => 4),
        cells,
      ),
      synthetic: good,
      roles,
    });
    expect(found.numeric['WD (Avg)']).toBe(0);
    expect(found.notes).toContain('WD (Avg) leaves out columns: "x" does not vary in the real table.');
  });

  it('refuses tables whose columns are not those of the roles', async () => {
    await expect(measure({ train: good, synthetic: tableOf(numbers('y', 1)), roles })).rejects.toThrow('no column "x"');
    const other = tableOf(levels('y', 'a'), numbers('x', 1), levels('c', 'a'));
    await expect(measure({ train: good, synthetic: other, roles })).rejects.toThrow(
      '"y" is category in one table and numeric',
    );
  });
});
