import { describe, expect, test } from 'vitest';
import type { Family } from '../../../../packages/contract/families.ts';
import { createStream } from '../../../../packages/numerics/random/createStream.ts';
import { category, correlation, numeric } from '../tables.ts';
import { fitOne, momentsOf, times } from './fitOne.ts';

const random = createStream(31, 'predictive');
const ROWS = 400;
const x = times(ROWS, random.normal);
const towns = Array.from({ length: ROWS }, (_, i) => ['Ash', 'Elm'][i % 2]!);
const given = [numeric('x', x), category('town', towns)];
const linear = times(ROWS, (i) => 0.6 * x[i]! + (i % 2));
const beta = (a: number, b: number): number => {
  const first = random.gamma(a);
  return first / (first + random.gamma(b));
};
const logistic = (eta: number): number => 1 / (1 + Math.exp(-eta));

const SIMULATED: [Family, (eta: number) => number][] = [
  ['gaussian', (eta) => 100 + 10 * eta + 5 * random.normal()],
  ['negative_binomial', (eta) => poisson((random.gamma(2) / 2) * Math.exp(1 + eta))],
  [
    'hurdle_negative_binomial',
    (eta) => (random.uniform() < logistic(-eta) ? 0 : 1 + poisson(random.gamma(1) * Math.exp(1 + eta))),
  ],
  [
    'zero_inflated_negative_binomial',
    (eta) => (random.uniform() < logistic(-1 - eta) ? 0 : poisson((random.gamma(2) / 2) * Math.exp(1.5 + eta / 2))),
  ],
  ['hurdle_gamma', (eta) => (random.uniform() < logistic(-eta) ? 0 : (Math.exp(2 + eta) * random.gamma(3)) / 3)],
  ['beta', (eta) => beta(8 * logistic(eta - 1), 8 * logistic(1 - eta))],
  ['bernoulli', (eta) => (random.uniform() < logistic(2 * eta - 1) ? 1 : 0)],
];

/** Unit steps of exponential times. */
function poisson(mean: number): number {
  let count = -1;
  for (let time = 0; time < mean; count++) time -= Math.log(random.uniform());
  return Math.max(0, count);
}

describe('synthetic targets', () => {
  test.each(SIMULATED)('of a simulated %s have its mean, sd, zeros and dependence', async (family, draw) => {
    const y = linear.map(draw);
    // With the extremes, of which a few make much of a sd.
    const { metrics, sample } = await fitOne(family, y, given, { keepRare: true });
    expect([metrics.converged, metrics.summary]).toEqual([true, expect.anything()]);
    // Three standard errors of 20 synthetic tables of 400 rows, and what the posterior is uncertain of.
    const [real, made] = [momentsOf(y), momentsOf(await sample(20))];
    expect(Math.abs(made.mean - real.mean)).toBeLessThan(0.12 * real.sd);
    expect(Math.abs(made.sd / real.sd - 1)).toBeLessThan(0.12);
    expect(Math.abs(made.zeros - real.zeros)).toBeLessThan(0.04);
    const xs = Array.from({ length: 20 }, () => x).flat();
    expect(Math.abs(correlation(await sample(20), xs) - correlation(y, x))).toBeLessThan(0.12);
    const { mean, sd, zeros } = metrics.predictive_p_values;
    for (const p of [mean, sd, zeros]) if (p !== null) expect(p > 0.01 && p < 0.99).toBe(true);
    expect(zeros === null).toBe(family === 'gaussian' || family === 'beta');
  });

  test('hold the coefficients that they were simulated with within their intervals', async () => {
    const y = linear.map((eta) => 100 + 10 * eta + 5 * random.normal());
    const { metrics } = await fitOne('gaussian', y, given, { draws: 250 });
    const named = new Map(metrics.coefficients.map((own) => [own.name, own]));
    const near = (name: string, value: number): void => {
      const { mean, sd } = named.get(name)!;
      expect(Math.abs(mean - value)).toBeLessThan(4 * sd);
    };
    near('sigma', 5);
    near('x', 6 * momentsOf(x).sd);
    near('town = Elm', 10);
  });

  test('come in the atoms and between the bounds of the real ones, in the order that the predictors give', async () => {
    const y = linear.map((eta) => Math.min(60, Math.max(20, 10 * Math.round(4 + 1.5 * eta + random.normal()))));
    const { sample } = await fitOne('gaussian', y, given);
    const drawn = await sample(10);
    for (const heap of new Set(y)) {
      const [real, made] = [y, Array.from(drawn)].map((all) => all.filter((v) => v === heap).length / all.length);
      expect(Math.abs(real! - made!)).toBeLessThan(0.05);
    }
    expect(new Set(drawn)).toEqual(new Set(y));
    expect(correlation(drawn, Array.from({ length: 10 }, () => x).flat())).toBeGreaterThan(0.5 * correlation(y, x));
  });

  test('keep the largest and smallest numbers to themselves, unless they may come out', async () => {
    // Many atoms, so that numbers stand more than twice on average.
    const y = linear.map((eta, i) =>
      i % 4 > 0 ? Math.round(10 * eta) : Math.round(1000 * Math.exp(eta + random.normal())),
    );
    const extremes = [...y].sort((a, b) => a - b).filter((_, i) => i < 5 || i >= ROWS - 5);
    const hits = async (rare: { keepRare: boolean }): Promise<number> => {
      const { sample } = await fitOne('gaussian', y, given, rare);
      return (await sample(20)).filter((value) => extremes.includes(value)).length;
    };
    expect(await hits({ keepRare: false })).toBe(0);
    expect(await hits({ keepRare: true })).toBeGreaterThan(20);
  });

  test('fan out where the real ones do, with a scale by groups', async () => {
    const spread = (value: number): number => (value > 0 ? 8 : 1);
    const y = x.map((value) => 5 * value + spread(value) * random.normal());
    const { fitted, sample } = await fitOne('gaussian', y, [numeric('x', x)]);
    expect(JSON.stringify(fitted.save())).toMatch(/"scale":\{"groups"/);
    const drawn = await sample(10);
    const spreadOf = (values: ArrayLike<number>, isIn: (value: number) => boolean): number => {
      const own = Array.from(values).flatMap((value, i) => (isIn(x[i % ROWS]!) ? [value - 5 * x[i % ROWS]!] : []));
      return momentsOf(own).sd;
    };
    const ratio = (values: ArrayLike<number>): number =>
      spreadOf(values, (value) => value > 0) / spreadOf(values, (value) => value <= 0);
    expect(ratio(drawn)).toBeGreaterThan(0.5 * ratio(y));
    expect(ratio(drawn)).toBeLessThan(1.5 * ratio(y));
  });
});
