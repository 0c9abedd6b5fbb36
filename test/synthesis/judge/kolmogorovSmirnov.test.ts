import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { kolmogorovSmirnov } from '../../../packages/synthesis/judge/distances.ts';

const sample = fc.array(fc.integer({ min: -5, max: 5 }), { minLength: 1, maxLength: 30 });

/** By the definition: the largest gap of the two distribution functions over every value seen. */
function byDefinition(a: number[], b: number[]): number {
  const below = (values: number[], x: number) => values.filter((value) => value <= x).length / values.length;
  return Math.max(...[...a, ...b].map((x) => Math.abs(below(a, x) - below(b, x))));
}

describe('kolmogorovSmirnov', () => {
  it('equals its definition, ties and all', () => {
    fc.assert(
      fc.property(sample, sample, (a, b) => {
        expect(kolmogorovSmirnov(Float64Array.from(a), Float64Array.from(b))).toBeCloseTo(byDefinition(a, b), 12);
      }),
    );
  });

  it('is a half where half of one sample lies below all of the other, 1 apart, 0 for the same values', () => {
    expect(kolmogorovSmirnov(Float64Array.of(1, 2, 3, 4), Float64Array.of(3, 4, 3, 4))).toBe(0.5);
    expect(kolmogorovSmirnov(Float64Array.of(1, 2), Float64Array.of(1e308))).toBe(1);
    expect(kolmogorovSmirnov(Float64Array.of(7, 7), Float64Array.of(7))).toBe(0);
  });

  it('leaves its arguments as they were', () => {
    const a = Float64Array.of(3, 1, 2);
    kolmogorovSmirnov(a, a);
    expect(a).toEqual(Float64Array.of(3, 1, 2));
  });

  it('refuses an empty sample', () => {
    expect(() => kolmogorovSmirnov(new Float64Array(), Float64Array.of(1))).toThrow('empty');
  });
});
