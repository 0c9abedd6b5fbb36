import { describe, expect, test } from 'vitest';
import { readReferenceModel } from '../../../bench/regression/referenceModels.ts';
import type { LogDensity } from '../../../packages/numerics/mcmc/hamiltonian.ts';
import { createStream } from '../../../packages/numerics/random/createStream.ts';
import { findMode } from '../../../packages/numerics/regression/findMode.ts';
import { createPosterior } from '../../../packages/numerics/regression/prepareRegression.ts';
import { LaplaceSampler, USABLE_SHAPE } from '../../../packages/numerics/regression/sampleLaplace.ts';
import { describeShared } from '../../support/shared.ts';
import { expectNear, withinStandardErrors } from '../../support/tolerance.ts';

function sample(density: LogDensity, mode: Float64Array, factor: Float64Array, proposals: number, draws: number) {
  const sampler = new LaplaceSampler(density, { mode, factor, random: createStream(2, 'laplace'), proposals });
  while (!sampler.finished) sampler.advance();
  return sampler.result(draws);
}

const momentsOf = (x: readonly number[]): [number, number] => {
  const mean = x.reduce((sum, value) => sum + value, 0) / x.length;
  return [mean, Math.sqrt(x.reduce((sum, value) => sum + (value - mean) ** 2, 0) / x.length)];
};

describe('importance draws from a Laplace approximation', () => {
  test('have the moments of a target that is not normal: log of a gamma variable', () => {
    const shape = 4;
    const density: LogDensity = {
      dimension: 1,
      evaluate(position, gradient) {
        gradient[0] = shape - Math.exp(position[0]!);
        return shape * position[0]! - Math.exp(position[0]!);
      },
    };
    const { draws, shape: k } = sample(density, Float64Array.of(Math.log(shape)), Float64Array.of(2), 20_000, 20_000);
    const [mean, sd] = momentsOf([...draws].map(Math.exp));
    // Weights leave about half of 20,000 draws: 0.02 of standard error.
    expect(mean).toBeCloseTo(shape, 0);
    expectNear(mean, shape, withinStandardErrors(5, 0.02));
    expect(Math.abs(sd / 2 - 1)).toBeLessThan(0.1);
    expect(k).toBeLessThan(USABLE_SHAPE);
  });

  test('say by their shape that they do not stand for a target with far heavier tails', () => {
    const density: LogDensity = {
      dimension: 1,
      evaluate(position, gradient) {
        gradient[0] = 0;
        return -0.75 * Math.log1p(position[0]! ** 2);
      },
    };
    expect(sample(density, Float64Array.of(0), Float64Array.of(3), 4_000, 10).shape).toBeGreaterThan(USABLE_SHAPE);
  });

  test('are the same for the same stream', () => {
    const density: LogDensity = { dimension: 2, evaluate: (x) => -0.5 * (x[0]! ** 2 + x[1]! ** 2) };
    const run = () => sample(density, new Float64Array(2), Float64Array.of(1, 0, 0, 1), 100, 50).draws;
    expect(run()).toEqual(run());
  });
});

describeShared('importance draws of a reference', (shared) => {
  test.each(['nmes_visits__negbin', 'wells_data__wells_daae_c_model'])('agree with it: %s', (name) => {
    const { spec, reference } = readReferenceModel(shared, name);
    const posterior = createPosterior(spec);
    const { position, factor } = findMode(posterior);
    const { draws, shape } = sample(posterior, position, factor!, 2_000, 2_000);
    expect(shape).toBeLessThan(USABLE_SHAPE);
    const d = posterior.dimension;
    const natural = Array.from({ length: 2_000 }, (_, i) => posterior.constrain(draws.subarray(i * d, (i + 1) * d)));
    posterior.names.forEach((parameter, at) => {
      const [mean, sd] = momentsOf(natural.map((row) => row[at]!));
      const expected = reference[parameter]!;
      expect(Math.abs(mean - expected.mean) / expected.sd).toBeLessThan(0.1);
      expect(Math.abs(sd / expected.sd - 1)).toBeLessThan(0.1);
    });
  });
});
