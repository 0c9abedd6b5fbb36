import { describe, expect, it } from 'vitest';
import { FAMILY_NAMES } from '../../../packages/numerics/distributions/families.ts';
import {
  fromScale,
  isBeta,
  supportScale,
  toScale,
  unitScale,
} from '../../../packages/numerics/regression/responseScale.ts';

describe('supportScale', () => {
  it('divides percent by 100 under the beta families, and leaves shares alone', () => {
    const factors = FAMILY_NAMES.filter(isBeta).map((family) => [
      supportScale(family, 100).factor,
      supportScale(family, 0.9, { isPercent: true }).factor,
      supportScale(family, 1).factor,
    ]);
    expect(factors).toEqual(Array(4).fill([100, 100, 1]));
  });

  it('leaves every other family as it is', () => {
    for (const family of FAMILY_NAMES)
      if (!isBeta(family)) expect(supportScale(family, 100, { isPercent: true }).factor).toBe(1);
  });

  it('puts 0 and 100 exactly on the ends, and every hundredth back to where it was, to the last digits', () => {
    const percent = Float64Array.from({ length: 10_001 }, (_, i) => i / 100);
    const scale = supportScale('beta', 100);
    const inside = toScale(percent, scale);
    expect([inside[0], inside[10_000]]).toEqual([0, 1]);
    const back = fromScale(inside, scale);
    for (let i = 0; i < percent.length; i++) expect(back[i]!.toFixed(10)).toBe(percent[i]!.toFixed(10));
  });
});

describe('unitScale', () => {
  const values = Float64Array.of(3, 0, 40, 8, 1.5);

  it.each(['gaussian', 'student_t'] as const)('standardises under %s, and goes back', (family) => {
    const scale = unitScale(family, values);
    const scaled = toScale(values, scale);
    expect(scaled.reduce((sum, value) => sum + value, 0)).toBeCloseTo(0, 12);
    expect(scaled.reduce((sum, value) => sum + value * value, 0) / 5).toBeCloseTo(1, 12);
    for (const [i, value] of fromScale(scaled, scale).entries()) expect(value).toBeCloseTo(values[i]!, 12);
  });

  it('makes the geometric mean of what is above 0 the unit of a positive family', () => {
    const { offset, factor } = unitScale('hurdle_gamma', values);
    expect(offset).toBe(0);
    expect(factor).toBeCloseTo((3 * 40 * 8 * 1.5) ** 0.25, 12);
  });

  it.each([
    ['numbers near the largest double', [1e300, -1e300, 5e299]],
    ['numbers near the smallest', [1e-300, 3e-300, 2e-300]],
    ['equal numbers', [4, 4, 4]],
    ['zeros', [0, 0]],
    ['no numbers', []],
  ])('stays finite for %s', (_, some) => {
    for (const family of FAMILY_NAMES) {
      const scale = unitScale(family, Float64Array.from(some));
      expect(scale.factor > 0 && Number.isFinite(1 / scale.factor)).toBe(true);
      if (some.every((value) => value >= 0) || family === 'gaussian') {
        expect(toScale(Float64Array.from(some), scale).every(Number.isFinite)).toBe(true);
      }
    }
  });
});
