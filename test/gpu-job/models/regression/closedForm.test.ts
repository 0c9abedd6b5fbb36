import { describe, expect, test } from 'vitest';
import type { Family } from '../../../../domain/schema/families.ts';
import type { ModelTable } from '../../../../gpu-job/models/model.ts';
import { closedFormRegression } from '../../../../gpu-job/models/regression/closedForm.ts';
import { drawPosterior, fitPosterior } from '../../../../gpu-job/models/regression/posterior.ts';
import { fitDesign, rowsOf } from '../../../../gpu-job/models/shared/design.ts';
import { gramOf, independentColumns } from '../../../../gpu-job/models/shared/gram.ts';
import { createStream } from '../../../../numerics/random/createStream.ts';
import { category, correlation, fitTask, mean, numbersOf, numeric, silent, tableOf } from '../tables.ts';

const random = createStream(4, 'regression');
const times = <T>(n: number, make: (i: number) => T): T[] => Array.from({ length: n }, (_, i) => make(i));
const all = (n: number): Int32Array => Int32Array.from({ length: n }, (_, i) => i);

async function sampled(table: ModelTable, family: Family, given: string[], made = table): Promise<Float64Array> {
  const task = fitTask(table, ['y'], given);
  const fitted = await closedFormRegression.fit({ ...task, settings: { ...task.settings, family } });
  const columns = await fitted.sample({ rows: made.rows, made, random: createStream(8, 's'), report: silent });
  return numbersOf(columns, 'y');
}

describe('the posterior of linear regression', () => {
  const n = 4000;
  const x = times(n, random.normal);
  const group = times(n, () => (random.uniform() < 0.3 ? 'b' : 'a'));
  const y = Float64Array.from(
    { length: n },
    (_, i) => 0.2 + 0.7 * x[i]! + (group[i] === 'b' ? -0.5 : 0) + 0.4 * random.normal(),
  );
  const table = tableOf(numeric('x', x), category('g', group));
  const design = fitDesign(table, ['x', 'g'], all(n));
  const gram = gramOf(rowsOf(design, table), all(n), y, design.width);
  const posterior = fitPosterior(gram, independentColumns(gram));

  test('is where the data were made, within its own spread', () => {
    const sd = Math.sqrt(mean(x.map((value) => value ** 2)) - mean(x) ** 2);
    const [intercept, slope, effect] = posterior.mean;
    expect(intercept! - (slope! * mean(x)) / sd).toBeCloseTo(0.2, 1);
    expect(slope! / sd).toBeCloseTo(0.7, 1);
    expect(effect!).toBeCloseTo(-0.5, 1);
    expect(Math.sqrt(posterior.rate / posterior.shape)).toBeCloseTo(0.4, 1);
  });

  test('has draws with its mean and with the covariance of the inverse precision', () => {
    const draws = drawPosterior(posterior, 20_000, design.width, createStream(1, 'd'));
    const width = design.width + 1;
    const column = (j: number): number[] => times(20_000, (d) => draws[d * width + j]!);
    for (let j = 0; j < 3; j++) expect(mean(column(j))).toBeCloseTo(posterior.mean[j]!, 2);
    // Indicator b and the intercept pull against each other; x stands alone.
    const share = group.filter((g) => g === 'b').length / n;
    const expectedSd = 0.4 / Math.sqrt(n * (1 - share));
    const sd = Math.sqrt(mean(column(0).map((value) => (value - posterior.mean[0]!) ** 2)));
    expect(Math.abs(sd / expectedSd - 1)).toBeLessThan(0.1);
    expect(correlation(column(0), column(2))).toBeCloseTo(-Math.sqrt(share), 1);
    expect(Math.abs(correlation(column(0), column(1)))).toBeLessThan(0.1);
  });
});

describe('a design matrix', () => {
  test('drops constants and columns that others determine', () => {
    const n = 200;
    const x = times(n, random.normal);
    const table = tableOf(
      numeric('x', x),
      numeric(
        'twice',
        x.map((value) => 2 * value + 1),
      ),
      numeric(
        'constant',
        times(n, () => 3),
      ),
      category(
        'g',
        times(n, (i) => ['a', 'b', 'c'][i % 3]!),
      ),
      category(
        'copy of g',
        times(n, (i) => ['A', 'B', 'C'][i % 3]!),
      ),
    );
    const design = fitDesign(table, [...table.columns.keys()], all(n));
    const gram = gramOf(rowsOf(design, table), all(n), new Float64Array(n), design.width);
    expect(design.width).toBe(7);
    expect(independentColumns(gram).length).toBe(4);
  });

  test('takes an indicator for missing numbers, a level for missing categories, one effect for rare levels', () => {
    const n = 100;
    const table = tableOf(
      numeric(
        'x',
        times(n, (i) => (i % 4 === 0 ? Number.NaN : i)),
      ),
      category(
        'g',
        times(n, (i) => (i < 3 ? `rare ${i}` : i % 5 === 0 ? null : 'common')),
      ),
    );
    const design = fitDesign(table, ['x', 'g'], all(n));
    const row = rowsOf(design, table);
    const shown = (i: number): [number, number][] => {
      const { at, values, count } = row(i);
      return times(count, (k) => [at[k]!, Math.round(values[k]! * 100) / 100]);
    };
    expect(shown(0)).toEqual([
      [0, 1],
      [2, 1],
      [4, 1],
    ]);
    expect(shown(1).at(-1)).toEqual([4, 1]);
    expect(shown(10).at(-1)).toEqual([3, 1]);
    expect(shown(11).length).toBe(2);
  });
});

describe('a design that is full', () => {
  test('leaves columns out, and says how many', () => {
    const n = 50;
    const columns = times(9, (k) => numeric(`x${k}`, times(n, random.normal)));
    const design = fitDesign(
      tableOf(...columns),
      columns.map(({ name }) => name),
      all(n),
      6,
    );
    expect(design.width).toBe(6);
    expect(design.leftOut).toBe(4);
  });
});

describe('a synthetic target', () => {
  const n = 3000;
  const x = times(n, random.normal);

  test('keeps its dependence on numbers and categories', async () => {
    const group = times(n, (i) => (i % 3 === 0 ? 'high' : 'low'));
    const y = x.map((value, i) => 10 + 2 * value + (group[i] === 'high' ? 5 : 0) + random.normal());
    const table = tableOf(numeric('y', y), numeric('x', x), category('g', group));
    const made = await sampled(table, 'gaussian', ['x', 'g']);
    expect(correlation(made, x)).toBeCloseTo(correlation(y, x), 1);
    const gap = (values: ArrayLike<number>): number =>
      mean(Array.from(values).filter((_, i) => group[i] === 'high')) -
      mean(Array.from(values).filter((_, i) => group[i] === 'low'));
    expect(gap(made)).toBeCloseTo(gap(y), 0);
  });

  test('has the real margin: heaps, caps and whole numbers', async () => {
    const y = x.map((value) => Math.min(50, Math.max(0, Math.round(40 + 15 * value + 5 * random.normal()))));
    const made = await sampled(tableOf(numeric('y', y), numeric('x', x)), 'gaussian', ['x']);
    for (const heap of [0, 50]) {
      const share = (values: ArrayLike<number>): number => Array.from(values).filter((v) => v === heap).length / n;
      expect(share(made)).toBeCloseTo(share(y), 1);
    }
    expect(made.every((value) => Number.isInteger(value) && value >= 0 && value <= 50)).toBe(true);
  });

  test.each<[Family, (eta: number) => number]>([
    ['student_t', (eta) => eta],
    ['lognormal', Math.exp],
    ['gamma', Math.exp],
    ['beta', (eta) => 1 / (1 + Math.exp(-eta))],
    ['bernoulli', (eta) => (eta > 0 ? 1 : 0)],
    ['poisson', (eta) => Math.round(Math.exp(eta))],
    ['negative_binomial', (eta) => Math.round(Math.exp(2 * eta))],
    ['zero_inflated_poisson', (eta) => Math.round(Math.exp(eta - 1))],
    ['zero_inflated_negative_binomial', (eta) => Math.round(Math.exp(2 * eta - 2))],
    ['zero_inflated_beta', (eta) => (eta < -1 ? 0 : 1 / (1 + Math.exp(-eta)))],
    ['one_inflated_beta', (eta) => (eta > 1 ? 1 : 1 / (1 + Math.exp(-eta)))],
    ['zero_one_inflated_beta', (eta) => Math.min(1, Math.max(0, eta))],
    ['hurdle_gamma', (eta) => (eta < 0 ? 0 : Math.exp(eta))],
    ['hurdle_lognormal', (eta) => (eta < 0 ? 0 : Math.exp(eta))],
    ['hurdle_poisson', (eta) => Math.max(0, Math.round(3 * eta))],
    ['hurdle_negative_binomial', (eta) => Math.max(0, Math.round(eta ** 3))],
  ])('of the family %s stays within its support and follows its predictor', async (family, inverse) => {
    const y = x.map((value) => inverse(value + 0.4 * random.normal()));
    const made = await sampled(tableOf(numeric('y', y), numeric('x', x)), family, ['x']);
    expect(Math.min(...made)).toBeGreaterThanOrEqual(Math.min(...y));
    expect(Math.max(...made)).toBeLessThanOrEqual(Math.max(...y));
    if (y.every(Number.isInteger)) expect(made.every(Number.isInteger)).toBe(true);
    expect(correlation(made, x)).toBeGreaterThan(0.6 * correlation(y, x));
  });

  test('of percent is one of shares, and a few exact ends are no obstacle to inflated families', async () => {
    const y = x.map((value) => Math.min(100, Math.max(0, 50 + 20 * value + random.normal())));
    for (const family of ['one_inflated_beta', 'zero_inflated_beta'] as const) {
      const made = await sampled(tableOf(numeric('y', y), numeric('x', x)), family, ['x']);
      expect(correlation(made, x)).toBeGreaterThan(0.9);
    }
    const open = y.map((value) => 1 + 0.98 * value);
    expect(correlation(await sampled(tableOf(numeric('y', open), numeric('x', x)), 'beta', ['x']), x)).toBeGreaterThan(
      0.9,
    );
    await expect(sampled(tableOf(numeric('y', y)), 'beta', [])).rejects.toThrow(/above 0 and below 1/);
  });

  test('of two rows more is made without a gap', async () => {
    const made = await sampled(
      tableOf(numeric('y', [1, 5]), numeric('x', [0, 1])),
      'gaussian',
      ['x'],
      tableOf(numeric('x', x)),
    );
    expect(made.every(Number.isFinite)).toBe(true);
  });

  test('is refused where there is no number, and where the family cannot have the values', async () => {
    const none = tableOf(numeric('y', [Number.NaN, Number.NaN]));
    await expect(sampled(none, 'gaussian', [])).rejects.toMatchObject({ name: 'JobError', code: 'invalid_data' });
    const negative = tableOf(numeric('y', [-1, 2, 3]));
    await expect(sampled(negative, 'gamma', [])).rejects.toThrow(/1 of 3 values that the family gamma cannot have/);
  });
});
