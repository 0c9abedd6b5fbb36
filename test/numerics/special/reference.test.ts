/** The special functions against 60-digit arithmetic (reference.py made reference.json). */
import { describe, expect, test } from 'vitest';
import {
  digamma,
  gammaNormaliser,
  gammaRise,
  lgamma,
  lgammaDigamma,
} from '../../../packages/numerics/special/gamma.ts';
import { betaP, gammaP, gammaQ, studentTCdf } from '../../../packages/numerics/special/incomplete.ts';
import { exact, expectNear, relative, rounding } from '../../support/tolerance.ts';
import reference from './reference.json' with { type: 'json' };

const at = (row: readonly number[]): string => `at ${row.join(', ')}`;
const tuples = (rows: number[][]): [number, number, number, number, number][] =>
  rows.map((row) => [row[0]!, row[1]!, row[2]!, row[3]!, row[4]!]);

describe('the gamma function', () => {
  const rows = tuples(reference.gamma);

  test('log Γ is right to 1e-13, near its zeros at 1 and 2 too', () => {
    for (const row of rows) expectNear(lgamma(row[0]), row[1], relative(1e-13), at(row));
  });

  test('ψ is right to 1e-13', () => {
    for (const row of rows) expectNear(digamma(row[0]), row[2], exact(1e-13), at(row));
  });

  test('the pair is what the two are, and names the same ends', () => {
    const pair = new Float64Array(2);
    for (const [x] of rows) {
      lgammaDigamma(x, pair);
      expectNear(pair[0]!, lgamma(x), relative(1e-14));
      expectNear(pair[1]!, digamma(x), exact(1e-14));
    }
    for (const x of [0, -1, Number.POSITIVE_INFINITY, Number.NaN]) {
      lgammaDigamma(x, pair);
      expect([...pair]).toEqual([lgamma(x), digamma(x)]);
    }
  });
});

test('ratios of gamma functions keep their digits where the terms cancel', () => {
  const out = new Float64Array(2);
  for (const row of tuples(reference.rise)) {
    const [x, a, rise, slope, normaliser] = row;
    gammaRise(x, Math.log(x), a, out);
    // What cancels is of size a: some of its last digits may go.
    expectNear(out[0]!, rise, rounding(1e-13 * Math.max(1, a, Math.abs(rise))), at(row));
    expectNear(out[1]!, slope, rounding(1e-13 * Math.max(1, a)), at(row));
    gammaNormaliser(x, Math.log(x), out);
    expectNear(out[0]!, normaliser, exact(1e-13), at(row));
  }
});

describe('the incomplete gamma function', () => {
  test('has both tails to 1e-12', () => {
    for (const row of tuples(reference.incompleteGamma)) {
      const [a, x, p, q] = row;
      if (p > 1e-12) expectNear(gammaP(a, x), p, relative(1e-12), at(row));
      if (q > 1e-12) expectNear(gammaQ(a, x), q, relative(1e-12), at(row));
    }
  });

  test('is continuous where its method changes', () => {
    for (const a of [25, 40, 300]) {
      for (const edge of [0.7, 1.3]) {
        const [below, above] = [edge * a * (1 - 4e-16), edge * a * (1 + 4e-16)] as const;
        expectNear(gammaP(a, below), gammaP(a, above), relative(1e-12));
        expectNear(gammaQ(a, below), gammaQ(a, above), relative(1e-12));
      }
    }
  });

  test('is a normal distribution, but for 1/√a, for a shape beyond all counting', () => {
    expect(gammaP(2 ** 70, 2 ** 70)).toBeCloseTo(0.5, 10);
    expect(gammaP(2 ** 70, 2 ** 70 + 2 ** 36)).toBeCloseTo(0.9772498680518208, 10);
  });

  test('names its ends', () => {
    expect([gammaP(2, 0), gammaQ(2, 0), gammaP(2, -3), gammaP(0, 1)]).toEqual([0, 1, 0, 1]);
    expect([gammaP(2, Number.POSITIVE_INFINITY), gammaQ(2, Number.POSITIVE_INFINITY)]).toEqual([1, 0]);
    expect(gammaP(-1, 1)).toBeNaN();
    expect(gammaP(1, Number.NaN)).toBeNaN();
  });
});

describe('the incomplete beta function', () => {
  test('is right to 1e-12, to 4e-12 where a and b are above 100,000', () => {
    for (const row of tuples(reference.incompleteBeta)) {
      const [a, b, x, p] = row;
      // An ulp of x moves the share by (a + b) ulps and less.
      if (p > 1e-12) expectNear(betaP(a, b, x), p, relative(Math.min(a, b) > 1e5 ? 4e-12 : 1e-12), at(row));
    }
  });

  test('its two sides make 1', () => {
    for (const row of tuples(reference.incompleteBeta)) {
      const [a, b, x] = row;
      expect(betaP(a, b, x, 1 - x) + betaP(b, a, 1 - x, x), at(row)).toBeCloseTo(1, 13);
    }
  });

  test('has its uniform limit go on where the fraction stops', () => {
    for (const z of [-6, -2, -0.3, 0, 1e-6, 1, 4]) {
      const share = (n: number): number => betaP(n, 2 * n, 1 / 3 + (z * Math.sqrt(2 / 27)) / Math.sqrt(n));
      // Between them 1/√n, and with it the share, moves by 1e-11 of the density.
      expectNear(share(1e8), share(1e8 * (1 + 1e-6)), rounding(1e-10));
    }
  });

  test('names its ends, and stays a share for parameters beyond all counting', () => {
    expect([betaP(2, 3, 0), betaP(2, 3, 1), betaP(2, 3, -1), betaP(2, 3, 2)]).toEqual([0, 1, 0, 1]);
    expect([betaP(0, 3, 0.2), betaP(2, 0, 0.2)]).toEqual([1, 0]);
    expect(betaP(2, 3, Number.NaN)).toBeNaN();
    const sizes = [1e-300, 1e-10, 1, 1e10, 1e300];
    for (const a of sizes) {
      for (const b of sizes) {
        for (const x of [1e-300, 1e-10, 0.5, 1 - 1e-10]) {
          const p = betaP(a, b, x);
          expect(p >= 0 && p <= 1, `a = ${a}, b = ${b}, x = ${x}: ${p}`).toBe(true);
        }
      }
    }
  });
});

describe("Student's t", () => {
  test('has its tail to 1e-11', () => {
    // 1e-12, but that an ulp of t moves a tail of 1e-87 by 400 of its own.
    for (const row of tuples(reference.studentT)) {
      expectNear(studentTCdf(row[0], row[1]), row[2], relative(1e-11), at(row));
      expect(studentTCdf(-row[0], row[1]) + row[2]).toBeCloseTo(1, 14);
    }
  });

  test('is known at its ends and far outside', () => {
    expect([Number.NEGATIVE_INFINITY, 0, Number.POSITIVE_INFINITY].map((t) => studentTCdf(t, 3))).toEqual([0, 0.5, 1]);
    expectNear(studentTCdf(-1e200, 1), 1e-200 / Math.PI, relative(1e-12));
    expect(studentTCdf(-1.96, 1e300)).toBeCloseTo(0.0249978951482204, 13);
    expect(studentTCdf(Number.NaN, 3)).toBeNaN();
  });
});
