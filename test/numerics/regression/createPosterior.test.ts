import { describe, expect, test } from 'vitest';
import {
  FAMILY_NAMES,
  familyOf,
  type ResponseName,
  TRUNCATED_NAMES,
} from '../../../packages/numerics/distributions/families.ts';
import { createStream } from '../../../packages/numerics/random/createStream.ts';
import { familyKernel } from '../../../packages/numerics/regression/blockedLikelihood.ts';
import { coordinatesOf } from '../../../packages/numerics/regression/coordinates.ts';
import { assemble, rowLikelihood } from '../../../packages/numerics/regression/openLikelihood.ts';
import { layOut, type Posterior } from '../../../packages/numerics/regression/posterior.ts';
import { createPosterior } from '../../../packages/numerics/regression/prepareRegression.ts';
import type { PredictorSpec, RegressionSpec } from '../../../packages/numerics/regression/spec.ts';
import { difference, exact, expectNear, relative, rounding } from '../../support/tolerance.ts';
import { slowLogDensity } from './slowLogDensity.ts';
import { constant, dense, linear, randomDesign, randomSpec, sparseOf } from './specs.ts';

const stream = createStream(3, 'posterior');

const position = (posterior: Posterior, spread = 0.3): Float64Array =>
  Float64Array.from({ length: posterior.dimension }, () => spread * stream.normal());

const gradientOf = (posterior: Posterior, at: Float64Array): Float64Array => {
  const gradient = new Float64Array(posterior.dimension);
  posterior.evaluate(at, gradient);
  return gradient;
};

const shifted = (at: Float64Array, i: number, step: number): Float64Array => at.map((x, k) => (k === i ? x + step : x));

/** Differences with step 1e-5 of values of size S leave about 1e-11 S of rounding, and 1e-10 of truncation. */
function expectGradient(posterior: Posterior, at: Float64Array): void {
  const gradient = gradientOf(posterior, at);
  const scale = Math.abs(posterior.evaluate(at, new Float64Array(posterior.dimension)));
  for (let i = 0; i < at.length; i++) {
    const value = (step: number) => posterior.evaluate(shifted(at, i, step), new Float64Array(at.length));
    const slope = (value(1e-5) - value(-1e-5)) / 2e-5;
    expectNear(gradient[i]!, slope, difference(1e-6 * (1 + Math.abs(slope)) + 1e-9 * scale));
  }
}

function expectHessian(posterior: Posterior, at: Float64Array): void {
  const d = at.length;
  const hessian = posterior.hessian(at);
  const largest = hessian.reduce((most, entry) => Math.max(most, Math.abs(entry)), 0);
  for (let i = 0; i < d; i++) {
    const [above, below] = [gradientOf(posterior, shifted(at, i, 1e-5)), gradientOf(posterior, shifted(at, i, -1e-5))];
    for (let j = 0; j < d; j++) {
      expectNear(hessian[i * d + j]!, (below[j]! - above[j]!) / 2e-5, difference(1e-6 * largest));
    }
  }
}

/** The same posterior without any use of structure. */
function byRows(spec: RegressionSpec): Posterior {
  const layout = layOut(familyOf(spec.family), spec.predictors);
  const linear = spec.predictors.map((predictor) => predictor.kind === 'linear');
  const kernel = familyKernel(familyOf(spec.family), spec.y, spec.weights, linear);
  return assemble(rowLikelihood(spec, kernel), coordinatesOf(layout, null), layout.names);
}

function expectEqual(fast: Posterior, slow: Posterior, at: Float64Array): void {
  const [a, b] = [new Float64Array(at.length), new Float64Array(at.length)];
  const [valueA, valueB] = [fast.evaluate(at, a), slow.evaluate(at, b)];
  expectNear(valueA, valueB, exact(1e-11));
  const size = Math.max(1, ...b.map(Math.abs));
  for (let i = 0; i < a.length; i++) expectNear(a[i]!, b[i]!, rounding(1e-10 * size));
}

const RESPONSES = [...FAMILY_NAMES, ...TRUNCATED_NAMES];
const every = RESPONSES.flatMap((name) =>
  familyOf(name).parameters.map((_, k): [ResponseName, number] => [name, k + 1]),
);
/** Those whose first and last parameter follow predictors, with the others constant, have kernels of their own. */
const EXTRA_ZEROS: [ResponseName, readonly number[]][] = [
  ['zero_inflated_poisson', [0, 1]],
  ['zero_inflated_negative_binomial', [0, 2]],
];

describe('a posterior', () => {
  test.each([...every, ...EXTRA_ZEROS])(
    'of %s with linear predictors %j is the sum over its rows, with the gradient and curvature of it',
    (name, varying) => {
      const spec = {
        ...randomSpec(name, 150, 3, varying, stream),
        weights: Float64Array.from({ length: 150 }, (_, i) => i % 3),
      };
      const posterior = createPosterior(spec);
      const at = position(posterior);
      const value = posterior.evaluate(at, new Float64Array(at.length));
      expectNear(value, slowLogDensity(spec, at), exact(1e-11));
      expectEqual(posterior, byRows(spec), at);
      expectGradient(posterior, at);
      expectHessian(posterior, at);
    },
  );

  test.each<[ResponseName, number | readonly number[]]>([
    ...RESPONSES.map((name): [ResponseName, number] => [name, 1]),
    ...EXTRA_ZEROS,
  ])('of %s with linear predictors %j is the sum over its rows where these reach their ends', (name, varying) => {
    const spec = randomSpec(name, 300, 3, varying, stream);
    const [fast, slow] = [createPosterior(spec), byRows(spec)];
    for (const size of [0, 1, 5, 12, 60]) {
      const at = position(fast, 0).map((_, k) => size * Math.cos(3 * k + size));
      const [a, b] = [new Float64Array(at.length), new Float64Array(at.length)];
      const [value, expected] = [fast.evaluate(at, a), slow.evaluate(at, b)];
      if (!Number.isFinite(expected)) continue;
      expectNear(value, expected, exact(1e-10));
      const largest = Math.max(1, ...b.map(Math.abs));
      for (let i = 0; i < a.length; i++) expectNear(a[i]!, b[i]!, rounding(1e-9 * largest));
    }
  });

  test.each<[ResponseName, readonly number[]]>([
    ['negative_binomial', [0]],
    ['truncated_negative_binomial', [0]],
    ['zero_inflated_negative_binomial', [0, 2]],
  ])('of %s keeps its digits where counts reach 1e15', (name, varying) => {
    const spec = randomSpec(name, 50, 2, varying, stream);
    const far = { ...spec, y: spec.y.map((y, i) => (i % 5 === 0 ? 10 ** (i / 3) : y)).map(Math.round) };
    const [fast, slow] = [createPosterior(far), byRows(far)];
    for (const location of [1, 10, 30]) {
      const at = position(fast);
      at[0] = location;
      const [value, expected] = [fast, slow].map((posterior) => posterior.evaluate(at, new Float64Array(at.length)));
      // Terms of such a row are of the size of 1e15 log 1e15, and an ulp of those is 4.
      expectNear(value!, expected!, exact(1e-12));
    }
  });

  test('has the gradient of priors of every kind, on coefficients and on constants', () => {
    const design = randomDesign(40, 8, stream);
    const spec: RegressionSpec = {
      family: 'gaussian',
      y: Float64Array.from({ length: 40 }, stream.normal),
      weights: null,
      predictors: [
        {
          ...linear('mu', design),
          priors: [
            { kind: 'flat' },
            { kind: 'normal', mean: 1, sd: 0.2 },
            { kind: 'student_t', df: 3, mean: 0.3, scale: 0.1 },
            { kind: 'cauchy', mean: -1, scale: 0.4 },
            { kind: 'uniform', lower: -2, upper: 5 },
            { kind: 'uniform', lower: 0, upper: 1 },
            { kind: 'flat' },
            { kind: 'normal', mean: 0, sd: 3 },
          ],
        },
        { kind: 'constant', parameter: 'sigma', prior: { kind: 'gamma', shape: 2, rate: 3 } },
      ],
    };
    const posterior = createPosterior(spec);
    const at = position(posterior);
    expect(posterior.evaluate(at, new Float64Array(at.length))).toBeCloseTo(slowLogDensity(spec, at), 9);
    expectGradient(posterior, at);
    expectHessian(posterior, at);
    const natural = posterior.constrain(at.map(() => 50));
    expect([natural[4], natural[5]]).toEqual([5, 1]);
  });

  test.each([0.01, 1])('has the gradient of a scale that keeps above an error of %f', (error) => {
    const spec = randomSpec('gaussian', 30, 3, 1, stream);
    const sigma: PredictorSpec = {
      kind: 'constant',
      parameter: 'sigma',
      prior: { kind: 'exponential_above', rate: 0.5, error, rows: 30 },
    };
    const held = { ...spec, predictors: [spec.predictors[0]!, sigma] };
    const posterior = createPosterior(held);
    const at = position(posterior);
    expect(posterior.evaluate(at, new Float64Array(at.length))).toBeCloseTo(slowLogDensity(held, at), 9);
    expectGradient(posterior, at);
    expectHessian(posterior, at);
    at[at.length - 1] = Math.log(1e-3 * error);
    expect(posterior.evaluate(at, new Float64Array(at.length))).toBeLessThan(-1e6);
  });

  test.each([0, 0.4, 1])('with pools has the right gradient and curvature at centring %f', (lambda) => {
    const design = randomDesign(60, 7, stream);
    const spec: RegressionSpec = {
      ...randomSpec('poisson', 60, 7, 1, stream),
      predictors: [
        {
          ...linear('mu', design),
          pools: [
            {
              name: 'a',
              columns: Int32Array.of(1, 2, 3),
              sds: Float64Array.of(1, 0.5, 2),
              scale: { kind: 'gamma', shape: 2, rate: 1 },
            },
            {
              name: 'b',
              columns: Int32Array.of(5, 6),
              sds: Float64Array.of(1, 1),
              scale: { kind: 'normal', mean: 0, sd: 1 },
            },
          ],
        },
      ],
    };
    const layout = layOut(familyOf('poisson'), spec.predictors);
    expect(layout.names.slice(-2)).toEqual(['sd(a)', 'sd(b)']);
    const posterior = assemble(
      rowLikelihood(spec),
      coordinatesOf(layout, new Float64Array(7).fill(lambda)),
      layout.names,
    );
    const at = position(posterior);
    expectGradient(posterior, at);
    expectHessian(posterior, at);
    if (lambda === 1) expect(posterior.evaluate(at, new Float64Array(9))).toBeCloseTo(slowLogDensity(spec, at), 9);
  });

  test.each(['gaussian', 'student_t', 'poisson', 'bernoulli', 'gamma'] as const)(
    'of %s is the same from a sparse design',
    (name) => {
      const spec = randomSpec(name, 70, 5, 1, stream);
      const [mu, ...rest] = spec.predictors;
      if (mu?.kind !== 'linear' || mu.design.kind !== 'dense')
        throw new Error('the first predictor is linear and dense');
      const sparse = createPosterior({ ...spec, predictors: [{ ...mu, design: sparseOf(mu.design) }, ...rest] });
      const full = createPosterior(spec);
      const at = position(full);
      expectEqual(sparse, full, at);
      expectHessian(sparse, at);
    },
  );

  test('of a Gaussian with σ by group, or its logarithm, is that of its rows', () => {
    for (const family of ['gaussian', 'lognormal'] as const) {
      const rows = 400;
      const groups = dense(rows, 3, (i, j) => Number(i % 3 === j));
      const spec: RegressionSpec = {
        family,
        y: Float64Array.from({ length: rows }, (_, i) => Math.exp(stream.normal() * (1 + (i % 3)))),
        weights: Float64Array.from({ length: rows }, (_, i) => 1 + (i % 2)),
        predictors: [linear('mu', randomDesign(rows, 5, stream)), linear('sigma', groups)],
      };
      const posterior = createPosterior(spec);
      expect(posterior.names.slice(5)).toEqual(['sigma_x0', 'sigma_x1', 'sigma_x2']);
      const at = position(posterior);
      expectEqual(posterior, byRows(spec), at);
      expectHessian(posterior, at);
    }
  });

  test('of a Gaussian keeps its digits where y is far from 0 and columns are far from it too', () => {
    const rows = 200;
    const design = dense(rows, 3, (i, j) => (j === 0 ? 1 : 2000 + i / 10 + (j === 2 ? Math.sin(i) : 0)));
    const spec: RegressionSpec = {
      family: 'gaussian',
      y: Float64Array.from({ length: rows }, (_, i) => 1e6 + i + 0.01 * stream.normal()),
      weights: null,
      predictors: [linear('mu', design, { kind: 'flat' }), constant('sigma')],
    };
    const [fast, slow] = [createPosterior(spec), byRows(spec)];
    const at = Float64Array.of(1e6 - 20_000, 10, 0, -3);
    const value = slow.evaluate(at, new Float64Array(4));
    // Rows of size 1e6 known to 1e-16 leave 1e-10 in residuals of 0.01, and 2 × 1e-8 in their squares.
    expectNear(fast.evaluate(at, new Float64Array(4)), value, relative(1e-7));
  });
});
