import { describe, expect, test } from 'vitest';
import type { Family } from '../../../packages/contract/families.ts';
import { createStream } from '../../../packages/numerics/random/createStream.ts';
import { findMode } from '../../../packages/numerics/regression/findMode.ts';
import { fixPools } from '../../../packages/numerics/regression/fixPools.ts';
import { planRegression } from '../../../packages/numerics/regression/planRegression.ts';
import {
  createPosterior,
  openPosterior,
  prepareRegression,
} from '../../../packages/numerics/regression/prepareRegression.ts';
import { drawByImportance } from '../../../packages/numerics/regression/sampleLaplace.ts';
import { drawBySubsample, samplePosterior } from '../../../packages/numerics/regression/samplePosterior.ts';
import { prepareSubsample } from '../../../packages/numerics/regression/sampleSubsample.ts';
import type {
  PosteriorDraws,
  PosteriorTask,
  SamplingProgress,
} from '../../../packages/numerics/regression/samplingTask.ts';
import type { RegressionSpec } from '../../../packages/numerics/regression/spec.ts';
import { momentsOf, times } from '../../synthesis/models/regression/fitOne.ts';
import { silent } from '../../synthesis/models/tables.ts';

const random = createStream(77, 'importance');
const ROWS = 500;
const x = Float64Array.from(times(ROWS, random.normal));
const levels = Array.from({ length: 12 }, (_, i) => `level ${i}`);
const effects = levels.map(() => 0.4 * random.normal());
const codes = Int32Array.from(times(ROWS, (i) => i % levels.length));
const predictors = [
  { kind: 'numeric' as const, name: 'x', values: x },
  { kind: 'category' as const, name: 'level', codes, levels },
];
const eta = Float64Array.from(times(ROWS, (i) => 0.5 * x[i]! + effects[codes[i]!]!));

async function planned(family: Family, draw: (eta: number) => number) {
  const { spec } = await planRegression(family, eta.map(draw), predictors, createStream(5, 'plan'), silent);
  return { pooled: spec, ...(await fixPools(spec, silent)) };
}

const poisson = await planned('poisson', (own) => Math.floor(Math.exp(1 + own) + random.uniform()));

const gamma = await planned('gamma', (own) => Math.exp(own) * random.gamma(3));
const bernoulli = await planned('bernoulli', (own) => (random.uniform() < 1 / (1 + Math.exp(-2 * own)) ? 1 : 0));

/** Chains of each, run once. */
const chainsOf = new Map<unknown, Promise<PosteriorDraws>>();
function chainsOver(own: { spec: PosteriorTask['spec']; start: Float64Array }): Promise<PosteriorDraws> {
  const drawn = chainsOf.get(own) ?? samplePosterior(task(own, 250));
  chainsOf.set(own, drawn);
  return drawn;
}

const task = (own: { spec: PosteriorTask['spec']; start: Float64Array }, draws: number): PosteriorTask => ({
  ...own,
  draws,
  tune: 200,
  random: createStream(2, 'draw'),
  onProgress: silent,
  yieldToEventLoop: silent,
});

function columnOf({ posterior, chains }: PosteriorDraws, at: number): number[] {
  const d = posterior.dimension;
  return chains.flatMap((chain) => times(chain.length / d, (i) => chain[i * d + at]!));
}

describe('drawByImportance', () => {
  test.each([
    ['poisson', poisson],
    ['gamma', gamma],
    ['bernoulli', bernoulli],
  ])('has the means and standard deviations of chains, for %s', async (_, own) => {
    const [weighted, sampled] = [await drawByImportance(task(own, 250)), await chainsOver(own)];
    expect(sampled.converged).toBe(true);
    expect(weighted.converged).toBe(true);
    expect(weighted.paretoShape).toBeLessThan(0.7);
    expect(weighted.chains.map((chain) => chain.length)).toEqual(sampled.chains.map((chain) => chain.length));
    for (let at = 0; at < sampled.posterior.dimension; at++) {
      const [one, other] = [momentsOf(columnOf(weighted, at)), momentsOf(columnOf(sampled, at))];
      // Five Monte Carlo errors of 400 effective draws for each.
      expect(Math.abs(one.mean - other.mean) / other.sd).toBeLessThan(0.25);
      expect(Math.abs(one.sd / other.sd - 1)).toBeLessThan(0.2);
    }
  });

  test('says that no chains are run, and stops where the job is to stop', async () => {
    const events: SamplingProgress[] = [];
    await drawByImportance({ ...task(poisson, 50), onProgress: async (event) => void events.push(event) });
    expect(events[0]).toEqual({ fact: 'importance_sampling', parameter: null, rows: 500 });
    expect(events.at(-1)).toMatchObject({ fact: 'proposals_weighted', total: expect.any(Number) });
    const stop = new Error('stop');
    const stopping = { ...task(poisson, 50), yieldToEventLoop: () => Promise.reject(stop) };
    await expect(drawByImportance(stopping)).rejects.toBe(stop);
  });
});

describe('the sampler that is asked for', () => {
  /** A yes in each of eight levels of one row: every effect has a long tail on one side. */
  const skewed: RegressionSpec = {
    family: 'bernoulli',
    y: new Float64Array(8).fill(1),
    weights: null,
    predictors: [
      {
        kind: 'linear',
        parameter: 'mu',
        design: {
          kind: 'dense',
          rows: 8,
          cols: 8,
          values: Float64Array.from({ length: 64 }, (_, k) => (k % 9 === 0 ? 1 : 0)),
        },
        names: levels.slice(0, 8),
        priors: levels.slice(0, 8).map(() => ({ kind: 'normal', mean: 0, sd: 20 })),
        pools: [],
      },
    ],
  };

  test.each([
    ['auto', 'chains'],
    ['nuts', 'chains'],
    ['approximate', 'importance'],
  ] as const)('%s gives draws of %s where both pass their checks', async (sampler, method) => {
    const drawn = await samplePosterior({ ...task(poisson, 50), sampler });
    expect(drawn.method).toBe(method);
    expect(drawn.paretoShape === null).toBe(method === 'chains');
  });

  test('never uses an approximation that failed its check: chains are run instead', async () => {
    const events: SamplingProgress[] = [];
    const drawn = await samplePosterior({
      ...task({ spec: skewed, start: new Float64Array(8) }, 100),
      sampler: 'approximate',
      onProgress: (event) => void events.push(event),
    });
    expect(drawn).toMatchObject({ method: 'chains', paretoShape: null });
    const rejected = events.find(({ fact }) => fact === 'approximation_rejected');
    expect(rejected).toMatchObject({ paretoShape: expect.any(Number) });
  });
});

describe('drawBySubsample', () => {
  const prepared = prepareRegression(gamma.spec);

  test('has the density of all rows and its two derivatives at the mode, and everywhere where it is of all rows', async () => {
    const posterior = openPosterior(prepared);
    const { position } = findMode(posterior, gamma.start);
    const d = posterior.dimension;
    const [one, other] = [new Float64Array(d), new Float64Array(d)];
    const some = openPosterior(prepareSubsample(gamma.spec, prepared, position, 100, createStream(3, 'rows')));
    expect(some.evaluate(position, one)).toBeCloseTo(posterior.evaluate(position, other), 6);
    // Sums of hundreds of terms, times five.
    one.forEach((value, j) => {
      expect(value).toBeCloseTo(other[j]!, 6);
    });
    const [near, exact] = [some.hessian(position), posterior.hessian(position)];
    near.forEach((value, k) => {
      expect(Math.abs(value - exact[k]!)).toBeLessThan(1e-6 * exact[0]!);
    });
    const all = openPosterior(prepareSubsample(gamma.spec, prepared, position, ROWS, createStream(3, 'rows')));
    const away = position.map((value, j) => value + 0.1 * Math.cos(j));
    expect(all.evaluate(away, one)).toBeCloseTo(posterior.evaluate(away, other), 6);
  });

  test('gives the means of chains over all rows where its error is small, and says how large it is', async () => {
    const drawn = await drawBySubsample(task(gamma, 250), prepared, 480);
    const sampled = await chainsOver(gamma);
    expect(drawn).toMatchObject({ method: 'subsample', converged: true, paretoShape: null });
    expect(drawn!.subsample).toMatchObject({ rows: 480, error: expect.any(Number) });
    expect(drawn!.subsample!.error).toBeLessThan(0.1);
    for (let at = 0; at < sampled.posterior.dimension; at++) {
      const [one, other] = [momentsOf(columnOf(drawn!, at)), momentsOf(columnOf(sampled, at))];
      // Its error, and five Monte Carlo errors of 800 effective draws each.
      expect(Math.abs(one.mean - other.mean) / other.sd).toBeLessThan(0.1 + 0.25);
    }
  });

  test('gives none where its rows do not stand for all of them, and says by how much', async () => {
    const events: SamplingProgress[] = [];
    const own = { ...task(gamma, 100), onProgress: (event: SamplingProgress) => void events.push(event) };
    expect(await drawBySubsample(own, prepared, 40)).toBeNull();
    expect(events[0]).toEqual({ fact: 'rows_chosen', parameter: null, rows: 40, total: ROWS });
    expect(events.at(-1)).toMatchObject({ fact: 'rows_rejected', error: expect.any(Number) });
  });
});

describe('fixPools', () => {
  const start = createPosterior(poisson.pooled).start;
  const free = samplePosterior(task({ spec: poisson.pooled, start }, 200));

  test('holds the scale of a pool where the posterior of the scale has its mass', async () => {
    const [mu] = poisson.spec.predictors;
    if (mu?.kind !== 'linear') throw new TypeError('mu is linear');
    expect(mu.pools).toEqual([]);
    const prior = mu.priors[mu.names.indexOf('level = level 3')]!;
    if (prior.kind !== 'normal') throw new TypeError('a held coefficient has a normal prior');
    const sampled = await free;
    const taus = columnOf(sampled, sampled.posterior.names.indexOf('sd(levels of level)')).sort((a, b) => a - b);
    expect(prior.sd).toBeGreaterThan(taus[Math.floor(0.1 * taus.length)]!);
    expect(prior.sd).toBeLessThan(taus[Math.floor(0.9 * taus.length)]!);
  });

  test('leaves coefficients with the means that they have with the scale sampled', async () => {
    const held = await samplePosterior(task(poisson, 200));
    const sampled = await free;
    for (let at = 0; at < held.posterior.dimension; at++) {
      const [one, other] = [momentsOf(columnOf(held, at)), momentsOf(columnOf(sampled, at))];
      // Five Monte Carlo errors, and what the scale's own uncertainty moves.
      expect(Math.abs(one.mean - other.mean) / other.sd).toBeLessThan(0.5);
    }
  });

  test('begins the search for the mode next to it', () => {
    const posterior = createPosterior(poisson.spec);
    expect(poisson.start).toHaveLength(posterior.dimension);
    const gradient = new Float64Array(posterior.dimension);
    const here = posterior.evaluate(poisson.start, gradient);
    expect(here).toBeGreaterThan(posterior.evaluate(posterior.start, gradient));
  });
});

describe('fixPools of a family with atoms', () => {
  test('learns the scales of what is no atom from all of its rows, however few they are among the others', async () => {
    // 400 costs among 20,000 zeros: a share of all rows would leave 160 of them, and another scale.
    const among = 20_400;
    const at = (row: number): number => (row % 51 === 0 ? row / 51 : -1);
    const own = (row: number): number => at(row) % ROWS;
    const cost = times(400, (i) => Math.exp(1 + 2 * effects[codes[i % ROWS]!]! + 0.5 * random.normal()));
    const wide = [
      { ...predictors[0]!, values: Float64Array.from(times(among, (row) => x[Math.max(0, own(row))]!)) },
      { ...predictors[1]!, codes: Int32Array.from(times(among, (row) => codes[Math.max(0, own(row))]!)) },
    ] as typeof predictors;
    const y = Float64Array.from(times(among, (row) => (at(row) < 0 ? 0 : cost[at(row)]!)));
    const costs = times(400, (i) => i * 51);
    const narrow = [
      { ...predictors[0]!, values: Float64Array.from(costs, (row) => x[own(row)]!) },
      { ...predictors[1]!, codes: Int32Array.from(costs, (row) => codes[own(row)]!) },
    ] as typeof predictors;
    const scaleOf = async (family: Family, values: Float64Array, of: typeof predictors): Promise<number> => {
      const { spec } = await planRegression(family, values, of, createStream(5, 'plan'), silent);
      const [mu] = (await fixPools(spec, silent)).spec.predictors;
      const prior = mu?.kind === 'linear' ? mu.priors[mu.names.indexOf('level = level 3')] : undefined;
      if (prior?.kind !== 'normal') throw new TypeError('a held coefficient has a normal prior');
      return prior.sd;
    };
    const alone = await scaleOf('lognormal', Float64Array.from(cost), narrow);
    expect((await scaleOf('hurdle_lognormal', y, wide)) / alone).toBeCloseTo(1, 2);
  });

  test('lets each of the rows kept of a common number count for those left out', async () => {
    // One in 53 of 20,000: the intercept of the atom is that of all rows.
    const n = 20_000;
    const levelsOf = Int32Array.from(times(n, (i) => i % levels.length));
    const atom = Float64Array.from(times(n, (i) => (i % 53 === 0 ? 0 : 1)));
    const of = [{ kind: 'category' as const, name: 'level', codes: levelsOf, levels }];
    const { spec } = await planRegression('bernoulli', atom, of, createStream(5, 'plan'), silent);
    const { start } = await fixPools(spec, silent);
    expect(start[0]!).toBeCloseTo(Math.log(52), 0);
  });
});

describe('samplePosterior of a family with atoms', () => {
  test('draws its parts apart, and puts their draws where the whole has them', async () => {
    const claims = Float64Array.from(eta, (own) => (random.uniform() < 0.4 ? 0 : Math.exp(own) * random.gamma(3)));
    const { spec } = await planRegression('hurdle_gamma', claims, predictors, createStream(5, 'claims'), silent);
    const held = { ...(await fixPools(spec, silent)) };
    const drawn = await samplePosterior(task(held, 300));
    expect(drawn.posterior.dimension * 300).toBe(drawn.chains[0]!.length);
    // The Laplace approximation of the whole: means of near-normal posteriors agree within its error.
    const whole = await drawByImportance(task(held, 300));
    whole.posterior.names.forEach((name, at) => {
      const [one, other] = [momentsOf(columnOf(drawn, at)), momentsOf(columnOf(whole, at))];
      expect(Math.abs(one.mean - other.mean) / other.sd, name).toBeLessThan(0.35);
    });
    expect(drawn.worstRHat).toBeLessThan(1.05);
    expect(drawn.paretoShape).toBeNull();
  });
});

describe('a family with atoms', () => {
  const values = Float64Array.from(
    times(600, (k) => (k % 3 === 0 ? 1 : Number(k % 3 === 1 + (Math.floor(k / 3) % 2)))),
  );
  const y = Float64Array.from(times(200, (i) => (i % 4 === 0 ? 0 : Math.exp((i % 2) / 2) * random.gamma(2))));
  const spec: RegressionSpec = {
    family: 'hurdle_gamma',
    y,
    weights: null,
    predictors: [
      {
        kind: 'linear',
        parameter: 'mu',
        design: { kind: 'dense', rows: 200, cols: 3, values },
        names: ['1', 'even', 'odd'],
        priors: ['1', 'even', 'odd'].map(() => ({ kind: 'normal', mean: 0, sd: 2 })),
        pools: [
          {
            name: 'parity',
            columns: Int32Array.from([1, 2]),
            sds: Float64Array.from([1, 1]),
            scale: { kind: 'exponential', rate: 2 },
          },
        ],
      },
      { kind: 'constant', parameter: 'shape', prior: { kind: 'exponential', rate: 0.2 } },
      { kind: 'constant', parameter: 'zero', prior: { kind: 'beta', a: 1, b: 1 } },
    ],
  };

  test('has exact, independent draws of a share without predictors, and draws of the scales of pools', async () => {
    const drawn = await samplePosterior(task({ spec, start: openPosterior(prepareRegression(spec)).start }, 250));
    const { names } = drawn.posterior;
    expect(names.at(-2)).toBe('zero');
    const zero = momentsOf(columnOf(drawn, names.length - 2));
    const [a, b] = [1 + 50, 1 + 150];
    const sd = Math.sqrt((a * b) / ((a + b) ** 2 * (a + b + 1)));
    // Five Monte Carlo errors of 1,000 independent draws.
    expect(Math.abs(zero.mean - a / (a + b)) / sd).toBeLessThan(0.16);
    expect(Math.abs(zero.sd / sd - 1)).toBeLessThan(0.12);
    expect(drawn.parameters.at(-2)!.bulkEss).toBeGreaterThan(700);
    expect(Math.min(...columnOf(drawn, names.length - 1))).toBeGreaterThan(0);
    expect(drawn.parameters.at(-1)).toMatchObject({ name: 'sd(parity)', rHat: expect.any(Number) });
  });
});
