import { describe, expect, test } from 'vitest';
import { createStream } from '../../../packages/numerics/random/createStream.ts';
import {
  drawBeta,
  drawLogGamma,
  drawNegativeBinomial,
  drawNonzeroNegativeBinomial,
  drawNonzeroPoisson,
  drawPoisson,
  drawStudentT,
} from '../../../packages/numerics/random/draws.ts';
import type { RandomStream } from '../../../packages/numerics/random/stream.ts';
import { betaP, gammaP, gammaQ, studentTCdf } from '../../../packages/numerics/special/incomplete.ts';
import { expectNear, withinStandardErrors } from '../../support/tolerance.ts';

const N = 4000;
const random = createStream(21, 'draws');

/** Kolmogorov's distance of draws to a cdf, times √n; a count's place within its leap is drawn. */
function distance(
  draw: (random: RandomStream) => number,
  cdf: (y: number) => number,
  { whole }: { whole: boolean },
): number {
  const places = Float64Array.from({ length: N }, () => {
    const y = draw(random);
    const below = whole ? cdf(y - 1) : cdf(y);
    return below + random.uniform() * (cdf(y) - below);
  }).sort();
  let gap = 0;
  places.forEach((u, i) => {
    gap = Math.max(gap, u - i / N, (i + 1) / N - u);
  });
  return gap * Math.sqrt(N);
}

/** One right generator in 100,000 is farther; the seed is fixed. */
const LIMIT = 2.47;

function moments(draw: () => number): { mean: number; variance: number } {
  const draws = Float64Array.from({ length: 20_000 }, draw);
  const mean = draws.reduce((sum, y) => sum + y, 0) / draws.length;
  return { mean, variance: draws.reduce((sum, y) => sum + (y - mean) ** 2, 0) / draws.length };
}

describe('Poisson draws', () => {
  const cdf = (mean: number) => (y: number) => (y < 0 ? 0 : gammaQ(y + 1, mean));

  test.each([1e-3, 0.4, 3, 9.99, 10, 31, 250, 1e4, 1e7, 1e12])('of mean %f have the right cdf', (mean) => {
    expect(distance((stream) => drawPoisson(mean, stream), cdf(mean), { whole: true })).toBeLessThan(LIMIT);
  });

  test.each([9.9, 10.1, 500])('of mean %f have that mean, and as variance too', (mean) => {
    const { mean: m, variance } = moments(() => drawPoisson(mean, random));
    // Five standard errors: √(mean / n), and √(2 / n) of the variance and a little.
    expectNear(m, mean, withinStandardErrors(5, Math.sqrt(mean / 20_000)));
    expectNear(variance / mean, 1, withinStandardErrors(5, Math.sqrt((2 + 1 / mean) / 20_000)));
  });

  test('of mean 0 are 0, of means beyond whole numbers have a size, and of none are refused', () => {
    expect(drawPoisson(0, random)).toBe(0);
    expect(drawPoisson(1e30, random) / 1e30).toBeCloseTo(1, 12);
    expect(drawPoisson(Number.POSITIVE_INFINITY, random)).toBeGreaterThan(1e308);
    expect(() => drawPoisson(-1, random)).toThrow('a Poisson mean is from 0, not -1');
    expect(() => drawPoisson(Number.NaN, random)).toThrow(RangeError);
  });

  test.each([1e-300, 1e-4, 0.7, 12, 400])('that are not 0, of mean %f, have the cdf without it', (mean) => {
    const cut = (y: number): number => (y < 1 ? 0 : 1 - Math.min(1, gammaP(y + 1, mean) / -Math.expm1(-mean)));
    expect(distance((stream) => drawNonzeroPoisson(mean, stream), cut, { whole: true })).toBeLessThan(LIMIT);
  });
});

describe('negative binomial draws', () => {
  const settings = [
    [0.5, 0.3],
    [4, 2],
    [30, 0.05],
    [200, 40],
    [3, 1e8],
  ] as const;

  test.each(settings)('of mean %f and phi %f have the right cdf', (mean, phi) => {
    const cdf = (y: number): number => (y < 0 ? 0 : betaP(phi, y + 1, phi / (phi + mean), mean / (phi + mean)));
    const draw = (stream: RandomStream): number => drawNegativeBinomial(Math.log(mean), Math.log(phi), stream);
    expect(distance(draw, cdf, { whole: true })).toBeLessThan(LIMIT);
  });

  test.each([...settings, [0.01, 0.5], [20, 1e-4]] as const)(
    'that are not 0, of mean %f and phi %f, have the cdf without it',
    (mean, phi) => {
      const some = -Math.expm1(-phi * Math.log1p(mean / phi));
      const cut = (y: number): number =>
        y < 1 ? 0 : 1 - betaP(y + 1, phi, mean / (phi + mean), phi / (phi + mean)) / some;
      const draw = (stream: RandomStream): number => drawNonzeroNegativeBinomial(Math.log(mean), Math.log(phi), stream);
      expect(distance(draw, cut, { whole: true })).toBeLessThan(LIMIT);
    },
  );

  test('have the mean mu and the variance mu + mu² / phi', () => {
    const { mean, variance } = moments(() => drawNegativeBinomial(Math.log(6), Math.log(3), random));
    expectNear(mean, 6, withinStandardErrors(5, Math.sqrt(18 / 20_000)));
    // The fourth moment makes the variance's standard error some 2.3 %.
    expectNear(variance / 18, 1, withinStandardErrors(5, 0.023));
  });
});

test.each([
  [0.5, 0.5],
  [0.02, 3],
  [7, 1],
  [300, 900],
] as const)('beta draws of (%f, %f) have the right cdf', (a, b) => {
  // A share within 2^-53 of 1 is 1: so few of them here that the distance does not show it.
  const cdf = (y: number): number => betaP(a, b, y);
  expect(distance((stream) => drawBeta(Math.log(a), Math.log(b), stream), cdf, { whole: false })).toBeLessThan(LIMIT);
});

test('beta draws of parameters beyond the doubles are at the ends, in the right shares', () => {
  const ones = Array.from({ length: N }, () => drawBeta(-800, -801, random)).filter((y) => y === 1).length;
  const share = Math.E / (1 + Math.E);
  expectNear(ones / N, share, withinStandardErrors(5, Math.sqrt((share * (1 - share)) / N)));
});

test.each([1.01, 2.5, 30, 1e9])("Student's t draws of %f degrees have the right cdf", (nu) => {
  expect(
    distance(
      (stream) => drawStudentT(nu, stream),
      (t) => studentTCdf(t, nu),
      { whole: false },
    ),
  ).toBeLessThan(LIMIT);
});

test.each([1e-4, 0.3, 1, 50])('log gamma draws of shape %f have the right cdf, below the least double too', (shape) => {
  const logRest = Math.log(shape);
  // Where e^x is 0, P(shape, e^x) is e^(shape · x) / Γ(shape + 1), and Γ is 1 to four digits.
  const cdf = (x: number): number => (x < -700 ? Math.exp(shape * x) : gammaP(shape, Math.exp(x)));
  expect(distance((stream) => drawLogGamma(logRest, stream), cdf, { whole: false })).toBeLessThan(LIMIT);
});

test('the same stream gives the same draws', () => {
  const draws = (): number[] => {
    const stream = createStream(5, 'again');
    return [
      drawPoisson(40, stream),
      drawNegativeBinomial(2, 1, stream),
      drawBeta(0.3, 1, stream),
      drawStudentT(3, stream),
    ];
  };
  expect(draws()).toEqual(draws());
});
