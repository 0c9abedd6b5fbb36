import { describe, expect, test } from 'vitest';
import { digamma, lgamma } from '../../../packages/numerics/special/gamma.ts';
import { exact, expectNear, relative, rounding } from '../../support/tolerance.ts';

// x, log Γ(x), ψ(x): mpmath 1.3 with 40 digits, rounded to the nearest double.
const REFERENCE: [number, number, number][] = [
  [1e-300, 690.7755278982137, -9.999999999999999e299],
  [1e-10, 23.025850929882736, -10000000000.577215],
  [0.001, 6.907178885383853, -1000.5755719318103],
  [0.1, 2.252712651734206, -10.423754940411076],
  [0.5, 0.5723649429247001, -1.9635100260214235],
  [0.9, 0.06637623973474295, -0.7549269499470513],
  [0.999999, 5.772164873855652e-7, -0.5772173098368019],
  [1.000001, -5.772148423874147e-7, -0.5772140199686682],
  [1.3, -0.10817480950786047, -0.16919088886679962],
  [1.4616321449683622, -0.12148629053584961, -9.241265521729427e-17],
  [1.9, -0.03898427592308336, 0.35618416116405965],
  [2.0000001, 4.227843666532498e-8, 0.4227843995918717],
  [2.4, 0.21685932244884157, 0.6529011697005981],
  [3, Math.LN2, 0.9227843350984671],
  [5.5, 3.9578139676187165, 1.6110931485817512],
  [11.9, 17.25847745059552, 2.4339335368825377],
  [12.1, 17.74700727079874, 2.4513143481743374],
  [25, 54.78472939811232, 3.198742512851974],
  [100, 359.1342053695754, 4.600161852738087],
  [1234.5, 7550.550901077895, 7.118016231827998],
  [1e6, 12815504.569147611, 13.815510057964191],
  [1e15, 3.3538776394910668e16, 34.538776394910684],
  [1e300, 6.897755278982137e302, 690.7755278982137],
];

describe('lgamma', () => {
  test('log Γ(x + 1) = log Γ(x) + log x, across every change of method', () => {
    for (let x = 0.01; x < 40; x += 0.037) {
      const gap = lgamma(x + 1) - lgamma(x) - Math.log(x);
      expectNear(gap, 0, rounding(1e-13 * Math.max(1, Math.abs(lgamma(x)))));
    }
  });

  test("Legendre's duplication holds", () => {
    for (let x = 0.1; x < 20; x += 0.19) {
      const left = lgamma(x) + lgamma(x + 0.5);
      const right = (1 - 2 * x) * Math.LN2 + 0.5 * Math.log(Math.PI) + lgamma(2 * x);
      expectNear(left, right, exact(1e-13));
    }
  });

  test.each(REFERENCE)('agrees with 40-digit arithmetic at %f', (x, value) => {
    expectNear(lgamma(x), value, relative(1e-13));
  });

  test('names its ends', () => {
    expect(lgamma(1)).toBeCloseTo(0, 16);
    expect(lgamma(2)).toBe(0);
    expect(lgamma(0)).toBe(Number.POSITIVE_INFINITY);
    expect(lgamma(Number.POSITIVE_INFINITY)).toBe(Number.POSITIVE_INFINITY);
    expect(lgamma(-0.5)).toBeNaN();
  });
});

describe('digamma', () => {
  test('ψ(x + 1) = ψ(x) + 1/x', () => {
    for (let x = 0.05; x < 40; x += 0.041) {
      expectNear(digamma(x + 1) - digamma(x), 1 / x, rounding(1e-13 * Math.max(1, 1 / x)));
    }
  });

  test('is the slope of lgamma', () => {
    for (let x = 0.5; x < 30; x += 0.7) {
      const h = 1e-5;
      expect((lgamma(x + h) - lgamma(x - h)) / (2 * h)).toBeCloseTo(digamma(x), 8);
    }
  });

  test.each(REFERENCE)('agrees with 40-digit arithmetic at %f', (x, _, value) => {
    expectNear(digamma(x), value, exact(1e-13));
  });

  test('names its ends', () => {
    expect(digamma(0)).toBe(Number.NEGATIVE_INFINITY);
    expect(digamma(-1)).toBeNaN();
  });
});
