import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { createStream } from '../../../../packages/numerics/random/createStream.ts';
import { firstAtLeast } from '../../../../packages/numerics/search.ts';
import { normalCdf } from '../../../../packages/numerics/special/normal.ts';
import { finish } from '../../../../packages/numerics/steps.ts';
import { eachProbabilities } from '../../../../packages/numerics/trees/walkTrees.ts';
import { featuresOf, seenColumn } from '../../../../packages/synthesis/models/categorical/features.ts';
import {
  boostDensity,
  type DensityTask,
  densityIfBetter,
  partsOf,
} from '../../../../packages/synthesis/models/copula/chooseDensity.ts';
import {
  columnDensitySchema,
  densityDraw,
  densityFeatures,
  fitDensity,
  ranksIn,
  uInBins,
} from '../../../../packages/synthesis/models/copula/columnDensity.ts';
import { fitColumnTree, presentRows } from '../../../../packages/synthesis/models/copula/columnTree.ts';
import { drawInThreads } from '../../../../packages/synthesis/models/copula/drawInThreads.ts';
import { leafRankVine } from '../../../../packages/synthesis/models/copula/leafRankVine.ts';
import { scoreOf } from '../../../../packages/synthesis/models/copula/normalScores.ts';
import { binsScore, entriesScore } from '../../../../packages/synthesis/models/copula/rankedScores.ts';
import type { FittedModel, ModelTable } from '../../../../packages/synthesis/models/model.ts';
import { boostInThreads } from '../../../../packages/synthesis/models/shared/boostInThreads.ts';
import { type CrossFittedMean, orderedFeatures } from '../../../../packages/synthesis/models/shared/boosting.ts';
import { fitCrossFittedMean } from '../../../../packages/synthesis/models/shared/crossFittedMean.ts';
import { computedMs } from '../../../support/computedMs.ts';
import { correlation, fitTask, numbersOf, numeric, silent, tableOf } from '../tables.ts';

const random = createStream(3, 'density');
const draw = (n: number, make: (i: number) => number): Float64Array =>
  Float64Array.from({ length: n }, (_, i) => make(i));

/** Of a column with the u `from` … `upTo`, given all columns of the table. */
function taskOf(table: ModelTable, from: Float64Array, upTo = from): DensityTask {
  const given = [...table.columns.keys()].map((name) => seenColumn(table, name)!);
  // Without a line, as of a large table: here u rises with all others, which a line would hold.
  const present = presentRows({ name: 'y', from, upTo }, given, featuresOf(given, table), null);
  const { trial } = finish(fitColumnTree(present, createStream(1, 'tree')));
  return { present, trial: trial!, rounds: 300, alone: null };
}
const choose = (task: DensityTask) => finish(densityIfBetter(task, createStream(1, 'boosting')));

describe('a boosted density of a column', () => {
  const n = 1500;
  const names = ['x', 'w', 'v', 't', 's'];
  const given = names.map(() => draw(n, random.uniform));
  const table = tableOf(...names.map((name, k) => numeric(name, given[k]!)));
  const x = given[0]!;
  /** Where x is small, half of the cells are one atom (u below .25); else u rises with all others, which takes a tree many splits. */
  const atom = { from: 0, upTo: 0.25 };
  const isAtom = draw(n, (i) => Number(x[i]! < 0.2 && random.uniform() < 0.5));
  const sum = draw(n, (i) => given.reduce((all, own) => all + own[i]! / given.length, 0));
  const spread = sum.map((own) => 0.25 + 0.75 * Math.min(0.999, Math.max(0.001, own + 0.03 * random.normal())));
  const from = draw(n, (i) => (isAtom[i] ? atom.from : spread[i]!));
  const task = taskOf(
    table,
    from,
    draw(n, (i) => (isAtom[i] ? atom.upTo : spread[i]!)),
  );
  const { density, ranks } = choose(task)!;
  const sampled = (rank: number): Float64Array =>
    finish(uInBins(densityDraw(density, new Float64Array(n).fill(rank), table, new Map())));

  test('has ranks that are uniform, and say nothing more of what it is given', () => {
    const sorted = ranks.slice().sort();
    expect(Math.max(...sorted.map((rank, i) => Math.abs(rank - i / n)))).toBeLessThan(2 / n);
    // A correlation of 1,500 has a standard error of .026, and boosting is shrunk: u itself goes with each by .4.
    for (const other of given) expect(Math.abs(correlation(ranks, other))).toBeLessThan(0.1);
  });

  test('leads from ranks back to the u that they came from: to the atom, and near the others', () => {
    const u = finish(uInBins(densityDraw(density, ranks, table, new Map())));
    const off = draw(n, (i) => (isAtom[i] ? Number(u[i]! > atom.upTo) : Math.abs(u[i]! - spread[i]!)));
    // Ranks are made even after the fit, which moves a few across the end of a bin.
    expect(off.reduce((sum, own) => sum + own, 0) / n).toBeLessThan(0.04);
  });

  test('is a distribution of every row: u rises with the rank, from 0 to 1', () => {
    const grid = [0, 0.1, 0.3, 0.5, 0.7, 0.9, 1].map(sampled);
    for (let row = 0; row < n; row += 50) {
      expect(grid[0]![row]).toBeCloseTo(0, 9);
      expect(grid.at(-1)![row]).toBeCloseTo(1, 9);
      for (let k = 1; k < grid.length; k++) expect(grid[k]![row]).toBeGreaterThan(grid[k - 1]![row]!);
    }
  });

  test('gives other rows what goes with them, and the atom where it may be', () => {
    const u = finish(uInBins(densityDraw(density, draw(n, random.uniform), table, new Map())));
    const high = [...u].filter((own, i) => x[i]! > 0.6 && own < atom.upTo).length;
    expect(high / n).toBeLessThan(0.01);
    const gaps = draw(n, (i) => (isAtom[i] || u[i]! < atom.upTo ? 0 : u[i]! - 0.25 - 0.75 * sum[i]!));
    // Noise is .02, a bin .09 wide.
    expect(Math.sqrt(gaps.reduce((all, own) => all + own * own, 0) / n)).toBeLessThan(0.12);
  });

  test('is the same in a worker thread, with a mean and without', async () => {
    const hooks = { yieldToEventLoop: async () => {}, onColumn: async () => {} };
    const { given: seen, features } = task.present;
    const { kept, held } = partsOf(n, createStream(1, 'parts'));
    const column = { features: orderedFeatures(seen, features), values: task.present.from.map(scoreOf), rows: kept };
    const mean = await fitCrossFittedMean(column, createStream(1, 'mean'), hooks);
    const jobs = [task, { ...task, trial: null, alone: { kept, held, mean } }].map((own) => ({
      cells: 1,
      seed: 1,
      task: () => own,
    }));
    const here = await boostInThreads(boostDensity, jobs, { ...hooks, workers: 0 });
    const there = await boostInThreads(boostDensity, jobs, { ...hooks, workers: 1 });
    expect(there).toEqual(here);
    const saved = (fits: typeof here) => fits.map((fit) => columnDensitySchema.encode(fit!.density));
    expect(saved(there)).toEqual(saved(here));
  });

  test('draws the same in threads, more of them than rows as well', async () => {
    const { kept, held } = partsOf(n, createStream(1, 'parts'));
    const alongside = [{ name: 'x', scores: x.map(scoreOf) }];
    const lined = finish(
      fitDensity({ ...task.present, alongside, kept, held, rounds: 30, mean: null }, createStream(1, 'lined')),
    );
    for (const rows of [n, 2]) {
      const some = tableOf(...names.map((name, k) => numeric(name, given[k]!.subarray(0, rows))));
      const own = densityDraw(lined, ranks.subarray(0, rows), some, new Map([['x', x.subarray(0, rows)]]));
      expect(await drawInThreads(own, async () => {}, 3)).toEqual(finish(uInBins(own)));
    }
  });

  test('is given up within 100 ms of computing where the job is stopped, in a thread and without', async () => {
    for (const workers of [0, 1]) {
      let stopped = Number.NaN;
      const yieldToEventLoop = async () => {
        await setImmediate();
        if (!Number.isNaN(stopped)) throw new Error('stopped');
      };
      const hooks = { yieldToEventLoop, onColumn: async () => {}, workers };
      const jobs = Array.from({ length: 20 }, () => ({ cells: 1, seed: 1, task: () => task }));
      setTimeout(() => {
        stopped = computedMs();
      }, 50);
      await expect(boostInThreads(boostDensity, jobs, hooks)).rejects.toThrow('stopped');
      expect(computedMs() - stopped).toBeLessThan(100);
    }
  });
});

test('a column keeps its tree where it is known more nearly than a bin is wide', () => {
  const x = draw(800, random.uniform);
  const near = draw(800, (i) => 0.99 * x[i]! + 0.01 * random.uniform());
  expect(choose(taskOf(tableOf(numeric('x', x)), near))).toBeNull();
});

test('columns that have nothing to do with each other stay so, and away from the rows that were learned from', async () => {
  const [n, names] = [400, ['x', 'w', 'v']];
  let [nearer, pairs] = [0, 0];
  for (const seed of [1, 2, 3, 4]) {
    const [seen, unseen] = [1, 2].map(() => names.map(() => draw(n, random.uniform)));
    const fitted = await leafRankVine.fit(fitTask(tableOf(...seen!.map((own, k) => numeric(names[k]!, own))), names));
    const task = { rows: n, made: tableOf(numeric('none', new Float64Array(n))), random: createStream(seed, 's') };
    const made = await fitted.sample({ ...task, onProgress: silent });
    const own = names.map((name) => numbersOf(made, name));
    const nearest = (others: readonly Float64Array[], row: number): number =>
      others[0]!.reduce((least, _, i) => {
        const distance = own.reduce((sum, column, k) => sum + (column[row]! - others[k]![i]!) ** 2, 0);
        return Math.min(least, distance);
      }, 9);
    for (let row = 0; row < n; row++) if (nearest(seen!, row) < nearest(unseen!, row)) nearer++;
    pairs += correlation(own[0]!, own[1]!) / 4;
  }
  // Standard errors of .0125 and .025.
  expect(nearer / (4 * n)).toBeLessThan(0.53);
  expect(Math.abs(pairs)).toBeLessThan(0.075);
});

describe('the score of bins', () => {
  const ends = Float64Array.of(0.1, 0.4, 0.45, 1);
  const p = Float64Array.of(0.2, 0.5, 0, 0.3);

  test('is the integral of the squared difference of distribution functions', () => {
    const distribution = (t: number): number => {
      let [sum, start] = [0, 0];
      ends.forEach((end, k) => {
        sum += p[k]! * Math.min(1, Math.max(0, (t - start) / (end - start)));
        start = end;
      });
      return sum;
    };
    const steps = 20_000;
    for (const y of [0.03, 0.1, 0.42, 0.8, 1]) {
      let integral = 0;
      for (let i = 0; i < steps; i++) {
        const t = (i + 0.5) / steps;
        integral += (distribution(t) - Number(t >= y)) ** 2 / steps;
      }
      expect(binsScore(ends, p, y)).toBeCloseTo(integral, 4);
    }
  });

  test('is that of many entries which lie as they do', () => {
    const entries = draw(5000, (i) => {
      const rank = (i + 0.5) / 5000;
      return rank < 0.2 ? rank / 2 : rank < 0.7 ? 0.1 + (0.3 * (rank - 0.2)) / 0.5 : 0.45 + (0.55 * (rank - 0.7)) / 0.3;
    });
    for (const y of [0.03, 0.42, 0.8]) expect(entriesScore(entries, y)).toBeCloseTo(binsScore(ends, p, y), 3);
  });
});

describe('a model with densities', () => {
  const n = 3000;
  const names = ['x', 'w', 'v', 't', 'bent'];
  const columns = names.map(() => draw(n, random.normal));
  // It goes up with one where another is positive, and down elsewhere: no line, and many splits.
  columns[4] = draw(n, (i) => columns[0]![i]! * columns[1]![i]! + columns[2]![i]! + columns[3]![i]!);
  const fitOn = (all: readonly Float64Array[]) =>
    leafRankVine.fit(fitTask(tableOf(...all.map((own, k) => numeric(names[k]!, own))), names));
  const draws = async (fitted: FittedModel) => {
    const task = { rows: 300, made: tableOf(numeric('none', new Float64Array(300))), random: createStream(5, 's') };
    return numbersOf(await fitted.sample({ ...task, onProgress: silent }), 'bent');
  };
  const saved = (fitted: FittedModel): string => JSON.stringify(fitted.save());

  test('draws the same from what it saved, and from the same seed', async () => {
    const fitted = await fitOn(columns);
    expect(saved(fitted)).toMatch(/"density":\{/);
    const first = await draws(fitted);
    expect(await draws(leafRankVine.restore(JSON.parse(saved(fitted))))).toEqual(first);
    expect(await draws(await fitOn(columns))).toEqual(first);
  });

  test('opens models that were saved before there were any', async () => {
    const fitted = await fitOn(columns.map((own) => own.slice(0, 300)));
    expect(saved(fitted)).not.toMatch(/"density":\{/);
    const before = saved(fitted).replaceAll('"density":null,', '');
    expect(await draws(leafRankVine.restore(JSON.parse(before)))).toEqual(await draws(fitted));
  });
});

test('levels that are numbers are numbers to trees, where there are more than a few', () => {
  const hours = Array.from({ length: 48 }, (_, i) => String(i % 12));
  const few = Array.from({ length: 48 }, (_, i) => String(i % 3));
  const codes = (levels: string[]) => Int32Array.from(levels, (level) => [...new Set(levels)].indexOf(level));
  const table = tableOf(
    { kind: 'category', name: 'hour', codes: codes(hours).fill(-1, 0, 1), levels: [...new Set(hours)] },
    { kind: 'category', name: 'few', codes: codes(few), levels: [...new Set(few)] },
  );
  const given = ['hour', 'few'].map((name) => seenColumn(table, name)!);
  const [hour, other] = orderedFeatures(given, featuresOf(given, table)).features;
  expect(hour).toMatchObject({ kind: 'numeric' });
  expect(hour?.kind === 'numeric' && Array.from(hour.values.slice(0, 3))).toEqual([Number.NaN, 1, 2]);
  expect(other).toMatchObject({ kind: 'category' });
});

test('a mean of the column as one more feature tells more of rows that nothing saw', async () => {
  const n = 3_000;
  const names = ['a', 'b', 'c', 'd', 'e', 'f'];
  const drawNumbers = () => names.map(() => draw(n, random.uniform));
  const uOf = (columns: readonly Float64Array[]): Float64Array =>
    draw(n, (i) => {
      const sum = columns.reduce((all, own, k) => all + Math.sin((k + 1) * own[i]!), 0);
      return Math.min(0.999, Math.max(0.001, 0.1 + 0.18 * sum + 0.01 * random.normal()));
    });
  const [seen, unseen] = [drawNumbers(), drawNumbers()];
  const named = (own: readonly Float64Array[]) => tableOf(...own.map((values, k) => numeric(names[k]!, values)));
  const [table, fresh] = [named(seen), named(unseen)];
  const [u, freshU] = [uOf(seen), uOf(unseen)];
  const given = names.map((name) => seenColumn(table, name)!);
  const features = featuresOf(given, table);
  const { kept, held } = partsOf(n, createStream(2, 'parts'));
  const hooks = { yieldToEventLoop: async () => {} };
  const column = { features: orderedFeatures(given, features), values: u.map(scoreOf), rows: kept.slice().sort() };
  const own = await fitCrossFittedMean(column, createStream(2, 'mean'), hooks);
  const score = (mean: CrossFittedMean | null): number => {
    const task = { given, features, from: u, upTo: u, alongside: [], kept, held, rounds: 100, mean };
    const density = finish(fitDensity(task, createStream(2, 'density')));
    let sum = 0;
    const seenBy = finish(densityFeatures(density, featuresOf(given, fresh)));
    finish(
      eachProbabilities(density.trees, seenBy, (row, p) => {
        sum += Math.log(p[firstAtLeast(density.ends, freshU[row]!)]!) / n;
      }),
    );
    return sum;
  };
  // .7 nats in this draw.
  expect(score(own)).toBeGreaterThan(score(null) + 0.3);
});

test('a density with lines leads from ranks back to u, and draws u that go nearer with the numbers beside it', () => {
  const n = 2000;
  const [x, other] = [draw(n, random.uniform), draw(n, random.uniform)];
  const u = x.map((own) => normalCdf((scoreOf(own) + 0.1 * random.normal()) / Math.sqrt(1.01)));
  const table = tableOf(numeric('x', x), numeric('other', other));
  const given = ['x', 'other'].map((name) => seenColumn(table, name)!);
  const { kept, held } = partsOf(n, createStream(4, 'parts'));
  const numbers = [
    { name: 'x', scores: x.map(scoreOf) },
    { name: 'other', scores: other.map(scoreOf) },
  ];
  const before = new Map([
    ['x', x],
    ['other', other],
  ]);
  const off = (alongside: typeof numbers): number => {
    const task = {
      given,
      features: featuresOf(given, table),
      from: u,
      upTo: u,
      alongside,
      kept,
      held,
      rounds: 60,
      mean: null,
    };
    const density = finish(fitDensity(task, createStream(4, 'density')));
    // Ranks are made even after the fit, which moves them by about 1 / √n.
    const back = finish(uInBins(densityDraw(density, finish(ranksIn(density, task, u)), table, before)));
    expect(back.reduce((sum, own, row) => sum + Math.abs(own - u[row]!), 0) / n).toBeLessThan(1 / Math.sqrt(n));
    // Ranks drawn anew: what a row's numbers say of its u is all that is left of it.
    const made = finish(uInBins(densityDraw(density, draw(n, random.uniform), table, before)));
    return made.reduce((sum, own, row) => sum + Math.abs(scoreOf(own) - scoreOf(u[row]!)), 0) / n;
  };
  expect(off(numbers)).toBeLessThan(0.95 * off([]));
});
