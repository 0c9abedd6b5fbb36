import { describe, expect, test } from 'vitest';
import { JobError } from '../../../../packages/contract/errors.ts';
import type { ProgressEvent } from '../../../../packages/contract/events.ts';
import { createStream } from '../../../../packages/numerics/random/createStream.ts';
import { bayesianRegression } from '../../../../packages/synthesis/models/regression/bayesianRegression.ts';
import { category, fitTask, numeric, silent, tableOf } from '../tables.ts';
import { fitOne, times } from './fitOne.ts';

const random = createStream(12, 'fit target');
const ROWS = 400;
const x = times(ROWS, random.normal);
const towns = Array.from({ length: ROWS }, (_, i) => ['Ash', 'Elm', 'Oak', null][i % 4] ?? null);
/** Spread grows with x; town moves the mean. */
const y = times(ROWS, (i) => 10 * (i % 4) + 5 * x[i]! + Math.exp(x[i]! / 2) * random.normal());
const given = [numeric('x', x), category('town', towns)];

describe('the fit of a target', () => {
  test.each([
    [100, 50, 50],
    [150, 300, 200],
  ])(
    'keeps exactly %i draws after %i of warm-up, 200 at most, in each of four chains, and says so',
    async (draws, asked, tune) => {
      const { metrics, events } = await fitOne('gaussian', y, given, { draws, tune: asked });
      expect(metrics.converged).toBe(true);
      expect(metrics).toMatchObject({ chains: 4, draws, tune, rows: ROWS, family: 'gaussian', target: 'y' });
      const total = 4 * (draws + tune);
      expect(events.findLast(({ fact }) => fact === 'chains_sampled')).toMatchObject({ done: total, total });
    },
  );

  test('is sampled as it was asked to, and says how', async () => {
    const counts = x.map((value) => Math.floor(Math.exp(2 + value / 3)));
    const asked = async (sampler: 'nuts' | 'approximate') => {
      const { metrics, events } = await fitOne('poisson', counts, [numeric('x', x)], { sampler });
      return { ...metrics, last: events.findLast(({ fact }) => fact === 'regression_fitted') };
    };
    const [chains, weighted] = [await asked('nuts'), await asked('approximate')];
    expect(chains).toMatchObject({ method: '4 chains of the no-U-turn sampler', pareto_k: null });
    expect(chains.last).toMatchObject({ method: 'chains' });
    expect(weighted.method).toMatch(/^importance sampling/);
    expect(weighted.summary).toMatch(/^Importance sampling passed its check \(Pareto k -?0\.\d\d, below 0\.7\)\.$/);
    expect(weighted.last).toMatchObject({ method: 'importance', worst_r_hat: null });
    expect(weighted.coefficients[0]).toMatchObject({ r_hat: null, bulk_ess: null, tail_ess: null });
  });

  test('has diagnostics of each listed coefficient, the worst of all parameters, and a leave-one-out score', async () => {
    const { metrics } = await fitOne('gaussian', y, given);
    const { coefficients, loo, parameters } = metrics;
    for (const { r_hat, bulk_ess, tail_ess } of coefficients) {
      expect(r_hat).toBeGreaterThan(0.98);
      expect(r_hat).toBeLessThanOrEqual(metrics.worst_r_hat!);
      expect(bulk_ess).toBeGreaterThanOrEqual(metrics.least_bulk_ess!);
      expect(tail_ess).toBeGreaterThanOrEqual(metrics.least_tail_ess!);
    }
    expect(loo).toMatchObject({ rows: ROWS });
    expect(loo!.parameters).toBeGreaterThan(1);
    expect(loo!.parameters).toBeLessThan(parameters);
    // The noise has a median spread of 1: a gaussian that knew it all would score about -1.4 a row.
    expect(loo!.elpd / ROWS).toBeLessThan(-1.2);
    expect(loo!.elpd / ROWS).toBeGreaterThan(-2);
  });

  test('says that it was tried again with three times the warm-up where chains did not agree', async () => {
    const { metrics, events } = await fitOne('gaussian', [3, 5], [numeric('x', [1, 2])], { draws: 40, tune: 5 });
    expect(events.some(({ fact }) => fact === 'chains_repeated')).toBe(true);
    expect([5, 15]).toContain(metrics.tune);
    expect(metrics.draws).toBe(40);
  });

  test('names no level of fewer than eight rows, unless rare ones are kept', async () => {
    const rare = towns.map((town, i) => (i < 12 ? 'Yew' : i < 14 ? 'Fir' : town));
    const columns = [category('town', rare), category('twin', rare)];
    const { metrics } = await fitOne('gaussian', y, columns);
    expect(metrics.coefficients.map(({ name }) => name)).toContain('town = Yew');
    expect(JSON.stringify(metrics)).not.toContain('Fir');
    const kept = await fitOne('gaussian', y, columns, { keepRare: true });
    expect(JSON.stringify(kept.metrics)).toContain('town = Fir');
  });

  test('has coefficients in the units of the target, and their priors', async () => {
    const far = y.map((value) => 5000 + 100 * value);
    const [near, moved] = [await fitOne('gaussian', y, given), await fitOne('gaussian', far, given)];
    expect(moved.metrics.coefficients.map(({ name }) => name)).toEqual(
      near.metrics.coefficients.map(({ name }) => name),
    );
    near.metrics.coefficients.forEach(({ name, mean, sd, q05, q95 }, at) => {
      const other = moved.metrics.coefficients[at]!;
      const offset = name === 'intercept' ? 5000 : 0;
      expect(other.sd).toBeCloseTo(100 * sd, 6);
      expect(other.mean).toBeCloseTo(offset + 100 * mean, 6);
      expect(other.q05).toBeCloseTo(offset + 100 * q05, 6);
      expect(q05 <= mean && mean <= q95).toBe(true);
    });
    const priors = new Map(moved.metrics.coefficients.map(({ name, prior }) => [name, prior]));
    expect(priors.get('intercept')).toMatch(/^N\(\d+, \d+/);
    const [, rate] = /^Exp\((.*)\)$/.exec(priors.get('sigma')!)!;
    expect(1 / Number(rate)).toBeGreaterThan(1000);
  });

  test('gives the same sample after it was saved and restored, for the same stream', async () => {
    for (const family of ['gaussian', 'student_t'] as const) {
      const { fitted, sample } = await fitOne(family, y, given);
      const restored = bayesianRegression.restore(JSON.parse(JSON.stringify(fitted.save())));
      const task = { rows: ROWS, made: tableOf(...given), onProgress: silent };
      const again = await restored.sample({ ...task, random: createStream(7, 'sample') });
      expect(again[0]).toMatchObject({ values: await sample() });
      expect(restored.diagnostics()).toEqual(fitted.diagnostics());
    }
  });

  test('takes levels and numbers that it never saw', async () => {
    const { sample } = await fitOne('gaussian', y, given);
    const strange = [numeric('x', [1e300, -1e300, Number.NaN, 0]), category('town', ['Yew', null, 'Ash', 'Yew'])];
    const drawn = await sample(5, strange);
    expect(drawn.every((value) => value >= Math.min(...y) && value <= Math.max(...y))).toBe(true);
  });

  test('ends at the next yield once the job is to stop, and yields while it plans', async () => {
    const rows = 1000;
    const many = Array.from({ length: 6 }, (_, k) => numeric(`x${k}`, times(rows, random.normal)));
    const target = times(rows, () => Math.floor(random.gamma(1) * 5));
    const stop = new JobError({ reason: 'cancelled' });
    for (const breaths of [0, 1, 2, 8, 16]) {
      let left = breaths;
      const events: ProgressEvent[] = [];
      const yieldToEventLoop = async (): Promise<void> => {
        await new Promise((resolve) => setImmediate(resolve));
        if (left-- <= 0) throw stop;
      };
      const task = fitTask(
        tableOf(numeric('y', target), ...many),
        ['y'],
        many.map(({ name }) => name),
      );
      const settings = { ...task.settings, draws: 2000, tune: 2000, family: 'negative_binomial' as const };
      const onProgress = async (event: ProgressEvent): Promise<void> => void events.push(event);
      await expect(bayesianRegression.fit({ ...task, settings, yieldToEventLoop, onProgress })).rejects.toBe(stop);
      // The regression and the density beside it, each at its own next one.
      expect([-1, -2]).toContain(left);
      if (breaths <= 8) expect(events).toEqual([]);
    }
  });
});
