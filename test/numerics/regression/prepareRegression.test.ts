import { describe, expect, test } from 'vitest';
import { createStream } from '../../../packages/numerics/random/createStream.ts';
import { aggregateRows } from '../../../packages/numerics/regression/aggregateRows.ts';
import { costOf } from '../../../packages/numerics/regression/openLikelihood.ts';
import {
  createPosterior,
  openPosterior,
  prepareRegression,
} from '../../../packages/numerics/regression/prepareRegression.ts';
import { slowLogDensity } from './slowLogDensity.ts';
import { constant, dense, linear, randomDesign, randomSpec, sparseOf } from './specs.ts';

const stream = createStream(6, 'prepare');

describe('rows that are equal', () => {
  const design = dense(500, 3, (i, j) => (j === 0 ? 1 : (i * (j + 1)) % 3));
  const spec = { ...randomSpec('poisson', 500, 3, 1, stream), predictors: [linear('mu', design)] };

  test.each([
    ['dense', design],
    ['sparse', sparseOf(design)],
  ] as const)('of a %s design are one row with their weights summed, and the same posterior', (_, x) => {
    const weights = Float64Array.from({ length: 500 }, (__, i) => (i % 4) / 2);
    const whole = { ...spec, weights, predictors: [linear('mu', x)] };
    const few = aggregateRows(whole);
    expect(few.y.length).toBeLessThan(100);
    expect(few.weights!.reduce((sum, w) => sum + w, 0)).toBe(weights.reduce((sum, w) => sum + w, 0));
    const at = Float64Array.of(0.1, -0.2, 0.3);
    expect(createPosterior(whole).evaluate(at, new Float64Array(3))).toBeCloseTo(slowLogDensity(whole, at), 9);
  });

  test('are left as they are where nearly all rows differ', () => {
    const all = randomSpec('poisson', 200, 3, 1, stream);
    expect(aggregateRows(all)).toBe(all);
  });

  test('differ by one entry, or by y, and are kept apart', () => {
    const y = Float64Array.from({ length: 400 }, (_, i) => i % 2);
    const x = dense(400, 2, (i, j) => (j === 0 ? 1 : Number(i < 3)));
    expect(aggregateRows({ ...spec, y, predictors: [linear('mu', x)] }).y.length).toBe(4);
  });
});

describe('prepared data', () => {
  test('of a Gaussian hold no rows, of a hurdle fewer than the table, and give the same posterior from a copy', () => {
    const gaussian = prepareRegression(randomSpec('gaussian', 300, 3, 1, stream));
    expect(costOf(gaussian.data).rows).toBe(0);
    const spec = randomSpec('hurdle_lognormal', 300, 3, 1, stream);
    const prepared = prepareRegression(spec);
    expect(costOf(prepared.data).rows).toBeLessThan(5);
    const posterior = openPosterior(structuredClone(prepared));
    const at = Float64Array.from({ length: posterior.dimension }, () => 0.2 * stream.normal());
    expect(posterior.evaluate(at, new Float64Array(at.length))).toBeCloseTo(slowLogDensity(spec, at), 9);
  });

  test('of a response that is nothing but the atom still give a density and a gradient', () => {
    const spec = {
      family: 'hurdle_gamma' as const,
      y: new Float64Array(50),
      weights: null,
      predictors: [linear('mu', randomDesign(50, 2, stream)), constant('shape'), constant('zero')],
    };
    const posterior = createPosterior(spec);
    const at = Float64Array.of(0.3, -0.1, 0.2, 1);
    const gradient = new Float64Array(4);
    expect(posterior.evaluate(at, gradient)).toBeCloseTo(slowLogDensity(spec, at), 9);
    expect(gradient.every(Number.isFinite)).toBe(true);
  });
});
