import { describe, expect, it } from 'vitest';
import {
  fitStandardUnits,
  isFenced,
  ofStandard,
  toStandard,
} from '../../../packages/numerics/regression/responseScale.ts';

const unitsOf = (values: readonly number[]) => fitStandardUnits(Float64Array.from(values))!;

describe('fitStandardUnits', () => {
  it.each([
    ['plain numbers', [3, 0, 40, 8, 1.5]],
    ['numbers at the ends of doubles', [1e308, -1e308, 1e308, -1e308]],
    ['numbers near the smallest', [1e-300, 3e-300, -2e-300]],
    ['numbers below the smallest of full precision', [5e-324, 1e-320, 0]],
    ['two numbers', [7, 3]],
    ['18 digits', [2 ** 56, 2 ** 56 + 16, 2 ** 56 + 48]],
  ])('has standard deviation 1 and no overflow for %s', (_, values) => {
    const units = unitsOf(values);
    const z = values.map((value) => toStandard(units, value));
    const mean = z.reduce((sum, value) => sum + value, 0) / z.length;
    const squares = z.reduce((sum, value) => sum + (value - mean) ** 2, 0);
    expect(squares / (z.length - 1)).toBeCloseTo(1, 9);
    expect(values.some((value) => isFenced(units, value))).toBe(false);
  });

  it('goes back to the values, to their last digits', () => {
    const values = [3, 0, 40, 8, 1.5];
    const units = unitsOf(values);
    const { offset, factor } = ofStandard(units);
    for (const value of values) expect(offset + factor * toStandard(units, value)).toBeCloseTo(value, 12);
  });

  it('keeps the differences of 18 digits', () => {
    const values = [2 ** 56, 2 ** 56 + 16, 2 ** 56 + 32];
    const z = values.map((value) => toStandard(unitsOf(values), value));
    expect(z).toEqual([-1, 0, 1]);
  });

  it('counts one absurd value as far, and leaves the others their differences', () => {
    const values = [...Array.from({ length: 60 }, (_, i) => i % 10), 1e300];
    const units = unitsOf(values);
    expect(values.filter((value) => isFenced(units, value))).toEqual([1e300]);
    expect(toStandard(units, 9) - toStandard(units, 0)).toBeGreaterThan(0.05);
    expect(toStandard(units, 1e300)).toBeLessThan(20);
  });

  it.each([[[]], [[4]], [[4, 4, 4]], [[0, 0]]])('has none for %j', (values) => {
    expect(fitStandardUnits(Float64Array.from(values))).toBeUndefined();
  });
});
