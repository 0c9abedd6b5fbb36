import { describe, expect, test } from 'vitest';
import { cholesky } from '../../../packages/numerics/linalg/dense.ts';
import { Chain, type ChainOptions, type ChainResult, runChain } from '../../../packages/numerics/mcmc/chain.ts';
import { bulkEss, coordinateOf, rHat, tailEss } from '../../../packages/numerics/mcmc/diagnostics.ts';
import type { LogDensity } from '../../../packages/numerics/mcmc/hamiltonian.ts';
import { createStream } from '../../../packages/numerics/random/createStream.ts';
import { banana, correlatedNormal, funnel, standardNormal, studentT } from './densities.ts';
import { errorOfMean } from './monteCarloError.ts';

const chainsOf = (density: LogDensity, options: ChainOptions, seed = 11): ChainResult[] =>
  [0, 1, 2, 3].map((k) => runChain(density, options, createStream(seed, `chain ${k}`)));

const identity = (d: number): Float64Array =>
  Float64Array.from({ length: d * d }, (_, i) => (i % (d + 1) === 0 ? 1 : 0));
const whiteAt = (mode: Float64Array) => ({ mode, factor: identity(mode.length) });
const total = (x: ArrayLike<number>): number => Array.from(x).reduce((sum, value) => sum + value, 0);

const times = <T>(n: number, of: (i: number) => T): T[] => Array.from({ length: n }, (_, i) => of(i));
const inArrays = ({ acceptance, energy, depth, leapfrogs, diverging }: ChainResult['stats']) => ({
  acceptance: [...acceptance],
  energy: [...energy],
  depth: [...depth],
  leapfrogs: [...leapfrogs],
  diverging: [...diverging],
});

/** The mean of f over all draws, in its own Monte Carlo errors from `expected`. */
function errorsFrom(results: ChainResult[], d: number, at: number, f: (x: number) => number, expected: number): number {
  const chains = coordinateOf(
    results.map(({ draws }) => draws),
    d,
    at,
  ).map((x) => x.map(f));
  const mean = total(chains.map((x) => total(x) / x.length)) / chains.length;
  return Math.abs(mean - expected) / errorOfMean(chains);
}

describe('the moments of the draws are those of the target', () => {
  const options = { draws: 1000, tune: 600 };
  const s = 1 / (1 - 0.81);
  const factor = cholesky(Float64Array.of(s, (-0.9 * s) / 20, (-0.9 * s) / 20, s / 400), 2)!;

  // By coordinate: mean and second moment about it. 3.5 errors: one run in 2,000 for each of 30 would fail by chance, were
  // the seed not fixed.
  test.each<[string, LogDensity, ChainOptions, [number, number][]]>([
    [
      'of a correlated normal',
      correlatedNormal,
      options,
      [
        [3, 1],
        [-5, 400],
      ],
    ],
    [
      'of a correlated normal, whitened',
      correlatedNormal,
      { ...options, whitening: { mode: Float64Array.of(3, -5), factor } },
      [
        [3, 1],
        [-5, 400],
      ],
    ],
    [
      'of Student t',
      studentT(3, 8),
      options,
      [
        [0, 8 / 6],
        [0, 8 / 6],
        [0, 8 / 6],
      ],
    ],
    [
      'of Student t, whitened',
      studentT(3, 8),
      { ...options, whitening: whiteAt(new Float64Array(3)) },
      [
        [0, 8 / 6],
        [0, 8 / 6],
        [0, 8 / 6],
      ],
    ],
    [
      'of a banana',
      banana,
      { draws: 3000, tune: 1000, targetAcceptance: 0.95 },
      [
        [0, 1],
        [0, 2.25],
      ],
    ],
    [
      'of a banana, whitened where it bends',
      banana,
      { draws: 3000, tune: 1000, targetAcceptance: 0.95, whitening: whiteAt(Float64Array.of(0, -1)) },
      [
        [0, 1],
        [0, 2.25],
      ],
    ],
    ['of a normal in 60 dimensions', standardNormal(60), options, Array.from({ length: 3 }, () => [0, 1])],
  ])('%s', (_, density, how, moments) => {
    const results = chainsOf(density, how);
    moments.forEach(([mean, second], at) => {
      const d = density.dimension;
      expect(errorsFrom(results, d, at, (x) => x, mean)).toBeLessThan(3.5);
      expect(errorsFrom(results, d, at, (x) => (x - mean) ** 2, second)).toBeLessThan(3.5);
      expect(
        rHat(
          coordinateOf(
            results.map(({ draws }) => draws),
            d,
            at,
          ),
        ),
      ).toBeLessThan(1.02);
    });
  });
});

describe('a chain', () => {
  test('counts the divergences of a funnel and goes on', () => {
    const results = chainsOf(funnel, { draws: 500, tune: 500 });
    expect(total(results.flatMap(({ stats }) => [total(stats.diverging)]))).toBeGreaterThan(0);
    for (const { draws } of results) expect(draws.every(Number.isFinite)).toBe(true);
  });

  test('accepts as often as its step size was told to', () => {
    for (const targetAcceptance of [0.7, 0.8, 0.9]) {
      const results = chainsOf(standardNormal(20), { draws: 800, tune: 1000, targetAcceptance });
      const mean = total(results.map(({ stats }) => total(stats.acceptance) / 800)) / 4;
      // The step settles on an average of noisy ones, and the acceptance is not linear in it.
      expect(Math.abs(mean - targetAcceptance)).toBeLessThan(0.05);
    }
  });

  test.each([
    // With too few iterations of warm-up to try wide steps in, and with enough of them.
    [5, 150, 3, 1200],
    [25, 150, 3, 1200],
    [100, 150, 3, 1200],
    [5, 200, 1, 2000],
    [25, 200, 1, 2000],
    [100, 200, 1, 2000],
  ])('on a whitened normal of %i dimensions, warmed up for %i, takes %i gradients a draw', (d, tune, each, tails) => {
    const results = chainsOf(standardNormal(d), { draws: 1000, tune, whitening: whiteAt(new Float64Array(d)) });
    const gradients = total(results.map(({ stats }) => total(stats.leapfrogs)));
    expect(Math.abs(gradients / 4000 - each)).toBeLessThan(0.1);
    const draws = results.map((result) => result.draws);
    const coordinates = Array.from({ length: 5 }, (_, k) => coordinateOf(draws, d, k));
    expect(Math.min(...coordinates.map(bulkEss))).toBeGreaterThan(4000);
    expect(Math.min(...coordinates.map(tailEss))).toBeGreaterThan(tails);
    coordinates.forEach((_, at) => {
      expect(errorsFrom(results, d, at, (x) => x ** 2, 1)).toBeLessThan(3.5);
    });
  });

  test('takes no wide steps where few of them are accepted', () => {
    const whitening = whiteAt(Float64Array.of(0, -1));
    for (const { stats } of chainsOf(banana, { draws: 200, tune: 400, whitening })) {
      expect(stats.stepSize).toBeLessThan(1.3);
      expect(Math.max(...stats.depth)).toBeGreaterThan(1);
    }
  });

  test('is as good where scales differ by ten orders of magnitude', () => {
    const scales = Float64Array.of(1e-5, 1, 1e5);
    const density: LogDensity = {
      dimension: 3,
      evaluate(x, gradient) {
        let sum = 0;
        scales.forEach((scale, i) => {
          gradient[i] = -x[i]! / scale ** 2;
          sum -= 0.5 * (x[i]! / scale) ** 2;
        });
        return sum;
      },
    };
    const results = chainsOf(density, { draws: 1000, tune: 1000 });
    scales.forEach((scale, i) => {
      expect(errorsFrom(results, 3, i, (x) => (x / scale) ** 2, 1)).toBeLessThan(3.5);
    });
  });

  test('is the same bytes for the same seed, and others for another', () => {
    const options = { draws: 50, tune: 100 };
    const [first, again, other] = [1, 1, 2].map((seed) => runChain(banana, options, createStream(seed, 'bytes')));
    expect(again).toEqual(first);
    expect(other!.draws).not.toEqual(first!.draws);
  });

  test('goes one iteration at a time, and has exactly the draws asked for', () => {
    const chain = new Chain(banana, { draws: 7, tune: 5 }, createStream(1, 'steps'));
    let steps = 0;
    for (; !chain.finished; steps++) {
      expect(chain.iteration).toBe(steps);
      chain.advance();
    }
    expect(steps).toBe(12);
    chain.advance();
    expect(chain.iteration).toBe(12);
    const { draws, stats } = chain.result();
    expect(draws).toHaveLength(14);
    expect([stats.acceptance.length, stats.depth.length, stats.diverging.length]).toEqual([7, 7, 7]);
    expect(draws).toEqual(runChain(banana, { draws: 7, tune: 5 }, createStream(1, 'steps')).draws);
  });

  test.each([
    ['a funnel', funnel, null],
    ['a whitened banana', banana, whiteAt(Float64Array.of(0, -1))],
    ['a whitened normal, by wide steps', standardNormal(3), whiteAt(new Float64Array(3))],
  ])('keeps every fourth draw of %s where it is told to', (_, density, whitening) => {
    const [draws, tune, thin, d] = [60, 200, 4, density.dimension];
    const [all, some] = [{ draws: draws * thin }, { draws, thin }].map((own) =>
      runChain(density, { ...own, tune, whitening, targetAcceptance: 0.5 }, createStream(3, 'thin')),
    );
    const kept = times(draws, (i) => i * thin + thin - 1);
    expect([...some!.draws]).toEqual(kept.flatMap((at) => [...all!.draws.subarray(at * d, (at + 1) * d)]));
    const { stats } = all!;
    const between = (of: ArrayLike<number>) => kept.map((at) => Array.from(of).slice(at - thin + 1, at + 1));
    const most = (of: ArrayLike<number>) => between(of).map((own) => Math.max(...own));
    expect({ ...some!.stats, ...inArrays(some!.stats) }).toEqual({
      ...stats,
      acceptance: kept.map((at) => stats.acceptance[at]),
      energy: kept.map((at) => stats.energy[at]),
      depth: most(stats.depth),
      leapfrogs: between(stats.leapfrogs).map(total),
      diverging: most(stats.diverging),
    });
    if (density === funnel) expect(total(some!.stats.diverging)).toBeGreaterThan(0);
    expect(runChain(density, { draws: 9, tune, thin: 1 }, createStream(3, 'one'))).toEqual(
      runChain(density, { draws: 9, tune }, createStream(3, 'one')),
    );
  });

  test('counts all iterations, and the draws on whose way one diverged, where it keeps every third', () => {
    const options = { draws: 80, tune: 200, thin: 3, targetAcceptance: 0.5 };
    const chain = new Chain(funnel, options, createStream(3, 'thin'));
    let steps = 0;
    let divergences = 0;
    for (; !chain.finished; steps++) {
      expect(chain.iteration).toBe(steps);
      chain.advance();
      expect(chain.divergences - divergences).toBeLessThanOrEqual(1);
      divergences = chain.divergences;
    }
    expect(steps).toBe(440);
    expect(divergences).toBeGreaterThan(0);
    expect(divergences).toBe(total(chain.result().stats.diverging));
  });

  test('needs no warm-up to be valid', () => {
    const results = chainsOf(standardNormal(2), { draws: 2000, tune: 0 });
    expect(errorsFrom(results, 2, 0, (x) => x * x, 1)).toBeLessThan(3.5);
  });
});
