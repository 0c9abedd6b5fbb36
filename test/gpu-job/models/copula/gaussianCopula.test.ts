import { describe, expect, test } from 'vitest';
import { gaussianCopula } from '../../../../gpu-job/models/copula/gaussianCopula.ts';
import { normalScores } from '../../../../gpu-job/models/copula/normalScores.ts';
import type { ModelTable } from '../../../../gpu-job/models/model.ts';
import { createStream } from '../../../../numerics/random/createStream.ts';
import { normalQuantile } from '../../../../numerics/special/normal.ts';
import { category, correlation, fitTask, mean, numbersOf, numeric, silent, tableOf } from '../tables.ts';

const random = createStream(6, 'copula');
const times = <T>(n: number, make: (i: number) => T): T[] => Array.from({ length: n }, (_, i) => make(i));
const n = 4000;

async function sampled(table: ModelTable, columns: string[], given: string[] = []) {
  const fitted = await gaussianCopula.fit(fitTask(table, columns, given));
  return fitted.sample({ rows: table.rows, made: table, random: createStream(8, 's'), report: silent });
}

describe('normal scores', () => {
  test('are the normal quantiles of the ranks', () => {
    const scores = normalScores(Float64Array.of(30, Number.NaN, 10, 20), random);
    expect(scores).toEqual(Float64Array.of(normalQuantile(5 / 6), Number.NaN, normalQuantile(1 / 6), 0));
  });

  test('break ties without an order of their own', () => {
    const scores = normalScores(new Float64Array(n).fill(1), random);
    expect(
      Math.abs(
        correlation(
          scores,
          times(n, (i) => i),
        ),
      ),
    ).toBeLessThan(0.06);
    expect(mean(scores)).toBeCloseTo(0, 9);
  });
});

describe('a Gaussian copula', () => {
  test('keeps margins and rank dependence, whatever the margins are', async () => {
    const z = times(n, random.normal);
    const a = z.map((value) => Math.exp(value));
    const b = z.map((value) => -Math.round(5 * (0.8 * value + 0.6 * random.normal())));
    const table = tableOf(numeric('a', a), numeric('b', b));
    const made = await sampled(table, ['a', 'b']);
    const scoresOf = (values: ArrayLike<number>) => normalScores(Float64Array.from(values), createStream(1, 't'));
    const real = correlation(scoresOf(a), scoresOf(b));
    expect(correlation(scoresOf(numbersOf(made, 'a')), scoresOf(numbersOf(made, 'b')))).toBeCloseTo(real, 1);
    expect(mean(numbersOf(made, 'a'))).toBeCloseTo(mean(a), 0);
    expect(numbersOf(made, 'b').every(Number.isInteger)).toBe(true);
  });

  test('moves columns with the categories that are given', async () => {
    const group = times(n, (i) => (i % 2 === 0 ? 'low' : 'high'));
    const a = group.map((level) => (level === 'high' ? 6 : 0) + random.normal());
    const table = tableOf(numeric('a', a), category('g', group));
    const made = numbersOf(await sampled(table, ['a'], ['g']), 'a');
    const of = (values: ArrayLike<number>, level: string) =>
      mean(Array.from(values).filter((_, i) => group[i] === level));
    expect(of(made, 'high') - of(made, 'low')).toBeGreaterThan(0.8 * (of(a, 'high') - of(a, 'low')));
    // Two humps and a gap between them: the margin is the real one although the scores are not normal.
    expect(Array.from(made).filter((value) => value > 2.7 && value < 3.3).length / n).toBeLessThan(0.03);
    expect(mean(made)).toBeCloseTo(mean(a), 0);
  });

  test('learns from pairs that are there, and repairs what contradicts itself', async () => {
    const z = times(n, random.normal);
    const hide = (values: number[], part: number) => values.map((value, i) => (i % 3 === part ? Number.NaN : value));
    const table = tableOf(
      numeric('a', hide(z, 0)),
      numeric('b', hide(z, 1)),
      numeric(
        'c',
        hide(
          z.map((value, i) => (i % 3 === 0 ? -value : value)),
          2,
        ),
      ),
    );
    const made = await sampled(table, ['a', 'b', 'c']);
    for (const name of ['a', 'b', 'c']) expect(numbersOf(made, name).every(Number.isFinite)).toBe(true);
    expect(correlation(numbersOf(made, 'a'), numbersOf(made, 'b'))).toBeGreaterThan(0.4);
  });

  test('takes columns that are copies of each other, constant, or without any number', async () => {
    const z = times(300, random.normal);
    const table = tableOf(
      numeric('a', z),
      numeric('copy', z),
      numeric(
        'constant',
        z.map(() => 4),
      ),
      numeric(
        'none',
        z.map(() => Number.NaN),
      ),
    );
    const made = await sampled(table, ['a', 'copy', 'constant', 'none']);
    expect(correlation(numbersOf(made, 'a'), numbersOf(made, 'copy'))).toBeGreaterThan(0.999);
    expect(new Set(numbersOf(made, 'constant'))).toEqual(new Set([4]));
    expect(numbersOf(made, 'none').every(Number.isNaN)).toBe(true);
  });
});
