import { describe, expect, test } from 'vitest';
import { cholesky, solveLower, solveLowerTransposed } from '../../../packages/numerics/linalg/dense.ts';
import {
  fromWhite,
  solveLowerInPlace,
  solveLowerTransposedInPlace,
  whiten,
} from '../../../packages/numerics/mcmc/whiten.ts';
import { createStream } from '../../../packages/numerics/random/createStream.ts';
import { exact, expectNear } from '../../support/tolerance.ts';
import { banana, correlatedNormal } from './densities.ts';

describe('triangular solves in place', () => {
  test.each([1, 2, 3, 4, 5, 8, 11, 64, 67])('are the plain ones, for n = %i', (n) => {
    const stream = createStream(n, 'triangular');
    const l = new Float64Array(n * n);
    for (let i = 0; i < n; i++) {
      // What lies above the diagonal may not be read.
      for (let j = 0; j < n; j++) l[i * n + j] = j > i ? Number.NaN : stream.normal() / n + (i === j ? 1 : 0);
    }
    const b = Float64Array.from({ length: n }, stream.normal);
    for (const [fast, plain] of [
      [solveLowerInPlace, solveLower],
      [solveLowerTransposedInPlace, solveLowerTransposed],
    ] as const) {
      const x = b.slice();
      fast(l, n, x);
      const expected = plain(l, n, b);
      // the order of the sums differs
      x.forEach((value, i) => {
        expectNear(value, expected[i]!, exact(1e-11));
      });
    }
  });
});

describe('a whitened density', () => {
  test('has the gradient that finite differences have', () => {
    const whitening = { mode: Float64Array.of(0.3, -0.4), factor: Float64Array.of(2, 0, -0.7, 0.5) };
    const density = whiten(banana, whitening);
    const z = Float64Array.of(0.4, -0.8);
    const gradient = new Float64Array(2);
    density.evaluate(z, gradient);
    const scratch = new Float64Array(2);
    z.forEach((_, i) => {
      const at = (by: number): number => density.evaluate(z.with(i, z[i]! + by), scratch);
      // central differences: h² / 6 of third derivatives of order 10
      expect((at(1e-5) - at(-1e-5)) / 2e-5).toBeCloseTo(gradient[i]!, 7);
    });
  });

  test('is standard normal where the density is normal', () => {
    const s = 1 / (1 - 0.81);
    const hessian = Float64Array.of(s, (-0.9 * s) / 20, (-0.9 * s) / 20, s / 400);
    const whitening = { mode: Float64Array.of(3, -5), factor: cholesky(hessian, 2)! };
    const density = whiten(correlatedNormal, whitening);
    const gradient = new Float64Array(2);
    expect(density.evaluate(Float64Array.of(1, -2), gradient)).toBeCloseTo(-2.5, 12);
    expect(gradient[0]).toBeCloseTo(-1, 12);
    expect(gradient[1]).toBeCloseTo(2, 12);
    const x = new Float64Array(2);
    fromWhite(whitening, new Float64Array(2), x);
    expect([...x]).toEqual([3, -5]);
  });
});
