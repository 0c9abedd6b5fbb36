import { describe, expect, test } from 'vitest';
import { lessLog1p, lgamma, logPoissonMass } from '../../../packages/numerics/special/gamma.ts';
import {
  log1mexp,
  log1pexp,
  logAddExp,
  logDiffExp,
  logLog1pexp,
  sigmoid,
} from '../../../packages/numerics/special/logistic.ts';
import { exact, expectNear, relative, rounding } from '../../support/tolerance.ts';

const FAR = [-1e300, -800, -700, -40, -1, -1e-20, 0, 1e-9, 3, 36, 700, 800, 1e300];

describe('the logistic function', () => {
  test('is a share, and its mirror image is what is left', () => {
    for (const x of FAR) expect(sigmoid(x) + sigmoid(-x)).toBeCloseTo(1, 15);
    expectNear(sigmoid(-700), Math.exp(-700), relative(1e-15));
  });

  test('is the slope of log(1 + e^x)', () => {
    for (let x = -30; x < 30; x += 0.7) {
      const h = 1e-4;
      expect((log1pexp(x + h) - log1pexp(x - h)) / (2 * h)).toBeCloseTo(sigmoid(x), 8);
    }
  });

  test('log(1 + e^x) - log(1 + e^-x) is x, and each keeps its digits far out', () => {
    for (const x of FAR) expectNear(log1pexp(x) - log1pexp(-x), x, exact(1e-15));
    expectNear(log1pexp(-700), Math.exp(-700), relative(1e-15));
    expect(logLog1pexp(-1e5)).toBe(-1e5);
    for (const x of [-38, -36.9, 0, 50]) expectNear(logLog1pexp(x), Math.log(log1pexp(x)), relative(1e-15));
  });
});

test('sums and differences of exponentials undo each other', () => {
  for (const [a, b] of [
    [0, -1e-3],
    [700, 690],
    [-800, -900],
    [1e5, -1e5],
  ] as const) {
    expectNear(logDiffExp(logAddExp(a, b), b), a, rounding(1e-12));
  }
  expect(logAddExp(Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY)).toBe(Number.NEGATIVE_INFINITY);
  expect(logAddExp(3, Number.NEGATIVE_INFINITY)).toBe(3);
  expect(logDiffExp(3, 3)).toBe(Number.NEGATIVE_INFINITY);
});

test('log(1 - e^-u) is log u for rare events and nothing for sure ones', () => {
  for (const u of [1e-300, 1e-18]) expectNear(log1mexp(u), Math.log(u), relative(1e-15));
  expectNear(log1mexp(Math.LN2), -Math.LN2, relative(1e-15));
  expect([log1mexp(800), log1mexp(0)]).toEqual([-0, Number.NEGATIVE_INFINITY]);
});

test('t - log(1 + t) keeps its digits near 0', () => {
  for (const t of [1e-200, 1e-9, -1e-9]) {
    expectNear(lessLog1p(t), t * t * (0.5 - t / 3), relative(1e-15));
  }
  for (const t of [0.2999, 0.3001, -0.2999, -0.3001]) {
    expectNear(lessLog1p(t), t - Math.log1p(t), relative(1e-14));
  }
  expect([lessLog1p(-1), lessLog1p(Number.POSITIVE_INFINITY)]).toEqual([
    Number.POSITIVE_INFINITY,
    Number.POSITIVE_INFINITY,
  ]);
});

test('the Poisson mass is its definition, and near its peak 1 / √(2π mean) for a mean of 1e15', () => {
  for (const y of [0, 1, 6, 7, 8, 40, 900]) {
    for (const eta of [-3, 0.4, 2, 7]) {
      const definition = y * eta - Math.exp(eta) - lgamma(y + 1);
      expectNear(logPoissonMass(y, eta), definition, rounding(1e-15 * 4 * (900 * 7 + Math.exp(eta))));
    }
  }
  expect(logPoissonMass(1e15, Math.log(1e15))).toBeCloseTo(-0.5 * Math.log(2 * Math.PI * 1e15), 10);
});
