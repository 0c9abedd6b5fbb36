import { describe, expect, test } from 'vitest';
import {
  cdf,
  fitEmpirical,
  fitReference,
  MAX_KNOTS,
  quantile,
} from '../../../packages/numerics/distributions/empirical.ts';
import { createStream } from '../../../packages/numerics/random/createStream.ts';
import { normalCdf } from '../../../packages/numerics/special/normal.ts';

const random = createStream(3, 'empirical');
const draws = (n: number, draw: () => number): Float64Array => Float64Array.from({ length: n }, draw);
const shareOf = (values: Float64Array, value: number): number =>
  values.filter((v) => v === value).length / values.length;

describe('an empirical distribution', () => {
  test('has cdf and quantile undo each other where it is a line', () => {
    const sample = fitEmpirical(draws(500, random.normal))!;
    expect(sample.shape).toBe('line');
    for (let u = 0.001; u < 1; u += 0.013) expect(cdf(sample, quantile(sample, u))).toBeCloseTo(u, 12);
  });

  test('stays finite between the ends of doubles', () => {
    const ends = fitEmpirical(Float64Array.of(-1e308, 1e308))!;
    expect(ends.shape).toBe('line');
    for (let u = 0; u <= 1; u += 0.125) {
      expect(quantile(ends, u) / 1e308).toBeCloseTo(2 * u - 1, 12);
      expect(cdf(ends, quantile(ends, u))).toBeCloseTo(u, 12);
    }
  });

  test('gives repeated values only as they were, and as often', () => {
    const atoms = draws(3000, () => [0, 0, 0, 1, 40, 99.5][random.integer(6)]!);
    const fitted = fitEmpirical(atoms)!;
    const again = draws(60_000, () => quantile(fitted, random.uniform()));
    for (const value of [0, 1, 40, 99.5]) expect(shareOf(again, value)).toBeCloseTo(shareOf(atoms, value), 1);
    expect(new Set(again).size).toBe(4);
  });

  test('keeps the weight of a heap among values that stand once', () => {
    const mixed = draws(4000, () => (random.uniform() < 0.3 ? 100 : random.normal() * 50 + 100));
    const fitted = fitEmpirical(mixed)!;
    expect(fitted.shape).toBe('line');
    const again = draws(20_000, () => quantile(fitted, random.uniform()));
    expect(Math.abs(shareOf(again, 100) - shareOf(mixed, 100))).toBeLessThan(0.02);
  });

  test('does not hand out the extremes of a many-valued sample', () => {
    const sample = draws(1000, random.normal);
    const fitted = fitEmpirical(sample)!;
    const again = draws(20_000, () => quantile(fitted, random.uniform()));
    expect(again).not.toContain(Math.max(...sample));
    expect(Math.max(...again)).toBeLessThanOrEqual(Math.max(...sample));
    expect(Math.min(...again)).toBeGreaterThanOrEqual(Math.min(...sample));
  });

  test('of a large sample keeps a bounded number of knots, and its shape to the tails', () => {
    const fitted = fitReference(draws(60_000, random.normal));
    expect(fitted.values.length).toBe(MAX_KNOTS);
    for (const x of [-3.5, -2, -0.3, 0, 1, 3.5]) expect(Math.abs(cdf(fitted, x) - normalCdf(x))).toBeLessThan(0.008);
    for (let i = 1; i < MAX_KNOTS; i++) expect(fitted.upTo[i]!).toBeGreaterThan(fitted.upTo[i - 1]!);
  });

  test('has ends: outside it the cdf is 0 or 1, and shares 0 and 1 are its extremes', () => {
    for (const sample of [Float64Array.of(1, 2, 3), Float64Array.of(1, 1, 2, 2, 3, 3)]) {
      const fitted = fitEmpirical(sample)!;
      expect([cdf(fitted, 0.9), cdf(fitted, 3.1)]).toEqual([0, 1]);
      expect([quantile(fitted, 0), quantile(fitted, 1)]).toEqual([1, 3]);
    }
  });

  test('of one value is that value; of none there is none', () => {
    const one = fitEmpirical(Float64Array.of(Number.NaN, 7))!;
    expect([0, 0.3, 1].map((u) => quantile(one, u))).toEqual([7, 7, 7]);
    expect(fitEmpirical(Float64Array.of(Number.NaN))).toBeUndefined();
  });
});
