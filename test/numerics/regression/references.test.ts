import { describe, expect, test } from 'vitest';
import { REFERENCE_MODELS, readReferenceModel, referenceName } from '../../../bench/regression/referenceModels.ts';
import { runChain } from '../../../packages/numerics/mcmc/chain.ts';
import { bulkEss, coordinateOf, rHat } from '../../../packages/numerics/mcmc/diagnostics.ts';
import { createStream } from '../../../packages/numerics/random/createStream.ts';
import { findMode } from '../../../packages/numerics/regression/findMode.ts';
import type { Posterior } from '../../../packages/numerics/regression/posterior.ts';
import { createPosterior } from '../../../packages/numerics/regression/prepareRegression.ts';
import { describeShared } from '../../support/shared.ts';

const CHAINS = 4;

/** Natural-scale draws, one array a chain of draws × d. */
function sample(posterior: Posterior, seed: number, draws: number): Float64Array[] {
  const mode = findMode(posterior);
  expect(mode.converged).toBe(true);
  const whitening = { mode: mode.position, factor: mode.factor! };
  return Array.from({ length: CHAINS }, (_, chain) => {
    const result = runChain(posterior, { draws, tune: 200, whitening }, createStream(seed, `chain ${chain}`));
    const d = posterior.dimension;
    for (let i = 0; i < draws; i++) {
      const row = result.draws.subarray(i * d, (i + 1) * d);
      row.set(posterior.constrain(row));
    }
    return result.draws;
  });
}

const mean = (x: readonly number[]): number => x.reduce((sum, value) => sum + value, 0) / x.length;

describeShared('the posterior', (shared) => {
  describe.each(Object.keys(REFERENCE_MODELS))('of %s', (name) => {
    test('has the reference means and standard deviations of every parameter', () => {
      const { spec, reference } = readReferenceModel(shared, name);
      const posterior = createPosterior(spec);
      const draws = sample(posterior, 5, spec.y.length > 3_000 ? 500 : 700);
      expect(posterior.names.map(referenceName).sort()).toEqual(Object.keys(reference).sort());
      posterior.names.forEach((parameter, at) => {
        const chains = coordinateOf(draws, posterior.dimension, at);
        const all = chains.flatMap((chain) => [...chain]);
        const expected = reference[referenceName(parameter)]!;
        const centre = mean(all);
        const spread = Math.sqrt(mean(all.map((value) => (value - centre) ** 2)));
        expect(rHat(chains)).toBeLessThan(1.01);
        expect(bulkEss(chains)).toBeGreaterThan(1_000);
        expect(Math.abs(centre - expected.mean) / expected.sd).toBeLessThan(0.1);
        expect(Math.abs(spread / expected.sd - 1)).toBeLessThan(0.1);
      });
    });
  });
});
