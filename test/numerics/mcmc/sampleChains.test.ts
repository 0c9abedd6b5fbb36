import { describe, expect, test } from 'vitest';
import { NoStartError } from '../../../packages/numerics/mcmc/chain.ts';
import { type SamplingCounts, type SamplingTask, sampleChains } from '../../../packages/numerics/mcmc/sampleChains.ts';
import { createStream } from '../../../packages/numerics/random/createStream.ts';
import { prepareRegression } from '../../../packages/numerics/regression/prepareRegression.ts';
import { regressionProgram } from '../../../packages/numerics/regression/runChains.ts';
import type { RegressionSpec } from '../../../packages/numerics/regression/spec.ts';
import { shareArrays, WorkerDiedError } from '../../../packages/numerics/workers.ts';
import { type GaussianData, gaussianDensity } from './gaussianDensity.ts';

const program = { build: gaussianDensity, entry: new URL('./gaussianWorker.ts', import.meta.url) };
const data: GaussianData = { mean: Float64Array.of(1, -2, 3), failsAfter: null, finite: true, repeats: 1 };
/** Three hours of work. */
const endless: GaussianData = { ...data, repeats: 100_000 };

function task(over: Partial<SamplingTask<GaussianData>> = {}): SamplingTask<GaussianData> {
  return {
    program,
    data,
    options: { draws: 120, tune: 100 },
    chains: 4,
    gradientFlops: 10,
    random: createStream(7, 'sampleChains'),
    onProgress: async () => undefined,
    yieldToEventLoop: async () => undefined,
    ...over,
  };
}

describe('sampleChains', () => {
  test('gives the same draws and figures whatever the number of workers, and none', async () => {
    const here = await sampleChains(task({ workers: 0 }));
    expect(here).toHaveLength(4);
    for (const workers of [1, 2, 4]) expect(await sampleChains(task({ workers }))).toEqual(here);
  });

  test('gives every chain draws of its own, exactly as many as asked for', async () => {
    const results = await sampleChains(task());
    const firsts = results.map(({ draws, stats }) => {
      expect(draws).toHaveLength(120 * 3);
      expect(stats.energy).toHaveLength(120);
      return draws[0];
    });
    expect(new Set(firsts).size).toBe(4);
  });

  test('samples a regression in worker threads as it does here', async () => {
    const x = Float64Array.from({ length: 40 }, (_, i) => (i % 2 === 0 ? 1 : Math.sin(i)));
    const spec: RegressionSpec = {
      family: 'poisson',
      y: Float64Array.from({ length: 20 }, (_, i) => i % 4),
      weights: null,
      predictors: [
        {
          kind: 'linear',
          parameter: 'mu',
          design: { kind: 'dense', rows: 20, cols: 2, values: x },
          names: ['intercept', 'x'],
          priors: [
            { kind: 'normal', mean: 0, sd: 2 },
            { kind: 'normal', mean: 0, sd: 2 },
          ],
          pools: [],
        },
      ],
    };
    const { onProgress, yieldToEventLoop, random } = task();
    const options = { draws: 50, tune: 100 };
    const regression = {
      program: regressionProgram,
      data: prepareRegression(spec),
      options,
      chains: 2,
      gradientFlops: 200,
      random,
    };
    const here = await sampleChains({ ...regression, onProgress, yieldToEventLoop, workers: 0 });
    expect(await sampleChains({ ...regression, onProgress, yieldToEventLoop, workers: 2 })).toEqual(here);
  });

  test.each([0, 2])(
    'says how far it is ten times at most, the last one at the end, with %i workers',
    async (workers) => {
      const events: SamplingCounts[] = [];
      const onProgress = async (counts: SamplingCounts) => void events.push(counts);
      await sampleChains(task({ workers, onProgress, gradientFlops: 1e6 }));
      expect(events.length).toBeLessThanOrEqual(10);
      expect(events.at(-1)).toMatchObject({ done: 880, total: 880 });
    },
  );

  test.each([0, 2])('counts the iterations between the draws it keeps, with %i workers', async (workers) => {
    const events: SamplingCounts[] = [];
    const onProgress = async (counts: SamplingCounts) => void events.push(counts);
    const options = { draws: 40, tune: 100, thin: 3 };
    const results = await sampleChains(task({ workers, onProgress, options, gradientFlops: 1e6 }));
    expect(events.length).toBeLessThanOrEqual(10);
    expect(events.at(-1)).toMatchObject({ done: 880, total: 880 });
    for (const { draws, stats } of results) expect([draws.length, stats.energy.length]).toEqual([120, 40]);
  });

  test.each([
    [0, 5e6],
    [2, 1e9],
  ])('ends within a second when the job is stopped, with %i workers', async (workers, gradientFlops) => {
    const stop = new Error('stop');
    let stopped = Number.POSITIVE_INFINITY;
    setTimeout(() => {
      stopped = performance.now();
    }, 300);
    const yieldToEventLoop = async () => {
      await new Promise((resolve) => setImmediate(resolve));
      if (stopped < Number.POSITIVE_INFINITY) throw stop;
    };
    const options = { draws: 10_000, tune: 10_000 };
    // Without threads only work that is cheap by count is done; there a stop is seen between iterations.
    const work = workers === 0 ? { ...data, repeats: 1000 } : endless;
    await expect(sampleChains(task({ workers, data: work, gradientFlops, options, yieldToEventLoop }))).rejects.toBe(
      stop,
    );
    expect(performance.now() - stopped).toBeLessThan(1000);
  });

  test('tells of a thread that dies, with what it died of', async () => {
    const error = await sampleChains(task({ workers: 2, data: { ...data, failsAfter: 500 } })).catch((e) => e);
    expect(error).toBeInstanceOf(WorkerDiedError);
    expect(error).toMatchObject({ outOfMemory: false, cause: { message: 'told to fail' } });
  });

  test.each([0, 2])('tells of a density that is finite nowhere, with %i workers', async (workers) => {
    const error = await sampleChains(task({ workers, data: { ...data, finite: false } })).catch((e) => e);
    expect(error).toBeInstanceOf(NoStartError);
    expect(error).toMatchObject({ tries: 100 });
  });
});

describe('shareArrays', () => {
  test('keeps the data, puts numbers on shared memory once, and copies none that are there already', () => {
    const twice = Float64Array.of(1, 2);
    const shared = shareArrays({ a: [twice, { b: twice, c: Int32Array.of(3) }], d: 'x', e: null });
    expect(shared).toEqual({ a: [twice, { b: twice, c: Int32Array.of(3) }], d: 'x', e: null });
    const [first, second] = shared.a;
    expect(first).toBe((second as { b: Float64Array }).b);
    expect((first as Float64Array).buffer).toBeInstanceOf(SharedArrayBuffer);
    expect(shareArrays(shared).a[0]).toBe(first);
    expect(shareArrays(new Map([['a', twice]])).get('a')!.buffer).toBeInstanceOf(SharedArrayBuffer);
  });

  test.each([Float64Array, Float32Array, Int32Array, Uint32Array, Uint8Array])('shares a %o', (Kind) => {
    const { own } = shareArrays({ own: Kind.of(1, 2, 3) });
    expect(own).toEqual(Kind.of(1, 2, 3));
    expect(own.buffer).toBeInstanceOf(SharedArrayBuffer);
  });

  test('refuses what it would not keep', () => {
    for (const kept of [new Set([1]), new Date(0), Int16Array.of(1)])
      expect(() => shareArrays({ kept })).toThrow(TypeError);
  });
});
