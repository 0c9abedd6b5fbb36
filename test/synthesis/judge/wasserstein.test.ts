import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { wasserstein } from '../../../packages/synthesis/judge/distances.ts';

const number = fc.double({ min: -100, max: 100, noNaN: true });

/** By the other definition, for samples of one size: the mean distance of order statistics. */
function byOrderStatistics(a: number[], b: number[]): number {
  const [left, right] = [a, b].map((values) => [...values].sort((x, y) => x - y));
  return left!.reduce((sum, value, i) => sum + Math.abs(value - right![i]!), 0) / a.length;
}

function deviation(values: number[]): number {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1));
}

describe('wasserstein', () => {
  it('equals the mean distance of order statistics in units of the real standard deviation', () => {
    const pairs = fc.array(fc.tuple(number, number), { minLength: 2, maxLength: 40 });
    fc.assert(
      fc.property(pairs, (rows) => {
        const [a, b] = [rows.map(([x]) => x), rows.map(([, y]) => y)];
        fc.pre(deviation(a) > 1e-6);
        const found = wasserstein(Float64Array.from(a), Float64Array.from(b));
        const expected = byOrderStatistics(a, b) / deviation(a);
        expect(Math.abs(found - expected)).toBeLessThanOrEqual(1e-9 * (1 + expected));
      }),
    );
  });

  it('takes samples of different size: {0, 2} and {0, 1, 2} are a third apart, with a deviation of √2', () => {
    expect(wasserstein(Float64Array.of(2, 0), Float64Array.of(1, 0, 2))).toBeCloseTo(1 / 3 / Math.SQRT2, 12);
  });

  it('is the shift for a shifted sample, whatever the unit', () => {
    const real = Float64Array.of(-1e308, 0, 1e308);
    expect(wasserstein(real, Float64Array.of(-1e308, 0, 1e308))).toBe(0);
    expect(wasserstein(Float64Array.of(1e-300, 3e-300), Float64Array.of(2e-300, 4e-300))).toBeCloseTo(Math.SQRT1_2, 12);
  });

  it('refuses a real sample without spread and an empty one', () => {
    expect(() => wasserstein(Float64Array.of(0.1, 0.1, 0.1), Float64Array.of(1))).toThrow('no spread');
    expect(() => wasserstein(Float64Array.of(1, 2), new Float64Array())).toThrow('empty');
  });
});
