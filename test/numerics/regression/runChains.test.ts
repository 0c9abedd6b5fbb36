import { describe, expect, test } from 'vitest';
import { createStream } from '../../../packages/numerics/random/createStream.ts';
import {
  openPosterior,
  prepareRegression,
  whitenPosterior,
} from '../../../packages/numerics/regression/prepareRegression.ts';
import {
  type ChainRun,
  FIRST,
  LONGER,
  runChains,
  SECOND,
  untilConverged,
} from '../../../packages/numerics/regression/runChains.ts';
import type { SamplingProgress } from '../../../packages/numerics/regression/samplingTask.ts';
import { silent } from '../../synthesis/models/tables.ts';
import { randomSpec } from './specs.ts';

interface Outcome {
  worstRHat: number;
  leastBulkEss: number;
  divergences: number;
  converged: boolean;
  gradients: number;
}

const good: Outcome = { worstRHat: 1.002, leastBulkEss: 3000, divergences: 0, converged: true, gradients: 100 };
/** Of four chains of 1,000 draws: a greatest R-hat by chance. */
const near: Outcome = { ...good, worstRHat: 1.011, leastBulkEss: 8000, divergences: 4, converged: false };
const apart: Outcome = { ...near, worstRHat: 1.06 };
const sticky: Outcome = { ...near, leastBulkEss: 399 };
const diverging: Outcome = { ...near, divergences: 5 };
const agreeing: Outcome = { ...good, divergences: 50, converged: false };
const unknown: Outcome = { ...near, worstRHat: Number.NaN };

describe('chains that did not converge', () => {
  /** What is run where the runs end so, what is said before each but the first, and what is given. */
  async function runsOf(outcomes: readonly Outcome[], isLong = false) {
    const runs: ChainRun[] = [];
    const said: SamplingProgress[] = [];
    const task = { draws: 1000, onProgress: (progress: SamplingProgress) => void said.push(progress) };
    const drawn = await untilConverged(task, isLong, async (how) => {
      runs.push(how);
      return outcomes[runs.length - 1]!;
    });
    expect(said).toEqual(
      outcomes.slice(0, runs.length - 1).map(({ worstRHat, leastBulkEss, divergences }) => ({
        fact: 'chains_repeated',
        parameter: null,
        worstRHat,
        leastBulkEss,
        divergences,
      })),
    );
    expect(drawn.gradients).toBe(100 * runs.length);
    return { runs, drawn };
  }

  test.each<[string, Outcome[], ChainRun[], Outcome, boolean?]>([
    ['are none where the first have', [good], [FIRST], good],
    ['are run for longer where R-hat alone is a little above its limit', [near, good], [FIRST, LONGER], good],
    ['are run with small steps where that did not help', [near, near, good], [FIRST, LONGER, SECOND], good],
    ['are not run for longer where R-hat is far above', [apart, good], [FIRST, SECOND], good],
    ['nor where effective draws are few', [sticky, good], [FIRST, SECOND], good],
    ['nor where some diverged', [diverging, good], [FIRST, SECOND], good],
    ['nor where R-hat is not known', [unknown, near], [FIRST, SECOND], unknown],
    ['nor where they agree and diverge', [agreeing, good], [FIRST, SECOND], good],
    ['are left so where they agree, and are long', [agreeing], [FIRST], agreeing, true],
    ['are left so after a longer run, too', [near, agreeing], [FIRST, LONGER], agreeing, true],
    ['are run again where they are long and disagree', [apart, good], [FIRST, SECOND], good, true],
  ])('%s', async (_, outcomes, expected, given, isLong) => {
    const { runs, drawn } = await runsOf(outcomes, isLong);
    expect(runs).toEqual(expected);
    expect(drawn).toEqual({ ...given, gradients: drawn.gradients });
  });

  test.each([
    [1.04, 1.02, 1.03, 1.02],
    [1.02, 1.04, 1.03, 1.02],
    [1.04, 1.03, 1.02, 1.02],
  ])('are given by the least R-hat, of %d, %d and %d', async (...values) => {
    const least = values.pop();
    const { runs, drawn } = await runsOf(values.map((worstRHat) => ({ ...near, worstRHat })));
    expect(runs).toEqual([FIRST, LONGER, SECOND]);
    expect(drawn.worstRHat).toBe(least);
  });
});

describe('a longer run', () => {
  test('has the draws that are asked for, of three times as many iterations, in a stream of its own', async () => {
    const spec = randomSpec('gaussian', 60, 4, 1, createStream(6, 'longer'));
    const prepared = prepareRegression(spec);
    const posterior = openPosterior(prepared);
    const whitened = await whitenPosterior(spec, posterior.start, posterior, silent);
    const ran = async (how: ChainRun) => {
      const said: SamplingProgress[] = [];
      const task = {
        spec,
        start: posterior.start,
        draws: 250,
        tune: 300,
        random: createStream(2, 'draw'),
        onProgress: (progress: SamplingProgress) => void said.push(progress),
        yieldToEventLoop: silent,
        workers: 0,
      };
      return { ...(await runChains(task, prepared, whitened, how)).drawn, last: said.at(-1) };
    };
    const [first, longer] = [await ran(FIRST), await ran(LONGER)];
    expect(first.last).toMatchObject({ fact: 'chains_sampled', done: 1800, total: 1800 });
    expect(longer.last).toMatchObject({ fact: 'chains_sampled', done: 3800, total: 3800 });
    expect(longer.chains.map(({ length }) => length)).toEqual(first.chains.map(({ length }) => length));
    expect(longer).toMatchObject({ tune: 200, converged: true });
    expect(longer.gradients).toBeGreaterThan(2 * first.gradients);
    expect(longer.chains[0]!.slice(0, 4)).not.toEqual(first.chains[0]!.slice(0, 4));
  });
});
