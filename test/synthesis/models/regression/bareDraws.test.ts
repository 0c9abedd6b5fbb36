import { describe, expect, test } from 'vitest';
import type { Family } from '../../../../packages/contract/families.ts';
import { familyOf } from '../../../../packages/numerics/distributions/families.ts';
import { createStream } from '../../../../packages/numerics/random/createStream.ts';
import { predictResponse } from '../../../../packages/numerics/regression/predict.ts';
import { bayesianRegression } from '../../../../packages/synthesis/models/regression/bayesianRegression.ts';
import { fitTarget, predictorsOf, readTarget } from '../../../../packages/synthesis/models/regression/fitTarget.ts';
import { fitTask, numeric, silent, tableOf } from '../tables.ts';
import { fitOne, times } from './fitOne.ts';

const random = createStream(61, 'bare');
const ROWS = 400;
const x = times(ROWS, random.normal);
const given = [numeric('x', x)];
const noisy = (): number[] => times(ROWS, (i) => 1000 + 40 * x[i]! + 100 * random.normal());
const y = noisy();

describe('a target that is not calibrated', () => {
  test('is the posterior predictive draws, in units of the column', async () => {
    const task = fitTask(tableOf(numeric('y', y), ...given), ['y'], ['x'], 1);
    const settings = { ...task.settings, draws: 100, tune: 200, family: 'gaussian' as const, calibrate: false };
    const target = readTarget(task.table, 'y', 'gaussian');
    const { model, sampled } = await fitTarget({ ...task, settings }, target);
    const fitted = await bayesianRegression.fit({ ...task, settings });
    const made = tableOf(...given);
    const [column] = await fitted.sample({
      rows: ROWS,
      made,
      random: createStream(7, 'sample'),
      representative: true,
      onProgress: silent,
    });
    const stream = createStream(7, 'sample').child('y');
    const draws = predictResponse(model, predictorsOf(made, ['x']), ROWS, stream);
    const { offset, factor } = sampled.scale;
    expect(column).toMatchObject({ values: draws.map((draw) => offset + factor * draw) });
  });

  test('reaches beyond the real numbers, has none of the repeated ones, and differs from a calibrated one', async () => {
    const heaped = y.map((value) => Math.min(1100, Math.max(900, 10 * Math.round(value / 10))));
    const [bare, calibrated] = [
      await fitOne('gaussian', heaped, given, { calibrate: false }),
      await fitOne('gaussian', heaped, given),
    ];
    const [free, held] = [await bare.sample(5), await calibrated.sample(5)];
    expect(Math.max(...held)).toBeLessThanOrEqual(1100);
    expect(Math.max(...free)).toBeGreaterThan(1150);
    expect(Math.min(...free)).toBeLessThan(850);
    expect(new Set(free).size).toBe(free.length);
    expect([bare.metrics.calibrated, calibrated.metrics.calibrated]).toEqual([false, true]);
    expect(JSON.stringify(bare.fitted.diagnostics().notes)).toContain('not calibrated');
  });

  test('is drawn alike from a model that was saved and restored', async () => {
    const { fitted, sample } = await fitOne('gaussian', y, given, { calibrate: false });
    const restored = bayesianRegression.restore(JSON.parse(JSON.stringify(fitted.save())));
    const task = { rows: ROWS, made: tableOf(...given), random: createStream(7, 'sample'), onProgress: silent };
    expect((await restored.sample(task))[0]).toMatchObject({ values: await sample() });
  });

  test.each<[Family, (eta: number) => number]>([
    ['gamma', (eta) => Math.exp(eta) * random.gamma(2)],
    ['hurdle_lognormal', (eta) => (random.uniform() < 0.3 ? 0 : Math.exp(eta + random.normal()))],
    ['negative_binomial', (eta) => Math.floor(Math.exp(eta) * random.gamma(2))],
    ['bernoulli', (eta) => (random.uniform() < 0.5 + eta / 10 ? 1 : 0)],
  ])('lies in the support of %s', async (family, draw) => {
    const { sample } = await fitOne(family, x.map(draw), given, { calibrate: false });
    expect((await sample()).every(familyOf(family).support.holds)).toBe(true);
  });

  test('leaves rows that were not fitted at uniform places among their draws', async () => {
    const fresh = noisy();
    const { sample } = await fitOne('gaussian', y, given, { calibrate: false });
    const passes = 60;
    const draws = await sample(passes);
    const places = fresh.map((value, row) => {
      let below = 0;
      for (let pass = 0; pass < passes; pass++) if (draws[pass * ROWS + row]! < value) below++;
      return (below + random.uniform()) / (passes + 1);
    });
    const sorted = places.toSorted((a, b) => a - b);
    const distance = Math.max(...sorted.map((place, i) => Math.max((i + 1) / ROWS - place, place - i / ROWS)));
    // Kolmogorov: 1.63 / √n has probability 0.01 under uniformity; the seed is fixed.
    expect(distance).toBeLessThan(1.63 / Math.sqrt(ROWS));
  });
});
