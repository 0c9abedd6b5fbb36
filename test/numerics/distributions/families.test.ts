import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FAMILIES, familyOf } from '../../../numerics/distributions/families.ts';
import { FAMILY_NAMES, type ResponseFamily } from '../../../numerics/distributions/family.ts';

const logits = (name: string): boolean => name === 'zero' || name === 'one';

/** Predictors where data live: means from e^-4 to e^5, scales and shapes from e^-3 to e^6. */
function arbitraryEta(family: ResponseFamily): fc.Arbitrary<Float64Array> {
  const ranges = family.parameters.map(({ name, link }, k) => {
    if (logits(name) || link === 'logit') return fc.double({ min: -6, max: 6, noNaN: true });
    return k === 0 ? fc.double({ min: -4, max: 5, noNaN: true }) : fc.double({ min: -3, max: 6, noNaN: true });
  });
  return fc.tuple(...ranges).map((eta) => Float64Array.from(eta));
}

/** Values in the support, near and far. */
function arbitraryY(family: ResponseFamily): fc.Arbitrary<number> {
  const candidates = [
    fc.constantFrom(0, 1, 2, 3, 7, 30, 400),
    fc.double({ min: -30, max: 30, noNaN: true }),
    fc.double({ min: -9, max: 6, noNaN: true }).map(Math.exp),
    fc.double({ min: 1e-6, max: 1 - 1e-6, noNaN: true }),
    fc.integer({ min: 0, max: 1000 }),
  ];
  return fc.oneof(...candidates).filter((y) => family.support.holds(y));
}

function gradientOf(family: ResponseFamily, y: number, eta: Float64Array): Float64Array {
  const out = new Float64Array(eta.length);
  family.gradient(y, eta, out);
  return out;
}

/** Fourth-order central difference. */
function difference(family: ResponseFamily, y: number, eta: Float64Array, k: number): { slope: number; error: number } {
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

describe.each(FAMILIES)('$name', (family) => {
  test('has the gradient that finite differences have', () => {
    fc.assert(
      fc.property(arbitraryEta(family), arbitraryY(family), (eta, y) => {
        const gradient = gradientOf(family, y, eta);
        for (let k = 0; k < eta.length; k++) {
          const { slope, error } = difference(family, y, eta, k);
          expect(Math.abs(gradient[k]! - slope), `by ${family.parameters[k]!.name}`).toBeLessThan(error);
        }
      }),
      { numRuns: 400, seed: 1 },
    );
  });
});

test('every name has its family', () => {
  for (const name of FAMILY_NAMES) expect(familyOf(name).name).toBe(name);
});
