import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  FAMILIES,
  FAMILY_NAMES,
  familyOf,
  TRUNCATED_NAMES,
} from '../../../packages/numerics/distributions/families.ts';
import type { ResponseFamily } from '../../../packages/numerics/distributions/family.ts';
import { createStream } from '../../../packages/numerics/random/createStream.ts';
import { approximation, difference, expectNear, rounding } from '../../support/tolerance.ts';
import { arbitraryEta, arbitraryY, tameEta, wildEta } from './arbitraries.ts';
import { between, drawBetweenAtoms, isAtom, moments } from './integrate.ts';

function gradientOf(family: ResponseFamily, y: number, eta: Float64Array): Float64Array {
  const out = new Float64Array(eta.length);
  family.gradient(y, eta, out);
  return out;
}

/** Fourth-order central difference. */
function centralSlope(
  family: ResponseFamily,
  y: number,
  eta: Float64Array,
  k: number,
): { slope: number; error: number } {
  // A location moves on the scale of its family.
  const unit = family.parameters[k]!.link === 'identity' ? Math.exp(eta[1]!) : 1;
  const h = 1e-3 * unit;
  const at = (steps: number): number => {
    const moved = eta.slice();
    moved[k]! += steps * h;
    return family.logDensity(y, moved);
  };
  const values = [at(-2), at(-1), at(1), at(2)] as const;
  const slope = (values[0] - 8 * values[1] + 8 * values[2] - values[3]) / (12 * h);
  // Truncation: h⁴ times a fifth derivative, of the size of what is moved. Rounding: some ulps of the largest term over h,
  // and the slope times some ulps of what the location is compared with.
  const size = Math.max(1, ...values.map(Math.abs));
  const location = unit === 1 ? 0 : Math.abs(y) + Math.abs(eta[k]!);
  const rounding = (64e-15 * size + 4e-15 * location * Math.abs(slope)) / h;
  return { slope, error: rounding + (30e-12 * size) / unit };
}

describe.each([...FAMILIES, ...TRUNCATED_NAMES.map(familyOf)])('$name', (family) => {
  test('has the gradient that finite differences have', () => {
    fc.assert(
      fc.property(arbitraryEta(family), arbitraryY(family), (eta, y) => {
        const gradient = gradientOf(family, y, eta);
        for (let k = 0; k < eta.length; k++) {
          const { slope, error } = centralSlope(family, y, eta, k);
          expectNear(gradient[k]!, slope, difference(error), `by ${family.parameters[k]!.name}`);
        }
      }),
      { numRuns: 400, seed: 1 },
    );
  });

  test('is never NaN: for any predictors and data the density is a number or none, its gradient finite with it', () => {
    const far = [0, 1, 2, 1e6, 2 ** 53, 5e-324, 1e-300, 1e-20, 0.5, 1 - 2 ** -53, 1e300, -1e300, -3.5];
    const y = fc.constantFrom(...far.filter((value) => family.support.holds(value)));
    fc.assert(
      fc.property(wildEta(family), y, (eta, y) => {
        const gradient = new Float64Array(eta.length);
        const value = family.gradient(y, eta, gradient);
        expect(value).toBeLessThan(Number.POSITIVE_INFINITY);
        expect(Math.abs(value - family.logDensity(y, eta)) || 0).toBeLessThanOrEqual(1e-13 * Math.abs(value) || 0);
        if (value > Number.NEGATIVE_INFINITY) {
          for (const slope of gradient) expect(Number.isFinite(slope), `${value}: ${gradient.join()}`).toBe(true);
        }
      }),
      { numRuns: 2000, seed: 2 },
    );
  });

  test('is never NaN: cdf, mean and draws of any predictors are shares, a number and within the support', () => {
    const random = createStream(12, family.name);
    const y = fc.constantFrom(Number.NEGATIVE_INFINITY, -1e300, -1, 0, 1e-300, 0.5, 1, 3, 1e6, 1e300, Number.MAX_VALUE);
    fc.assert(
      fc.property(wildEta(family), y, (eta, y) => {
        const [at, below] = [family.cdf(y, eta), family.cdfBelow(y, eta)];
        // A hurdle's cdf loses digits where phi is below 1e-6.
        expect(below >= 0 && below <= at + 1e-7 && at <= 1, `${below} ≤ ${at}`).toBe(true);
        expect(family.mean(eta)).not.toBeNaN();
        const draw = family.draw(eta, random);
        expect(family.support.holds(draw), `${draw}`).toBe(true);
      }),
      { numRuns: 1000, seed: 3 },
    );
  });

  test('has a cdf that rises from 0 to 1, and knows no value of NaN', () => {
    fc.assert(
      fc.property(arbitraryEta(family), arbitraryY(family), arbitraryY(family), (eta, a, b) => {
        expect(family.cdf(Math.min(a, b), eta)).toBeLessThanOrEqual(family.cdf(Math.max(a, b), eta) + 1e-14);
      }),
      { numRuns: 200, seed: 4 },
    );
    const eta = Float64Array.from(family.parameters, () => 0.3);
    expect([family.cdf(Number.NEGATIVE_INFINITY, eta), family.cdf(Number.POSITIVE_INFINITY, eta)]).toEqual([0, 1]);
    expect([family.cdfBelow(Number.NEGATIVE_INFINITY, eta), family.cdfBelow(Number.POSITIVE_INFINITY, eta)]).toEqual([
      0, 1,
    ]);
    expect(family.cdf(Number.NaN, eta)).toBeNaN();
    expect(family.cdfBelow(Number.NaN, eta)).toBeNaN();
  });

  test('has mass at its atoms and nowhere else: what the cdf leaps there is the density', () => {
    fc.assert(
      fc.property(arbitraryEta(family), fc.oneof(fc.constantFrom(0, 1), arbitraryY(family)), (eta, y) => {
        const leap = family.cdf(y, eta) - family.cdfBelow(y, eta);
        const mass = isAtom(family, y) ? Math.exp(family.logDensity(y, eta)) : 0;
        // Two shares below 1, each right to 1e-12.
        expectNear(leap, mass, rounding(2e-12));
      }),
      { numRuns: 300, seed: 5 },
    );
  });

  test('has a cdf that is the integral or the sum of its density', () => {
    const random = createStream(13, family.name);
    fc.assert(
      fc.property(arbitraryEta(family), (eta) => {
        const [a, b] = [drawBetweenAtoms(family, eta, random), drawBetweenAtoms(family, eta, random)];
        // Nearer to 1 a share is too coarse for the integral; the other end shows the same.
        const end = family.support.holds(1.5) ? 3000 : 0.99;
        const [low, high] = [Math.min(a, b), Math.max(a, b)];
        if (low === high || high > end) return;
        const share = family.cdfBelow(high, eta) - family.cdf(low, eta);
        // The cdf's 1e-12, twice, and the rule's 1e-11.
        expectNear(share, between(family, eta, low, high), approximation(2e-11));
      }),
      { numRuns: 30, seed: 6 },
    );
  });

  test('has the mean, and the mass of 1, that sums and integrals over all values give', () => {
    fc.assert(
      fc.property(tameEta(family), (eta) => {
        const whole = moments(family, eta);
        expectNear(whole.mass, 1, approximation(1e-9));
        // Far tails are cut where 1e-9 of the mean may be left.
        const mean = family.mean(eta);
        expectNear(whole.mean, mean, approximation(1e-8 * Math.max(1, Math.abs(mean))));
      }),
      { numRuns: 8, seed: 7 },
    );
  });

  test('draws what its cdf says', () => {
    const random = createStream(14, family.name);
    const settings = fc.sample(arbitraryEta(family), { numRuns: 6, seed: 8 });
    for (const eta of settings) {
      // The place of a draw within its leap is drawn too: then places are uniform, and Kolmogorov's limit holds.
      const places = Float64Array.from({ length: 3000 }, () => {
        const y = family.draw(eta, random);
        const below = family.cdfBelow(y, eta);
        return below + random.uniform() * (family.cdf(y, eta) - below);
      }).sort();
      let gap = 0;
      places.forEach((u, i) => {
        gap = Math.max(gap, u - i / places.length, (i + 1) / places.length - u);
      });
      // One right generator in 100,000 is beyond 2.47 / √n; here are 19 · 6 of them, at a fixed seed.
      expect(gap, eta.join()).toBeLessThan(2.47 / Math.sqrt(places.length));
    }
  });

  test('holds what it can be, and no more', () => {
    const held = [-1, 0, 1e-9, 0.5, 1, 1.5, 2, Number.NaN, Number.POSITIVE_INFINITY].filter(family.support.holds);
    expect(held).toEqual(SUPPORTS[family.support.words]);
  });
});

const SUPPORTS: Record<string, number[]> = {
  numbers: [-1, 0, 1e-9, 0.5, 1, 1.5, 2],
  'numbers above 0': [1e-9, 0.5, 1, 1.5, 2],
  'numbers from 0': [0, 1e-9, 0.5, 1, 1.5, 2],
  'numbers above 0 and below 1': [1e-9, 0.5],
  'numbers from 0 and below 1': [0, 1e-9, 0.5],
  'numbers above 0 and up to 1': [1e-9, 0.5, 1],
  'numbers from 0 to 1': [0, 1e-9, 0.5, 1],
  'whole numbers from 0': [0, 1, 2],
  'whole numbers from 1': [1, 2],
  '0 and 1': [0, 1],
};

test('every name has its family', () => {
  for (const name of [...FAMILY_NAMES, ...TRUNCATED_NAMES]) expect(familyOf(name).name).toBe(name);
  expect(FAMILIES.map((family) => family.name)).toEqual(FAMILY_NAMES);
});
