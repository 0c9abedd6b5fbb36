import { describe, expect, test } from 'vitest';
import { fitPareto, paretoQuantile } from '../../../../packages/numerics/distributions/generalisedPareto.ts';
import { paretoSmooth } from '../../../../packages/numerics/regression/sampleLaplace.ts';
import { congruential, RATIOS } from './references.ts';

const ratiosOf = ({ seed, n, scale }: (typeof RATIOS)[number]): Float64Array => {
  const next = congruential(seed);
  return Float64Array.from({ length: n }, () => -scale * Math.log(next()) * 0.3 + 0.1 * next());
};

describe('Pareto-smoothed weights', () => {
  test.each(RATIOS)('are those of ArviZ on the ratios "$name"', (reference) => {
    const { logWeights, shape } = paretoSmooth(ratiosOf(reference), reference.efficiency);
    const weights = logWeights.map(Math.exp);
    if (reference.k === Number.POSITIVE_INFINITY) expect(shape).toBe(Number.POSITIVE_INFINITY);
    else expect(shape).toBeCloseTo(reference.k, 10);
    expect(logWeights.reduce((a, b) => Math.max(a, b))).toBeCloseTo(reference.largest, 10);
    expect(logWeights[0]).toBeCloseTo(reference.first, 10);
    expect(weights.reduce((sum, w) => sum + w * w, 0)).toBeCloseTo(reference.squares, 10);
    expect(weights.reduce((sum, w, i) => sum + i * w, 0)).toBeCloseTo(reference.mean, 8);
    expect(weights.reduce((sum, w) => sum + w, 0)).toBeCloseTo(1, 12);
  });

  test('keep the order of the ratios and do not change what they are given', () => {
    const ratios = ratiosOf(RATIOS[1]!);
    const before = ratios.slice();
    const { logWeights } = paretoSmooth(ratios);
    expect(ratios).toEqual(before);
    const order = (x: Float64Array): number[] => [...x.keys()].sort((i, j) => x[i]! - x[j]! || i - j);
    expect(order(logWeights).slice(0, 380)).toEqual(order(ratios).slice(0, 380));
  });

  test('are equal where all ratios are, and have no tail', () => {
    const { logWeights, shape } = paretoSmooth(new Float64Array(50).fill(-1e5));
    expect(shape).toBe(Number.POSITIVE_INFINITY);
    for (const w of logWeights) expect(w).toBeCloseTo(-Math.log(50), 12);
  });
});

describe('the generalised Pareto distribution', () => {
  test.each([-0.3, 0.2, 0.7])('is fitted to its own quantiles: shape %d', (shape) => {
    const x = Float64Array.from({ length: 5000 }, (_, i) => paretoQuantile((i + 0.5) / 5000, shape, 3));
    const fit = fitPareto(x);
    // the prior's ten observations of 1/2 among 5,000, and the estimator's own bias
    expect(fit.shape).toBeCloseTo((5000 * shape + 5) / 5010, 2);
    expect(fit.scale / 3).toBeCloseTo(1, 1);
  });

  test('has the exponential as its limit at shape 0', () => {
    expect(paretoQuantile(0.3, 0, 2)).toBeCloseTo(-2 * Math.log(0.7), 14);
    expect(paretoQuantile(0.3, 1e-9, 2)).toBeCloseTo(-2 * Math.log(0.7), 8);
  });
});
