import { describe, expect, it } from 'vitest';
import { restorePair } from '../../../packages/numerics/copula/restorePair.ts';
import { fitTll, normalScores } from '../../../packages/numerics/copula/tll/fitTll.ts';
import { gridScores } from '../../../packages/numerics/copula/tll/grid.ts';
import { kernelMoments } from '../../../packages/numerics/copula/tll/kernelMoments.ts';
import { createStream } from '../../../packages/numerics/random/createStream.ts';
import { approximation, difference, expectNear, rounding } from '../../support/tolerance.ts';
import { claytonPair, simulatePair } from './support/referencePairs.ts';

const DEGREES = ['constant', 'linear', 'quadratic'] as const;
const POINTS = [0.0003, 0.02, 0.2, 0.45, 0.7, 0.93, 0.9995];
const sample = (n: number) => simulatePair(claytonPair(2.2, { turned: true }), n, createStream(3, 'tll'));

describe.each(DEGREES)('TLL, %s', (degree) => {
  const { u, v } = sample(800);
  const pair = fitTll(u, v, degree);

  it('has uniform margins to 1e-12', () => {
    for (const x of POINTS) {
      expectNear(pair.cdf(x, 1), x, rounding(1e-12));
      // Just inside, where no edge case answers for it.
      expectNear(pair.cdf(x, 1 - 1e-13), x, rounding(1e-12));
      expectNear(pair.h1(x, 1 - 1e-13), 1, rounding(1e-10));
      expectNear(pair.h2(1 - 1e-13, x), 1, rounding(1e-10));
    }
  });

  it('has h-functions that are derivatives of its cdf and inverses that invert them', () => {
    const step = 1e-6;
    for (const a of POINTS) {
      for (const b of POINTS) {
        // Of piecewise cubic functions away from nodes: differences are exact but for rounding, 1e-16 / 1e-6.
        expectNear((pair.cdf(a + step, b) - pair.cdf(a - step, b)) / (2 * step), pair.h1(a, b), difference(1e-8));
        expectNear((pair.cdf(a, b + step) - pair.cdf(a, b - step)) / (2 * step), pair.h2(a, b), difference(1e-8));
        const density = Math.exp(pair.logDensity(a, b));
        expectNear(
          (pair.h1(a, b + step) - pair.h1(a, b - step)) / (2 * step),
          density,
          difference(1e-7 * (1 + density)),
        );
        expectNear(pair.h1(a, pair.inverseH1(a, b)), b, rounding(1e-12));
        expectNear(pair.h2(pair.inverseH2(b, a), a), b, rounding(1e-12));
      }
    }
  });

  it('has the τ of its cdf over a grid, to 1e-3', () => {
    const n = 60;
    let sum = 0;
    for (let i = 0; i < n; i++) {
      for (let j = 0; j < n; j++) {
        const a = (i + 0.5) / n;
        sum += pair.cdf(a, pair.inverseH1(a, (j + 0.5) / n));
      }
    }
    expectNear((4 * sum) / n ** 2 - 1, pair.tau(), approximation(1e-3));
  });

  it('comes back from what it saves, bit by bit, array forms included', () => {
    const again = restorePair(JSON.parse(JSON.stringify(pair.save())));
    const [a, b] = [new Float64Array(u.length), new Float64Array(u.length)];
    pair.h1Into(u, v, a);
    again.h1Into(u, v, b);
    expect([...b]).toEqual([...a]);
    expect(a[5]).toBe(pair.h1(u[5]!, v[5]!));
    expect(again.parameterCount).toBe(pair.parameterCount);
  });

  it('is a copula of comonotone data, of one row and of equal rows', () => {
    const line = Float64Array.from({ length: 500 }, (_, i) => (i + 1) / 501);
    for (const [x, y] of [
      [line, line],
      [line, line.toReversed()],
      [Float64Array.of(0.5), Float64Array.of(0.5)],
      [new Float64Array(9).fill(0.4), new Float64Array(9).fill(0.6)],
    ] as const) {
      const fit = fitTll(x, y, degree);
      for (const a of POINTS) {
        for (const b of POINTS) {
          const values = [
            fit.cdf(a, b),
            fit.h1(a, b),
            fit.h2(a, b),
            fit.inverseH1(a, b),
            fit.inverseH2(a, b),
            Math.exp(fit.logDensity(a, b)),
          ];
          for (const value of values) expect(Number.isFinite(value) && value >= 0).toBe(true);
        }
        expectNear(fit.h1(a, 1 - 1e-12), 1, approximation(1e-6));
      }
      expect(Number.isFinite(fit.parameterCount)).toBe(true);
    }
    expect(fitTll(line, line, degree).tau()).toBeGreaterThan(0.85);
  });
});

describe('kernel moments', () => {
  it('on bins are those of the rows themselves', () => {
    const { u, v } = sample(300);
    const [x, y, scores] = [normalScores(u), normalScores(v), gridScores(30)];
    const [rho, size] = [-0.55, 0.4];
    const moments = kernelMoments(x, y, rho, size, scores);
    const root = Math.sqrt(1 - rho * rho);
    for (const [i, j] of [
      [3, 25],
      [10, 18],
      [15, 15],
      [20, 8],
      [14, 20],
    ] as const) {
      const slow = [0, 0, 0, 0, 0, 0];
      for (let k = 0; k < x.length; k++) {
        const d1 = (x[k]! - scores[i]!) / size;
        const d2 = ((y[k]! - rho * x[k]!) / root - (scores[j]! - rho * scores[i]!) / root) / size;
        const kernel = Math.exp(-0.5 * (d1 * d1 + d2 * d2));
        [1, d1, d2, d1 * d1, d1 * d2, d2 * d2].forEach((power, m) => {
          slow[m]! += kernel * power;
        });
      }
      const at = i * 30 + j;
      const fast = [moments.sum, moments.first1, moments.first2, moments.second11, moments.second12, moments.second22];
      // Cubic binning of an eighth of the kernel's deviation errs by about (1/8)^4 / 40 of the fourth derivative.
      fast.forEach((values, m) => {
        expectNear(values[at]!, slow[m]!, approximation(1e-4 * slow[0]! + 1e-4));
      });
    }
  });
});
