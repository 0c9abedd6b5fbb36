import { describe, expect, test } from 'vitest';
import { jobEventSchema } from '../../../../packages/contract/events.ts';
import type { Family } from '../../../../packages/contract/families.ts';
import { createStream } from '../../../../packages/numerics/random/createStream.ts';
import { saying } from '../../../support/problems.ts';
import { category, correlation, numeric } from '../tables.ts';
import { fitOne, momentsOf, type Regressed, times } from './fitOne.ts';

const random = createStream(4, 'bad input');
const ROWS = 80;
const x = times(ROWS, random.normal);
const noise = times(ROWS, random.normal);
const levels = (n: number, of: number) => Array.from({ length: n }, (_, i) => `level ${i % of}`);

/** What every fit keeps to: numbers only, all of them the column's own, and a verdict in words. */
async function expectSound(regressed: Regressed, values: readonly number[]): Promise<Float64Array> {
  const drawn = await regressed.sample();
  const [least, most] = [Math.min(...values), Math.max(...values)];
  for (const value of drawn) expect(value >= least && value <= most).toBe(true);
  const { metrics, events } = regressed;
  expect(metrics.summary).not.toMatch(/NaN|Infinity|undefined/);
  for (const event of events) jobEventSchema.parse({ ...event, seconds: 0 });
  const retried = events.find(({ fact }) => fact === 'chains_repeated');
  if (!metrics.converged)
    expect([metrics.summary, retried]).toEqual([
      expect.stringMatching(/did not converge.*Increase draws/),
      expect.anything(),
    ]);
  return drawn;
}

describe('a target of one value', () => {
  test.each<[Family, number]>([
    ['gaussian', 5],
    ['student_t', -1e308],
    ['lognormal', 1e-300],
    ['gamma', 5.5],
    ['poisson', 4],
    ['negative_binomial', 0],
    ['bernoulli', 1],
    ['hurdle_gamma', 0],
    ['beta', 0.25],
  ])('under %s is that value in every row, without sampling', async (family, value) => {
    const { metrics, sample, events } = await fitOne(
      family,
      times(30, () => value),
      [numeric('x', x.slice(0, 30))],
    );
    expect(new Set(await sample())).toEqual(new Set([value]));
    expect(metrics).toMatchObject({ rows: 30, chains: 0, draws: 0, converged: true, coefficients: [] });
    expect(metrics.summary).toMatch(/^All of its 30 numbers are .*: every synthetic row gets this value/);
    expect(events).toEqual([{ stage: 'fit', fact: 'target_constant', column: 'y', value }]);
  });

  test('that stands in one row only is that value in every row', async () => {
    const { metrics, sample } = await fitOne('gaussian', [3], [numeric('x', [1]), category('c', ['a'])]);
    expect([...(await sample(5))]).toEqual([3, 3, 3, 3, 3]);
    expect(metrics.summary).toMatch(/^Its only number is 3: /);
  });

  test('that is missing in all rows but one is that value in every row', async () => {
    const y = times(ROWS, (i) => (i === 30 ? 7 : Number.NaN));
    const { metrics, sample } = await fitOne('gaussian', y, [numeric('x', x)]);
    expect(new Set(await sample())).toEqual(new Set([7]));
    expect(metrics.rows).toBe(1);
  });
});

describe('a target of two values that are not 0 and 1', () => {
  test.each<Family>(['gaussian', 'student_t'])(
    'under %s is one of the two, and follows its predictor',
    async (family) => {
      const y = x.map((value, i) => (value + 0.5 * noise[i]! > 0 ? 7 : 3));
      const regressed = await fitOne(family, y, [numeric('x', x)]);
      const drawn = await expectSound(regressed, y);
      expect(new Set(drawn)).toEqual(new Set([3, 7]));
      expect(Math.abs(momentsOf(drawn).mean - momentsOf(y).mean)).toBeLessThan(0.8);
      expect(correlation(drawn, x)).toBeGreaterThan(0.4);
    },
  );
});

describe('few rows', () => {
  test.each<Family>(['gaussian', 'student_t', 'lognormal', 'gamma', 'poisson', 'negative_binomial'])(
    'fewer than columns end under %s in a fit, or in words that it is a guess',
    async (family) => {
      const given = Array.from({ length: 20 }, (_, k) => numeric(`x${k}`, times(8, random.normal)));
      const y = times(8, (i) => 1 + ((i * 5) % 8));
      const regressed = await fitOne(family, y, given);
      await expectSound(regressed, y);
      expect(regressed.metrics.parameters).toBeLessThanOrEqual(10);
      expect(regressed.metrics.left_out.length).toBeGreaterThan(9);
      expect(regressed.metrics.worst_r_hat).toBeLessThan(2);
    },
  );

  test('two of them give both values', async () => {
    const regressed = await fitOne('gaussian', [3, 5], [numeric('x', [1, 2]), category('c', ['a', 'b'])]);
    await expectSound(regressed, [3, 5]);
    const { mean, sd } = momentsOf(await regressed.sample(200));
    expect(Math.abs(mean - 4)).toBeLessThan(0.3);
    expect(sd).toBeGreaterThan(0.4);
  });
});

describe('separation', () => {
  test.each([
    ['a number', numeric('x', x)],
    [
      'a level',
      category(
        'c',
        x.map((value) => (value > 0 ? 'high' : 'low')),
      ),
    ],
  ])('by %s gives finite slopes, held by their priors, and ones where ones were', async (_, predictor) => {
    const y = x.map((value) => (value > 0 ? 1 : 0));
    const regressed = await fitOne('bernoulli', y, [predictor], { draws: 200 });
    expect(regressed.metrics.converged).toBe(true);
    for (const { mean, sd } of regressed.metrics.coefficients) expect(Math.abs(mean) + sd).toBeLessThan(20);
    expect(correlation(await expectSound(regressed, y), y)).toBeGreaterThan(0.7);
  });
});

describe('a predictor equal to the target', () => {
  test.each<Family>(['gaussian', 'student_t', 'lognormal', 'gamma', 'poisson', 'beta', 'hurdle_lognormal'])(
    'under %s gives it again, from chains that agree',
    async (family) => {
      const y = times(ROWS, (i) => (family === 'beta' ? (((i * 7) % 40) + 1) / 42 : 1 + ((i * 7) % 40)));
      if (family === 'hurdle_lognormal') for (let i = 0; i < ROWS; i += 3) y[i] = 0;
      const regressed = await fitOne(family, y, [numeric('x', y), category('c', levels(ROWS, 3))]);
      expect(regressed.metrics.converged).toBe(true);
      expect(correlation(await expectSound(regressed, y), y)).toBeGreaterThan(family === 'poisson' ? 0.85 : 0.93);
    },
  );

  test('leaves a scale near the error to which an exact fit is known, in the target’s own units', async () => {
    const y = times(ROWS, (i) => 1000 + 50 * ((i * 7) % 40));
    const { metrics } = await fitOne('gaussian', y, [numeric('x', y)]);
    const sigma = metrics.coefficients.find(({ name }) => name === 'sigma')!;
    expect(sigma.mean / momentsOf(y).sd).toBeGreaterThan(0.5e-4);
    expect(sigma.mean / momentsOf(y).sd).toBeLessThan(4e-4);
    const [intercept, slope] = metrics.coefficients;
    expect(intercept!.mean).toBeCloseTo(momentsOf(y).mean, 0);
    expect(slope!.mean / momentsOf(y).sd).toBeCloseTo(1, 1);
  });
});

describe('predictors', () => {
  test.each<Family>(['gaussian', 'bernoulli', 'hurdle_gamma'])('of 500 levels are pooled under %s', async (family) => {
    const y = times(1500, (i) => (family === 'bernoulli' ? ((i * i) % 3) % 2 : (i * i) % 11));
    const regressed = await fitOne(family, y, [category('c', levels(1500, 500))]);
    const drawn = await expectSound(regressed, y);
    expect(regressed.metrics.parameters).toBeLessThan(60);
    expect(Math.abs(momentsOf(drawn).mean - momentsOf(y).mean)).toBeLessThan(0.15 * momentsOf(y).sd);
  });

  test('without a cell are left out, and said to be', async () => {
    const gone = [
      numeric(
        'x',
        times(ROWS, () => Number.NaN),
      ),
      category(
        'c',
        levels(ROWS, 3).map(() => null),
      ),
    ];
    const regressed = await fitOne('gaussian', noise, gone);
    await expectSound(regressed, noise);
    expect(regressed.metrics.left_out).toContainEqual({ name: 'x', reason: 'every cell is missing' });
    expect(regressed.metrics).toMatchObject({ parameters: 2, converged: true });
  });

  test('of 1e300 and 1e-300 count like any others', async () => {
    const y = x.map((value, i) => value + 0.1 * noise[i]!);
    const given = [
      numeric(
        'large',
        x.map((value) => 1e300 * value),
      ),
      numeric(
        'small',
        noise.map((value) => 1e-300 * value),
      ),
      numeric(
        'absurd',
        times(ROWS, (i) => (i === 7 ? 1e300 : i % 5)),
      ),
    ];
    const regressed = await fitOne('gaussian', y, given);
    expect(regressed.metrics.converged).toBe(true);
    expect(correlation(await expectSound(regressed, y), y)).toBeGreaterThan(0.95);
  });
});

describe('numbers at the ends of doubles', () => {
  const absurd = times(ROWS, (i) => (i === 3 ? 1e300 : i === 5 ? 1e-300 : 1 + (i % 10)));

  test.each<[string, Family, number[]]>([
    ['1e308 and -1e308', 'gaussian', times(ROWS, (i) => (i % 2 ? 1e308 : -1e308))],
    ['1e308 and -1e308', 'student_t', times(ROWS, (i) => (i % 2 ? 1e308 : -1e308))],
    ['numbers near 1e307', 'gaussian', x.map((value, i) => (value + noise[i]!) * 1e307)],
    ['numbers near 1e-300', 'gaussian', x.map((value, i) => (value + noise[i]!) * 1e-300)],
    ['numbers near 1e-300', 'student_t', x.map((value, i) => (value + noise[i]!) * 1e-300)],
    ['18 digits', 'gaussian', times(ROWS, (i) => 2 ** 56 + 16 * (i % 10))],
    ['numbers near 1e305', 'lognormal', x.map((value) => Math.exp(702 + value))],
    ['numbers near 1e305', 'gamma', x.map((value) => Math.exp(702 + value))],
    ['numbers near 5e-320', 'gamma', x.map((value) => Math.exp(-735 + value))],
    ['numbers from e^-600 to e^600', 'hurdle_lognormal', x.map((value) => Math.exp(250 * value))],
    ['numbers from e^-600 to e^600', 'hurdle_gamma', x.map((value) => Math.exp(250 * value))],
    ['one 1e300', 'lognormal', absurd],
    ['one 1e300', 'gamma', absurd],
    ['one count of 1e15', 'hurdle_negative_binomial', times(ROWS, (i) => (i === 3 ? 1e15 : i % 5))],
  ])('as a target (%s) are fitted under %s', async (_, family, y) => {
    const regressed = await fitOne(family, y, [numeric('x', x)]);
    await expectSound(regressed, y);
    expect(regressed.metrics.worst_r_hat).toBeLessThan(1.3);
    for (const figure of Object.values(regressed.metrics.predictive_p_values))
      if (figure !== null) expect(figure >= 0 && figure <= 1).toBe(true);
  });

  test.each<Family>(['gaussian', 'student_t'])(
    'one 1e300 under %s is fenced, which is told, and comes back only where rare numbers are kept',
    async (family) => {
      const y = times(ROWS, (i) => (i === 3 ? 1e300 : 20 + 5 * x[i]! + noise[i]!));
      for (const keepRare of [false, true]) {
        const regressed = await fitOne(family, y, [numeric('x', x)], { keepRare });
        const drawn = Float64Array.from([...(await expectSound(regressed, y)), ...(await regressed.sample(5))]);
        expect(regressed.metrics.summary).toMatch(/1 value is further from the median/);
        expect(drawn.some((value) => value > 1e299)).toBe(keepRare);
        expect(drawn.filter((value) => value < 100).length / drawn.length).toBeGreaterThan(0.9);
      }
    },
  );

  test.each<Family>(['poisson', 'negative_binomial', 'zero_inflated_poisson', 'hurdle_negative_binomial'])(
    'are no counts: %s refuses 1e300, and says what to ask for',
    async (family) => {
      await expect(
        fitOne(
          family,
          times(ROWS, (i) => (i === 3 ? 1e300 : i % 5)),
        ),
      ).rejects.toMatchObject({
        name: 'JobError',
        code: 'invalid_data',
        params: { reason: 'family_cannot_count', column: 'y', family, max: Number.MAX_SAFE_INTEGER },
      });
    },
  );
});

describe('atoms', () => {
  const tenths = times(ROWS, (i) => (i % 11) / 10);

  test('at 0 and 1 are refused under beta, with what to ask for', async () => {
    await expect(fitOne('beta', tenths, [numeric('x', x)])).rejects.toMatchObject({
      name: 'JobError',
      code: 'invalid_data',
      params: saying(
        /^Fewer than 20 of the 80 values of the target "y" cannot come from the family beta.*Send POST \/generate again/,
      ),
    });
  });

  test.each([1, 100])('at 0 and %i come back as often where the family has them', async (top) => {
    const y = tenths.map((value) => top * value);
    const regressed = await fitOne('zero_one_inflated_beta', y, [numeric('x', x)]);
    await expectSound(regressed, y);
    const drawn = await regressed.sample(20);
    const shareOf = (values: ArrayLike<number>, at: number): number =>
      Array.from(values).filter((value) => value === at).length / values.length;
    for (const at of [0, top]) expect(Math.abs(shareOf(drawn, at) - shareOf(y, at))).toBeLessThan(0.05);
  });

  test.each<[Family, number]>(
    (
      ['hurdle_gamma', 'hurdle_lognormal', 'hurdle_poisson', 'hurdle_negative_binomial', 'zero_inflated_beta'] as const
    ).flatMap(
      (family) =>
        [
          [family, 1],
          [family, 2],
        ] as [Family, number][],
    ),
  )('%s takes %i rows that are not zero, and keeps them where rare numbers are kept', async (family, positives) => {
    const y = times(ROWS, (i) => (i >= positives ? 0 : family === 'zero_inflated_beta' ? 0.5 : 4));
    const regressed = await fitOne(family, y, [numeric('x', x), category('c', levels(ROWS, 3))], { keepRare: true });
    await expectSound(regressed, y);
    expect(regressed.metrics.worst_r_hat).toBeLessThan(1.3);
    const { zeros } = momentsOf(await regressed.sample(10));
    expect(Math.abs(1 - zeros - positives / ROWS)).toBeLessThan(0.02);
  });
});
