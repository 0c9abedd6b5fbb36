/** Where one family becomes another. */
import { expect, test } from 'vitest';
import { familyOf } from '../../../packages/numerics/distributions/families.ts';
import type { ResponseFamily } from '../../../packages/numerics/distributions/family.ts';
import { expectNear, rounding } from '../../support/tolerance.ts';

function evaluate(family: ResponseFamily, y: number, eta: number[]): number[] {
  const gradient = new Float64Array(eta.length);
  return [family.gradient(y, Float64Array.from(eta), gradient), ...gradient];
}

test('the negative binomial of a large phi is Poisson, with no slope by phi left', () => {
  for (const logPhi of [40, 300, 690, 800]) {
    for (const [y, eta] of [
      [0, 0.3],
      [3, 1.2],
      [40, 3],
      [1000, 7],
    ] as const) {
      const [value, byMu, byPhi] = evaluate(familyOf('negative_binomial'), y, [eta, logPhi]);
      const [poisson, slope] = evaluate(familyOf('poisson'), y, [eta]);
      // What is left of log Γ(1001) and its like: some of 1e-15 of 6000.
      expectNear(value!, poisson!, rounding(1e-11));
      expectNear(byMu!, slope!, rounding(1e-11));
      expectNear(byPhi!, 0, rounding(1e-11));
      const eta2 = Float64Array.of(eta, logPhi);
      const share = familyOf('negative_binomial').cdf(y, eta2);
      expectNear(share, familyOf('poisson').cdf(y, eta2), rounding(1e-11));
    }
  }
});

test("Student's t of many degrees is normal", () => {
  for (const logNu of [60, 690, 800]) {
    for (const y of [-8, -0.4, 0, 3]) {
      const [value, byMu, bySigma, byNu] = evaluate(familyOf('student_t'), y, [0.2, 0.1, logNu]);
      const normal = evaluate(familyOf('gaussian'), y, [0.2, 0.1]);
      // The ratio z² / nu goes through a logarithm of size 700.
      [value, byMu, bySigma].forEach((v, k) => {
        expectNear(v!, normal[k]!, rounding(1e-11));
      });
      expectNear(byNu!, 0, rounding(1e-11));
    }
  }
});

test('behind a hurdle a vanishing mean leaves ones', () => {
  for (const eta of [-40, -300, -800]) {
    for (const [name, rest] of [
      ['hurdle_poisson', []],
      ['hurdle_negative_binomial', [0.5]],
    ] as const) {
      const family = familyOf(name);
      const [one, byMu] = evaluate(family, 1, [eta, ...rest, 0]);
      expectNear(one!, -Math.LN2, rounding(1e-12));
      expectNear(byMu!, 0, rounding(1e-12));
      const [three, slope] = evaluate(family, 3, [eta, ...rest, 0]);
      expect(three!).toBeLessThan(2 * eta + 3);
      expect(slope!).toBeCloseTo(2, 12);
      expect(family.mean(Float64Array.of(eta, ...rest, 0))).toBeCloseTo(0.5, 12);
    }
  }
});

test('where zero is certain or impossible, what has extra zeros is a constant or its base', () => {
  const base = evaluate(familyOf('poisson'), 0, [0.7])[0]!;
  expect(evaluate(familyOf('zero_inflated_poisson'), 0, [0.7, -800])[0]).toBeCloseTo(base, 14);
  expect(evaluate(familyOf('zero_inflated_poisson'), 0, [0.7, 800])).toEqual([0, 0, 0]);
  expect(evaluate(familyOf('zero_inflated_poisson'), 5, [0.7, 800])[0]).toBeLessThan(-799);
});
