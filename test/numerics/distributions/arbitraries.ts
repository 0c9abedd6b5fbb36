/** Predictors and values for properties that hold for every family. */
import * as fc from 'fast-check';
import type { ResponseFamily } from '../../../packages/numerics/distributions/family.ts';

const logits = (name: string): boolean => name === 'zero' || name === 'one';

/** Predictors where data live: means from e^-4 to e^5, scales and shapes from e^-3 to e^6. */
export function arbitraryEta(family: ResponseFamily): fc.Arbitrary<Float64Array> {
  const ranges = family.parameters.map(({ name, link }, k) => {
    if (logits(name) || link === 'logit') return fc.double({ min: -6, max: 6, noNaN: true });
    return k === 0 ? fc.double({ min: -4, max: 5, noNaN: true }) : fc.double({ min: -3, max: 6, noNaN: true });
  });
  return fc.tuple(...ranges).map((eta) => Float64Array.from(eta));
}

/** Predictors beyond all reason: every exponential under- or overflows somewhere. */
export function wildEta(family: ResponseFamily): fc.Arbitrary<Float64Array> {
  const size = fc.oneof(
    fc.double({ min: -800, max: 800, noNaN: true }),
    fc.constantFrom(-800, -745.2, -709.8, -690, -37, -1e-9, 0, 36.8, 690, 709.8, 800),
  );
  return fc.tuple(...family.parameters.map(() => size)).map((eta) => Float64Array.from(eta));
}

/** Values in the support, near and far. */
export function arbitraryY(family: ResponseFamily): fc.Arbitrary<number> {
  const candidates = [
    fc.constantFrom(0, 1, 2, 3, 7, 30, 400),
    fc.double({ min: -30, max: 30, noNaN: true }),
    fc.double({ min: -9, max: 6, noNaN: true }).map(Math.exp),
    fc.double({ min: 1e-6, max: 1 - 1e-6, noNaN: true }),
    fc.integer({ min: 0, max: 1000 }),
  ];
  return fc.oneof(...candidates).filter((y) => family.support.holds(y));
}

/** Predictors of families with tails that end within the reach of a sum, and that do not lean on 1 where doubles are coarse. */
export function tameEta(family: ResponseFamily): fc.Arbitrary<Float64Array> {
  const ranges: Record<string, [number, number]> = {
    sigma: [-2, 0.5],
    nu: [-0.5, 3],
    shape: [-0.5, 4],
    phi: [-0.5, 3],
  };
  const unit = family.parameters[0]!.link === 'logit';
  const values = family.parameters.map(({ name }) => {
    const [min, max] =
      name === 'mu' ? (unit ? [-3, -1] : [-2, 2.5]) : unit && name === 'phi' ? [2, 4] : (ranges[name] ?? [-4, 4]);
    return fc.double({ min, max, noNaN: true });
  });
  return fc.tuple(...values).map((eta) => Float64Array.from(eta));
}
