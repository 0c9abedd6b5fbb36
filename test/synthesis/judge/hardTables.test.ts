/** Bad input: every figure a finite number or null with a reason, every key there, whatever the table. */
import { describe, expect, it } from 'vitest';
import { measuredFigureSchema } from '../../../packages/contract/measuredFigure.ts';
import { jobMetricsSchema } from '../../../packages/contract/metrics.ts';
import { createStream } from '../../../packages/numerics/random/createStream.ts';
import { type AllMeasures, measureAll } from '../../../packages/synthesis/judge/measureAll.ts';
import type { ModelTable } from '../../../packages/synthesis/models/model.ts';
import { levels, numbers, tableOf, texts } from './tables.ts';

const NONE = Number.NaN;
const roles = { target: 'y', continuous: ['x'], categorical: ['c'], text: ['t'] };
const many = <T>(value: (row: number) => T, rows = 60): T[] => Array.from({ length: rows }, (_, row) => value(row));
const table = (y: number[], x: number[], c: (string | null)[], t: (string | null)[]): ModelTable =>
  tableOf(numbers('y', ...y), numbers('x', ...x), levels('c', ...c), texts('t', ...t));
const names = many((row) => `level ${row % 3}`);
const words = many((row) => `a text of ${row % 7} words`);
const good = table(
  many((row) => row),
  many((row) => row % 10),
  names,
  words,
);
const gone = table(
  many(() => NONE),
  many(() => NONE),
  many(() => null),
  many(() => null),
);
const huge = table(
  many((row) => (row % 2 ? 1.7e308 : -1.7e308)),
  many((row) => (row - 30) * 5e306),
  names,
  words,
);
const tiny = table(
  many((row) => (row % 7) * 1e-300),
  many((row) => (row - 30) * 1e-308),
  names,
  words,
);
const constant = table(
  many(() => 4),
  many(() => 4),
  many(() => 'one'),
  many(() => 'the same'),
);
const empty = table([], [], [], []);
const one = table([3], [1], ['level 1'], ['a text']);
const two = table([1, 2], [3, 3], ['a', 'b'], ['first', 'second']);

const measure = (train: ModelTable, synthetic: ModelTable, holdout: ModelTable | null): Promise<AllMeasures> =>
  measureAll({
    train,
    synthetic,
    holdout,
    roles,
    family: null,
    crossFit: async (rows) => tableOf(...[...rows.columns.values()].filter(({ kind }) => kind !== 'text')),
    random: createStream(22, 'hard tables'),
    onProgress: async () => {},
  });

/** Checks every figure there is, at any depth; returns how many. */
function expectFinite(value: unknown, path: string): number {
  if (typeof value === 'number') expect(Number.isFinite(value), path).toBe(true);
  expect(value, path).not.toBeUndefined();
  if (typeof value !== 'object' || value === null) return 0;
  const figure = measuredFigureSchema.safeParse(value);
  if (figure.success) {
    const { value: own, reason, low, high } = figure.data;
    expect(own === null ? reason : own, path).not.toBeNull();
    if (low !== null && high !== null) expect(low, path).toBeLessThanOrEqual(high);
  }
  const inside = Object.entries(value).reduce((sum, [key, child]) => sum + expectFinite(child, `${path}.${key}`), 0);
  return inside + (figure.success ? 1 : 0);
}

const cases: [string, ModelTable, ModelTable, ModelTable | null][] = [
  ['constant columns on every side', constant, constant, constant],
  ['constant columns in the real rows', constant, good, constant],
  ['constant columns in the synthetic rows', good, constant, good],
  ['columns without a cell in the real rows', gone, good, gone],
  ['columns without a cell in the synthetic rows', good, gone, good],
  ['columns without a cell on every side', gone, gone, gone],
  ['a holdout without a cell', good, good, gone],
  ['one synthetic row', good, one, good],
  ['one row on every side', one, one, one],
  ['two real rows', two, good, null],
  ['two real rows and one synthetic one', two, one, null],
  ['no synthetic row', good, empty, good],
  ['no row on any side', empty, empty, empty],
  ['numbers of 1e308 on every side', huge, huge, huge],
  ['numbers of 1e308 in the real rows', huge, good, huge],
  ['numbers of 1e308 in the synthetic rows', good, huge, good],
  ['numbers of 1e-300 on every side', tiny, tiny, tiny],
  ['numbers of 1e-300 in the synthetic rows', huge, tiny, huge],
  ['a small table that is cross-fitted', good, good, null],
];

describe('measureAll on hard tables', () => {
  it.each(cases)('gives every key a finite number or a reason: %s', async (_, train, synthetic, holdout) => {
    const metrics = await measure(train, synthetic, holdout);
    const record = {
      ...metrics,
      rows_generated: synthetic.rows,
      columns: ['y'],
      seed: 1,
      version: '1',
      regression: null,
    };
    expect(jobMetricsSchema.parse(record)).toMatchObject(record);
    expect(expectFinite({ metrics }, 'metrics')).toBeGreaterThan(25);
    expect(JSON.parse(JSON.stringify(record))).toEqual(record);
  });

  it('has no verdict where no real row was kept from the models', async () => {
    const { fidelity, privacy, measured_on } = await measure(two, good, null);
    expect(measured_on?.method).toBe('none');
    expect(fidelity?.one_way.verdict).toBeNull();
    expect(privacy?.dcr_share).toMatchObject({ value: null, verdict: null });
    expect(privacy?.dcr_share.reason).toMatch(/too few real rows/);
  });

  it.each([
    ['held out', good],
    ['cross-fitted', null],
  ])('has one R² of the target where rows are %s', async (_, holdout) => {
    const { numeric, holdout: real, utility } = await measure(good, good, holdout);
    expect(utility?.target.value).toBe(numeric['TSTR R²']);
    if (real) expect(utility?.target.holdout).toBe(real['TSTR R²']);
  });

  it('cross-fits small tables and says so', async () => {
    const { fidelity, measured_on, text } = await measure(good, good, null);
    expect(measured_on).toMatchObject({ method: 'cross-fitting', folds: 5, train: 60, holdout: 60 });
    expect(fidelity?.one_way.holdout).not.toBeNull();
    expect(text?.columns[0]?.copies.value).toBe(1);
    expect(text?.columns[0]?.bits_per_character.reason).toMatch(/no held-out texts/);
  });

  it('reads records of jobs that were run before these figures were told', () => {
    const keys = [
      'KS (Avg)',
      'WD (Avg)',
      'Corr Diff (F-Norm)',
      'DCR (Avg)',
      'Duplicate Rate (%)',
      'TSTR R²',
      'TSTR RMSE',
    ];
    const numeric = { family: null, ...Object.fromEntries(keys.map((key) => [key, null])) };
    const record = {
      numeric,
      rows_generated: 1,
      columns: [],
      seed: 1,
      version: '0',
      holdout: null,
      sample_sizes: {},
      notes: [],
    };
    expect(jobMetricsSchema.parse(record)).toMatchObject({ fidelity: null, utility: null, privacy: null, text: null });
  });
});
