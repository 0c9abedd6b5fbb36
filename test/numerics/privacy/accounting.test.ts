import { describe, expect, it } from 'vitest';
import { deltaOf, epsilonOf, ROUNDING, rhoOf } from '../../../packages/numerics/privacy/accounting.ts';
import { createCurator } from '../../../packages/numerics/privacy/curator.ts';
import { createStream } from '../../../packages/numerics/random/createStream.ts';
import { normalCdf } from '../../../packages/numerics/special/normal.ts';
import { expectNear, withinStandardErrors } from '../../support/tolerance.ts';

const PAIRS = [
  [0.1, 1e-9],
  [1, 1e-6],
  [1, 1e-2],
  [10, 1e-6],
  [100, 1e-12],
] as const;

describe('accounting by zCDP', () => {
  it.each(PAIRS)('finds the same ε again from the ρ of (%s, %s)', (epsilon, delta) => {
    const rho = rhoOf(epsilon, delta);
    expect(deltaOf(rho, epsilon)).toBeLessThanOrEqual(delta);
    // Both bisections end at the bits of a double.
    expect(epsilonOf(rho, delta) / epsilon).toBeCloseTo(1, 9);
  });

  it.each(PAIRS)(
    'allows more than the plain conversion of (%s, %s) and less than Gaussian noise alone',
    (epsilon, delta) => {
      const rho = rhoOf(epsilon, delta);
      const log = Math.log(1 / delta);
      // ρ + 2 √(ρ log 1/δ) = ε, of Bun and Steinke.
      expect(rho).toBeGreaterThan((Math.sqrt(log + epsilon) - Math.sqrt(log)) ** 2);
      // What a continuous Gaussian of μ = √(2ρ) costs is known exactly (Balle and Wang, 2018), and zCDP cannot say less.
      const mu = Math.sqrt(2 * rho);
      const exact = normalCdf(mu / 2 - epsilon / mu) - Math.exp(epsilon) * normalCdf(-mu / 2 - epsilon / mu);
      expect(exact).toBeLessThan(delta);
    },
  );

  it.each(PAIRS)('keeps to (%s, %s) by what a budget may be exceeded by, too', (epsilon, delta) => {
    expect(deltaOf(rhoOf(epsilon, delta) * (1 + ROUNDING), epsilon)).toBeLessThanOrEqual(delta);
  });

  it('agrees with the solver of OpenDP', () => {
    // Of `test_zCDP_to_approxDP_nontrivial`, to the last digits of a double.
    expect(epsilonOf(1 / 32, 1e-3)).toBeCloseTo(0.6880024554878086, 13);
    expect(deltaOf(1 / 32, 0)).toBeCloseTo(0.1508457845622862, 13);
  });

  it('costs nothing where nothing is released, and more where more is', () => {
    expect(deltaOf(0, 1)).toBe(0);
    expect(epsilonOf(0, 1e-6)).toBe(0);
    expect(epsilonOf(0.02, 1e-6)).toBeLessThan(epsilonOf(0.04, 1e-6));
    expect(rhoOf(1, 1e-9)).toBeLessThan(rhoOf(1, 1e-6));
  });

  it.each([0, 1, -1, Number.NaN])('knows no δ of %s', (delta) => {
    expect(() => rhoOf(1, delta)).toThrow(RangeError);
  });
});

describe('a curator', () => {
  const stream = createStream(1, 'bytes');
  const bytes = (count: number) => Uint8Array.from({ length: count }, () => stream.integer(256));

  it('adds up what answers cost and refuses what is beyond the budget', () => {
    const curator = createCurator(0.5, bytes);
    curator.count(Int32Array.of(1, 2, 3), 0.3);
    curator.choose([1, 5], 0.2);
    expect(curator.spent()).toBeCloseTo(0.5, 12);
    expect(() => curator.choose([1, 5], 1e-6)).toThrow('budget');
    expect(() => curator.count(Int32Array.of(1), 0)).toThrow('budget');
  });

  it('lets a budget be spent to its end in parts whose sum doubles do not hold', () => {
    const [budget, parts] = [rhoOf(1, 1e-6), 3000];
    const curator = createCurator(budget, bytes);
    for (let part = 0; part < parts; part++) curator.choose([0], budget / parts);
    expect(deltaOf(curator.spent(), 1)).toBeLessThanOrEqual(1e-6);
    expect(() => curator.choose([0], budget / parts)).toThrow('budget');
  });

  it('gives noise the variance that the cost allows', () => {
    const curator = createCurator(1, bytes);
    const { counts, variance } = curator.count(new Int32Array(4000).fill(100), 0.125);
    expect(variance).toBeCloseTo(4, 5);
    const spread = counts.reduce((sum, count) => sum + (count - 100) ** 2, 0) / counts.length;
    // The standard error of a variance of 4 over 4,000 draws is 0.09.
    expectNear(spread, 4, withinStandardErrors(5, 0.09));
  });
});
