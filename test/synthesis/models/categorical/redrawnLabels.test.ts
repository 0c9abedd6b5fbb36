import { describe, expect, test } from 'vitest';
import { createStream } from '../../../../packages/numerics/random/createStream.ts';
import { rakeClasses } from '../../../../packages/synthesis/models/categorical/classWeights.ts';
import { isLabel, redrawnLabels } from '../../../../packages/synthesis/models/categorical/redrawnLabels.ts';
import type { CategoryColumn } from '../../../../packages/synthesis/models/model.ts';
import { category, fitTask, numeric, silent, tableOf } from '../tables.ts';

const random = createStream(6, 'labels');
const times = <T>(n: number, make: (i: number) => T): T[] => Array.from({ length: n }, (_, i) => make(i));
const asCategory = (name: string, cells: (string | null)[]) => category(name, cells) as CategoryColumn;

describe('labels that are drawn again', () => {
  const n = 1200;
  const x = times(n, random.normal);
  const y = times(n, random.normal);
  /** What no single number says: whether both have one sign. */
  const isLike = (i: number): boolean => x[i]! * y[i]! > 0;
  const rare = new Set([3, 17, 230]);
  const label = times(n, (i) => (rare.has(i) ? 'rare' : random.uniform() < (isLike(i) ? 0.9 : 0.1) ? 'like' : 'other'));
  const table = tableOf(numeric('x', x), numeric('y', y), category('label', label));

  test('keep what the numbers say of them together, whatever their first draw was, and no rare level', async () => {
    const fitted = await redrawnLabels.fit(fitTask(table, ['label'], ['x', 'y', 'label']));
    const first = category(
      'label',
      times(n, () => 'other'),
    );
    const made = tableOf(numeric('x', x), numeric('y', y), first);
    const [drawn] = await fitted.sample({ rows: n, made, random: createStream(8, 's'), onProgress: silent });
    if (drawn?.kind !== 'category') throw new Error('no category');
    const hits = times(n, (i) => Number((drawn.levels[drawn.codes[i]!] === 'like') === isLike(i)));
    // The truth hits .9 of the rows; boosting is shrunk.
    expect(hits.reduce((sum, hit) => sum + hit, 0) / n).toBeGreaterThan(0.82);
    expect(new Set(Array.from(drawn.codes, (code) => drawn.levels[code]))).toEqual(new Set(['like', 'other']));
    expect(fitted.suppressed?.().get('label')).toEqual(['rare']);
  });

  test('are the same in threads, where rows stand for the table and where they do not', async () => {
    const fitted = await redrawnLabels.fit(fitTask(table, ['label'], ['x', 'y', 'label']));
    const rows = 100_001;
    const own = (values: number[]) => times(rows, (i) => values[i % n]!);
    const first = category(
      'label',
      times(rows, (i) => (i % 7 === 0 ? null : i % 2 === 0 ? 'like' : 'other')),
    );
    const made = tableOf(numeric('x', own(x)), numeric('y', own(y)), first);
    for (const stands of [{}, { representative: true as const }]) {
      const task = { rows, made, ...stands, random: createStream(8, 's'), onProgress: silent };
      const here = await fitted.sample({ ...task, threads: 0 });
      expect(await fitted.sample({ ...task, threads: 2 })).toEqual(here);
    }
  });
});

test('rows that stand for the table keep the counts of the first draw, and what goes with each', () => {
  const weights = Float64Array.from({ length: 3 * 500 }, (_, at) => (at % 3 === 2 ? 0 : random.uniform()));
  const before = weights.slice();
  rakeClasses(weights, Int32Array.of(120, 380, 0));
  const sum = (k: number): number => weights.reduce((all, own, at) => all + (at % 3 === k ? own : 0), 0);
  expect(sum(0)).toBeCloseTo(120, 0);
  expect(sum(1)).toBeCloseTo(380, 0);
  expect(sum(2)).toBe(0);
  expect(weights).toEqual(rakedSlowly(before, Int32Array.of(120, 380, 0), 10));
  const odds = (own: Float64Array, row: number): number => own[3 * row]! / own[3 * row + 1]!;
  const ratio = odds(weights, 0) / odds(before, 0);
  for (let row = 0; row < 500; row++) expect(odds(weights, row) / odds(before, row) / ratio).toBeCloseTo(1, 9);
});

test('what may be drawn again has a few levels, and goes with no other column in each row', () => {
  const n = 1200;
  const letters = ['a', 'b', 'c'];
  const free = asCategory(
    'free',
    times(n, () => letters[random.integer(3)]!),
  );
  const other = asCategory(
    'other',
    times(n, () => letters[random.integer(3)]!),
  );
  const grouped = asCategory(
    'grouped',
    Array.from(free.codes, (code) => (code === 0 ? 'first' : 'rest')),
  );
  const gap = asCategory(
    'gap',
    times(n, (i) => (i === 5 ? null : letters[i % 3]!)),
  );
  const many = asCategory(
    'many',
    times(n, (i) => `level ${i % 50}`),
  );
  const all = [free, other, gap, many];
  expect(isLabel(free, all)).toBe(true);
  expect(isLabel(free, [...all, grouped])).toBe(false);
  expect(isLabel(grouped, [...all, grouped])).toBe(false);
  expect(isLabel(gap, all)).toBe(true);
  for (const one of [many, { ...other, indicator: true as const }]) expect(isLabel(one, all)).toBe(false);
});

/** Columns brought to their counts, then rows to a sum of 1, again and again (Deming and Stephan, 1940). */
function rakedSlowly(weights: Float64Array, counts: Int32Array, times: number): Float64Array {
  const kinds = counts.length;
  const rows = Array.from({ length: weights.length / kinds }, (_, row) => [
    ...weights.slice(row * kinds, (row + 1) * kinds),
  ]);
  for (let time = 0; time < times; time++) {
    const factors = [...counts].map((count, k) => {
      const sum = rows.reduce((all, row) => all + row[k]!, 0);
      return sum > 0 ? count / sum : 0;
    });
    for (const row of rows) {
      const all = row.reduce((sum, own, k) => sum + own * factors[k]!, 0);
      row.forEach((own, k) => {
        row[k] = own * (factors[k]! / all);
      });
    }
  }
  return Float64Array.from(rows.flat());
}
