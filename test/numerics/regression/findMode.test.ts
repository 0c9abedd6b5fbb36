import { describe, expect, test } from 'vitest';
import { runChain } from '../../../packages/numerics/mcmc/chain.ts';
import { coordinateOf, rHat } from '../../../packages/numerics/mcmc/diagnostics.ts';
import { createStream } from '../../../packages/numerics/random/createStream.ts';
import { findMode, modeByLbfgs } from '../../../packages/numerics/regression/findMode.ts';
import { createPosterior } from '../../../packages/numerics/regression/prepareRegression.ts';
import type { RegressionSpec } from '../../../packages/numerics/regression/spec.ts';
import { expectNear, rounding } from '../../support/tolerance.ts';
import { constant, dense, linear, randomDesign, randomSpec } from './specs.ts';

const stream = createStream(8, 'findMode');

const largest = (x: Float64Array): number => x.reduce((most, value) => Math.max(most, Math.abs(value)), 0);

describe('the mode', () => {
  test.each([
    ['gaussian', 1],
    ['gaussian', 2],
    ['student_t', 1],
    ['negative_binomial', 2],
    ['beta', 1],
    ['hurdle_gamma', 3],
    ['zero_inflated_negative_binomial', 1],
  ] as const)('of %s with %i linear predictors has no slope, and a factor of its Hessian', (name, count) => {
    const posterior = createPosterior(randomSpec(name, 400, 3, count, stream));
    const d = posterior.dimension;
    const { position, factor, converged } = findMode(posterior);
    const gradient = new Float64Array(d);
    posterior.evaluate(position, gradient);
    const hessian = posterior.hessian(position);
    expect(converged).toBe(true);
    expect(largest(gradient)).toBeLessThan(1e-5 * Math.sqrt(largest(hessian)));
    for (let i = 0; i < d; i++) {
      for (let j = 0; j <= i; j++) {
        let entry = 0;
        for (let k = 0; k <= j; k++) entry += factor![i * d + k]! * factor![j * d + k]!;
        expectNear(entry, hessian[i * d + j]!, rounding(1e-8 * largest(hessian)));
      }
    }
    const climbed = modeByLbfgs(posterior, posterior.start);
    expect(climbed.value).toBeCloseTo(posterior.evaluate(position, gradient), 5);
  });

  const separated = (prior: 'flat' | 'normal'): RegressionSpec => ({
    family: 'bernoulli',
    y: Float64Array.from({ length: 60 }, (_, i) => Number(i >= 30)),
    weights: null,
    predictors: [
      linear(
        'mu',
        dense(60, 2, (i, j) => (j === 0 ? 1 : i - 29.5)),
        prior === 'flat' ? { kind: 'flat' } : { kind: 'normal', mean: 0, sd: 2.5 },
      ),
    ],
  });

  test('of separated outcomes is finite where priors are proper', () => {
    const { position, converged } = findMode(createPosterior(separated('normal')));
    expect(converged).toBe(true);
    expect(position[1]!).toBeGreaterThan(0.1);
    expect(position[1]!).toBeLessThan(10);
  });

  test('of separated outcomes under flat priors is looked for in bounded time, and numbers stay finite', () => {
    const { position, factor } = findMode(createPosterior(separated('flat')));
    expect(position.every(Number.isFinite) && factor!.every(Number.isFinite)).toBe(true);
  });

  test('of columns that are each other is found, with a factor, whatever their scales', () => {
    const x = randomDesign(80, 3, stream);
    const twice = dense(80, 5, (i, j) => (j < 3 ? x.values[i * 3 + j]! * 10 ** (3 * j) : x.values[i * 3 + (j - 2)]!));
    const spec: RegressionSpec = {
      family: 'gaussian',
      y: Float64Array.from({ length: 80 }, stream.normal),
      weights: null,
      predictors: [linear('mu', twice, { kind: 'flat' }), constant('sigma')],
    };
    for (const family of ['gaussian', 'student_t'] as const) {
      const predictors = family === 'gaussian' ? spec.predictors : [...spec.predictors, constant('nu')];
      const { position, factor, converged } = findMode(createPosterior({ ...spec, family, predictors }));
      expect(converged).toBe(true);
      expect(position.every(Number.isFinite) && factor!.every(Number.isFinite)).toBe(true);
    }
  });

  test('of a response twelve orders of magnitude from 1 is found', () => {
    for (const size of [1e12, 1e-12]) {
      const spec: RegressionSpec = {
        family: 'gaussian',
        y: Float64Array.from({ length: 50 }, () => size * (3 + stream.normal())),
        weights: null,
        predictors: [
          linear('mu', randomDesign(50, 2, stream), { kind: 'flat' }),
          { kind: 'constant', parameter: 'sigma', prior: { kind: 'exponential', rate: 1 / size } },
        ],
      };
      const { position, converged } = findMode(createPosterior(spec));
      expect(converged).toBe(true);
      expect(position[0]! / size).toBeCloseTo(3, 0);
    }
  });
});

/** Levels with effects N(0, tau) around 1, noise of 1, `each` rows a level. */
function oneWay(levels: number, each: number, tau: number): RegressionSpec {
  const effects = Float64Array.from({ length: levels }, () => tau * stream.normal());
  const rows = levels * each;
  return {
    family: 'gaussian',
    y: Float64Array.from({ length: rows }, (_, i) => 1 + effects[i % levels]! + stream.normal()),
    weights: null,
    predictors: [
      {
        ...linear(
          'mu',
          dense(rows, levels + 1, (i, j) => Number(j === 0 || i % levels === j - 1)),
          { kind: 'normal', mean: 0, sd: 5 },
        ),
        pools: [
          {
            name: 'level',
            columns: Int32Array.from({ length: levels }, (_, j) => j + 1),
            sds: new Float64Array(levels).fill(1),
            scale: { kind: 'normal', mean: 0, sd: 1 },
          },
        ],
      },
      { kind: 'constant', parameter: 'sigma', prior: { kind: 'exponential', rate: 1 } },
    ],
  };
}

/** Mean and sd of τ by quadrature over τ and σ, level means and the intercept integrated out in closed form. */
function exactTau(spec: RegressionSpec, levels: number, each: number): [number, number] {
  const means = new Float64Array(levels);
  spec.y.forEach((y, i) => {
    means[i % levels]! += y / each;
  });
  const within = spec.y.reduce((sum, y, i) => sum + (y - means[i % levels]!) ** 2, 0);
  const grand = means.reduce((sum, m) => sum + m, 0) / levels;
  const between = means.reduce((sum, m) => sum + (m - grand) ** 2, 0);
  const logs: [number, number][] = [];
  for (let a = 0; a < 200; a++) {
    for (let b = 0; b < 80; b++) {
      const [tau, sigma] = [(a + 0.5) * 0.02, 0.4 + b * 0.02];
      const variance = tau ** 2 + sigma ** 2 / each;
      const ofGrand = variance / levels + 25;
      const log =
        -levels * (each - 1) * Math.log(sigma) -
        within / (2 * sigma ** 2) -
        0.5 * (levels - 1) * Math.log(variance) -
        between / (2 * variance) -
        0.5 * Math.log(ofGrand) -
        grand ** 2 / (2 * ofGrand) -
        0.5 * tau ** 2 -
        sigma;
      logs.push([tau, log]);
    }
  }
  const top = Math.max(...logs.map(([, log]) => log));
  let [mass, first, second] = [0, 0, 0];
  for (const [tau, log] of logs) {
    const p = Math.exp(log - top);
    mass += p;
    first += p * tau;
    second += p * tau * tau;
  }
  return [first / mass, Math.sqrt(second / mass - (first / mass) ** 2)];
}

describe('pooled levels', () => {
  test.each([
    [40, 30, 0.5],
    [12, 4, 0.7],
    [12, 4, 0.05],
    [5, 100, 1],
  ])(
    '%i of them with %i rows each and a scale of %f: the scale is sampled as quadrature has it',
    (levels, each, tau) => {
      const spec = oneWay(levels, each, tau);
      const posterior = createPosterior(spec);
      const { position, factor, converged } = findMode(posterior);
      expect(converged).toBe(true);
      const chains = Array.from({ length: 4 }, (_, chain) =>
        runChain(
          posterior,
          { draws: 2_000, tune: 500, whitening: { mode: position, factor: factor! } },
          createStream(1, `${chain}`),
        ),
      );
      const taus = coordinateOf(
        chains.map(({ draws }) => draws),
        posterior.dimension,
        posterior.dimension - 1,
      );
      expect(rHat(taus)).toBeLessThan(1.02);
      const divergent = chains.reduce((sum, { stats }) => sum + stats.diverging.reduce((a, b) => a + b, 0), 0);
      expect(divergent).toBeLessThan(0.01 * 8_000);
      const all = taus.flatMap((chain) => [...chain].map(Math.exp));
      const [mean, sd] = exactTau(spec, levels, each);
      const sampled = all.reduce((sum, value) => sum + value, 0) / all.length;
      const spread = Math.sqrt(all.reduce((sum, value) => sum + (value - sampled) ** 2, 0) / all.length);
      expect(Math.abs(sampled - mean) / sd).toBeLessThan(0.15);
      expect(Math.abs(spread / sd - 1)).toBeLessThan(0.15);
    },
  );
});
