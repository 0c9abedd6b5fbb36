import { describe, expect, test } from 'vitest';
import { normalCdf, normalPdf, normalQuantile } from '../../../packages/numerics/special/normal.ts';
import { expectNear, relative, rounding } from '../../support/tolerance.ts';

describe('the standard normal', () => {
  test('quantile and cdf undo each other', () => {
    for (let i = 1; i < 4000; i++) {
      const p = i / 4000;
      expectNear(normalCdf(normalQuantile(p)), p, rounding(4e-16));
    }
    for (let power = -300; power < -4; power += 7) {
      const p = 10 ** power;
      expectNear(normalCdf(normalQuantile(p)), p, relative(1e-12));
    }
  });

  test('both sides are mirror images', () => {
    for (let x = 0; x < 8; x += 0.13) expect(normalCdf(x) + normalCdf(-x)).toBeCloseTo(1, 15);
    for (const p of [0.3, 0.07, 0.01]) expect(normalQuantile(1 - p)).toBeCloseTo(-normalQuantile(p), 12);
  });

  test('the density is the slope of the cdf', () => {
    for (let x = -6; x < 6; x += 0.37) {
      const h = 1e-5;
      expect((normalCdf(x + h) - normalCdf(x - h)) / (2 * h)).toBeCloseTo(normalPdf(x), 9);
    }
  });

  // Values to 17 digits from erfc in arbitrary precision.
  test.each([
    [-20, 2.7536241186062337e-89],
    [-10, 7.619853024160527e-24],
    [-6, 9.86587645037698e-10],
    [-5.7, 5.990371401063534e-9],
    [-3, 0.0013498980316300946],
    [-0.5, 0.3085375387259869],
    [0, 0.5],
    [1.959963984540054, 0.975],
  ])('the cdf at %f is %f', (x, p) => {
    expectNear(normalCdf(x), p, relative(1e-13));
  });

  test('the check values of AS 241 come back', () => {
    expect(normalQuantile(0.25)).toBeCloseTo(-0.6744897501960817, 15);
    expect(normalQuantile(0.001)).toBeCloseTo(-3.090232306167814, 14);
    expectNear(normalQuantile(1e-20), -9.262340089798409, relative(1e-15));
  });

  test('ends and nonsense are named', () => {
    expect(normalQuantile(0)).toBe(Number.NEGATIVE_INFINITY);
    expect(normalQuantile(1)).toBe(Number.POSITIVE_INFINITY);
    expect(normalQuantile(1.1)).toBeNaN();
    expect(normalQuantile(Number.NaN)).toBeNaN();
    expect(normalCdf(Number.NEGATIVE_INFINITY)).toBe(0);
    expect(normalCdf(Number.POSITIVE_INFINITY)).toBe(1);
    expect(normalCdf(Number.NaN)).toBeNaN();
  });
});
