import { describe, expect, test } from 'vitest';
import type { ProgressEvent } from '../../../../packages/contract/events.ts';
import { createStream } from '../../../../packages/numerics/random/createStream.ts';
import { leafRankVine } from '../../../../packages/synthesis/models/copula/leafRankVine.ts';
import type { CategoryColumn, ModelColumn, ModelTable } from '../../../../packages/synthesis/models/model.ts';
import { category, correlation, fitTask, mean, numbersOf, numeric, silent, tableOf } from '../tables.ts';

const random = createStream(6, 'copula');
const times = <T>(n: number, make: (i: number) => T): T[] => Array.from({ length: n }, (_, i) => make(i));
const n = 4000;

async function sampled(table: ModelTable, columns: string[], given: string[] = [], made = table) {
  const fitted = await leafRankVine.fit(fitTask(table, columns, given));
  return fitted.sample({ rows: made.rows, made, random: createStream(8, 's'), onProgress: silent });
}

function ranksOf(values: ArrayLike<number>): Float64Array {
  const ranks = new Float64Array(values.length);
  [...ranks.keys()]
    .sort((a, b) => values[a]! - values[b]!)
    .forEach((row, rank) => {
      ranks[row] = rank;
    });
  return ranks;
}

describe('a vine of ranks within leaves', () => {
  test('keeps margins and rank dependence, whatever the margins are', async () => {
    const z = times(n, random.normal);
    const a = z.map((value) => Math.exp(value));
    const b = z.map((value) => -Math.round(5 * (0.8 * value + 0.6 * random.normal())));
    const made = await sampled(tableOf(numeric('a', a), numeric('b', b)), ['a', 'b']);
    const [madeA, madeB] = [numbersOf(made, 'a'), numbersOf(made, 'b')];
    // Two samples of 4,000 differ by a standard error of about .012.
    expect(Math.abs(correlation(ranksOf(madeA), ranksOf(madeB)) - correlation(ranksOf(a), ranksOf(b)))).toBeLessThan(
      0.05,
    );
    expect(mean(madeA)).toBeCloseTo(mean(a), 0);
    expect(madeB.every(Number.isInteger)).toBe(true);
  });

  test('keeps dependence that no rank correlation sees', async () => {
    const angle = times(n, () => 2 * Math.PI * random.uniform());
    const [x, y] = [angle.map((t) => Math.cos(t)), angle.map((t) => Math.sin(t) + 0.02 * random.normal())];
    const made = await sampled(tableOf(numeric('x', x), numeric('y', y)), ['x', 'y']);
    const radii = times(n, (i) => Math.hypot(numbersOf(made, 'x')[i]!, numbersOf(made, 'y')[i]!));
    expect(radii.filter((radius) => radius > 0.8 && radius < 1.2).length / n).toBeGreaterThan(0.9);
  });

  test('ties within leaves what the leaves are too coarse for', async () => {
    // 60 rows have leaves of 15: four steps; the vine has the slope inside them.
    const x = times(60, (i) => i + 0.1 * random.uniform());
    const [y, z] = [x.map((value) => value + random.normal()), x.map((value) => -value + random.normal())];
    const rows = tableOf(numeric('x', new Array(2000).fill(0)));
    const made = await sampled(tableOf(numeric('x', x), numeric('y', y), numeric('z', z)), ['x', 'y', 'z'], [], rows);
    const of = (name: string) => numbersOf(made, name);
    expect(correlation(of('x'), of('y'))).toBeGreaterThan(0.9);
    expect(correlation(of('y'), of('z'))).toBeLessThan(-0.85);
  });

  test('turns a correlation with the categories that are given', async () => {
    const group = times(n, (i) => (i % 2 === 0 ? 'up' : 'down'));
    const a = times(n, random.normal);
    const b = a.map((value, i) => (group[i] === 'up' ? value : 8 - value) + 0.3 * random.normal());
    const table = tableOf(numeric('a', a), numeric('b', b), category('g', group));
    const made = await sampled(table, ['a', 'b'], ['g']);
    for (const [level, sign] of [
      ['up', 1],
      ['down', -1],
    ] as const) {
      const rows = [...group.keys()].filter((row) => group[row] === level);
      const of = (name: string) => rows.map((row) => numbersOf(made, name)[row]!);
      expect(sign * correlation(of('a'), of('b'))).toBeGreaterThan(0.85);
    }
  });

  test('keeps what goes with an event that one row in a hundred has', async () => {
    const rows = 20_000;
    const age = times(rows, () => Math.floor(50 * random.uniform()));
    const zone = times(rows, () => (random.uniform() < 0.3 ? 'city' : 'country'));
    // One in ten of what is new and in the city, else one in two hundred and fifty.
    const claims = times(rows, (i) => (random.uniform() < (age[i]! < 10 && zone[i] === 'city' ? 0.1 : 0.004) ? 1 : 0));
    const table = tableOf(numeric('age', age), numeric('claims', claims), category('zone', zone));
    const fitted = await leafRankVine.fit(fitTask(table, ['age', 'claims'], ['zone']));
    const task = { rows, made: table, representative: true as const, random: createStream(8, 's'), onProgress: silent };
    const made = await fitted.sample(task);
    const [madeAge, madeClaims] = [numbersOf(made, 'age'), numbersOf(made, 'claims')];
    const shareOf = (of: ArrayLike<number>, ages: ArrayLike<number>) => {
      const own = Array.from(of).flatMap((count, i) => (count > 0 ? [i] : []));
      return own.filter((i) => ages[i]! < 10 && zone[i] === 'city').length / own.length;
    };
    const count = (of: ArrayLike<number>) => Array.from(of).reduce((sum, one) => sum + one, 0);
    expect(Math.abs(count(madeClaims) / count(claims) - 1)).toBeLessThan(0.15);
    // Some 130 claims on either side: a standard error of about .06 for the difference of the two shares.
    expect(Math.abs(shareOf(madeClaims, madeAge) - shareOf(claims, age))).toBeLessThan(0.15);
    expect(shareOf(claims, age)).toBeGreaterThan(0.5);
    const restored = leafRankVine.restore(JSON.parse(JSON.stringify(fitted.save())));
    expect(await restored.sample({ ...task, random: createStream(8, 's') })).toEqual(made);
  });

  test('models missing cells as they are in the data, and has a number in every row', async () => {
    const a = times(n, (i) => (i % 4 === 0 ? Number.NaN : random.normal()));
    const b = a.map((value) => (Number.isNaN(value) ? 50 : value) + 0.2 * random.normal());
    const gap: CategoryColumn = {
      ...(category(
        'gap',
        a.map((value) => (Number.isNaN(value) ? 'missing' : 'there')),
      ) as CategoryColumn),
      levels: ['there', 'missing'],
      codes: Int32Array.from(a, (value) => (Number.isNaN(value) ? 1 : 0)),
      indicator: true,
    };
    const made = await sampled(tableOf(numeric('a', a), numeric('b', b), gap), ['a', 'b'], ['gap']);
    expect(numbersOf(made, 'a').every(Number.isFinite)).toBe(true);
    const beside = numbersOf(made, 'b').filter((_, i) => gap.codes[i] === 1);
    expect(mean(beside)).toBeCloseTo(50, 0);
  });

  test('keeps columns exact that rise or fall with another', async () => {
    const x = times(n, () => Math.round(1000 * random.uniform()));
    const table = tableOf(
      numeric('x', x),
      numeric(
        'twice',
        x.map((value) => 2 * value),
      ),
      numeric(
        'fall',
        x.map((value) => -Math.floor(value / 10)),
      ),
    );
    const made = await sampled(table, ['x', 'twice', 'fall']);
    const tailed = (value: number): boolean => value > 10 && value < 990;
    numbersOf(made, 'x').forEach((value, row) => {
      if (!tailed(value)) return;
      expect(Math.abs(numbersOf(made, 'twice')[row]! - 2 * value)).toBeLessThanOrEqual(2);
      expect(Math.abs(numbersOf(made, 'fall')[row]! + Math.floor(value / 10))).toBeLessThanOrEqual(1);
    });
  });

  test('does not let the largest and smallest numbers out, unless rare ones are kept', async () => {
    const x = times(2000, random.normal);
    const table = tableOf(
      numeric('x', x),
      numeric(
        'y',
        x.map((value) => value + random.normal()),
      ),
    );
    const made = new Set(numbersOf(await sampled(table, ['x', 'y']), 'x'));
    const sorted = Float64Array.from(x).sort();
    for (const secret of [...sorted.subarray(0, 5), ...sorted.subarray(-5)]) expect(made.has(secret)).toBe(false);
    const task = fitTask(table, ['x', 'y']);
    const kept = await leafRankVine.fit({ ...task, settings: { ...task.settings, keepRare: true } });
    expect(kept.diagnostics().notes).toEqual([]);
    expect((await leafRankVine.fit(task)).diagnostics().notes).toHaveLength(1);
  });

  test('learns from some of very many rows, and says so', async () => {
    const many = 101_000;
    const events: ProgressEvent[] = [];
    const table = tableOf(
      numeric(
        'x',
        times(many, (i) => (i * 7919) % many),
      ),
    );
    const fitted = await leafRankVine.fit({
      ...fitTask(table, ['x']),
      onProgress: async (event) => void events.push(event),
    });
    expect(events).toContainEqual({ stage: 'fit', fact: 'rows_sampled', done: 100_000, total: 101_000 });
    expect(fitted.diagnostics().training_rows).toBe(100_000);
  });
});

describe('hard tables', () => {
  const z = times(300, random.normal);
  const cases: [string, ModelColumn[]][] = [
    ['one column', [numeric('a', z)]],
    ['two equal columns', [numeric('a', z), numeric('b', z)]],
    [
      'a constant',
      [
        numeric(
          'a',
          z.map(() => 4),
        ),
        numeric('b', z),
      ],
    ],
    [
      'a column without a number',
      [
        numeric(
          'a',
          z.map(() => Number.NaN),
        ),
        numeric('b', z),
      ],
    ],
    ['no number at all', [numeric('a', [Number.NaN, Number.NaN])]],
    ['three rows', [numeric('a', [1, 2, 3]), numeric('b', [3, Number.NaN, 1])]],
    ['one row', [numeric('a', [1]), numeric('b', [2])]],
    [
      'a column of two values',
      [
        numeric(
          'a',
          z.map((value) => (value > 0 ? 1 : 0)),
        ),
        numeric('b', z),
      ],
    ],
    [
      'a comonotone set',
      times(6, (k) =>
        numeric(
          `c${k}`,
          z.map((value) => Math.exp(k * value)),
        ),
      ),
    ],
    [
      'atoms over 99 %',
      times(3, (k) =>
        numeric(
          `c${k}`,
          z.map((value, i) => (i % 150 === k ? value : 0)),
        ),
      ),
    ],
    [
      'cells that are never there together',
      [
        numeric(
          'a',
          z.map((v, i) => (i % 2 ? v : Number.NaN)),
        ),
        numeric(
          'b',
          z.map((v, i) => (i % 2 ? Number.NaN : v)),
        ),
      ],
    ],
    [
      'numbers at the ends of all numbers',
      [
        numeric(
          'a',
          z.map((value) => value * 1e307),
        ),
        numeric(
          'b',
          z.map((value) => value * 1e-310),
        ),
      ],
    ],
  ];
  test.each(cases)('end in a table: %s', async (_, columns) => {
    const names = columns.map(({ name }) => name);
    const made = await sampled(tableOf(...columns), names);
    expect(made.map(({ name }) => name)).toEqual(names);
    for (const { name } of columns) {
      const real = numbersOf(columns, name).filter((value) => !Number.isNaN(value));
      const own = numbersOf(made, name);
      if (real.length === 0) expect(own.every(Number.isNaN)).toBe(true);
      else expect(own.every((value) => value >= Math.min(...real) && value <= Math.max(...real))).toBe(true);
    }
  });

  test('two equal columns stay equal, and a constant is one', async () => {
    const made = await sampled(
      tableOf(
        numeric('a', z),
        numeric('b', z),
        numeric(
          'c',
          z.map(() => 4),
        ),
      ),
      ['a', 'b', 'c'],
    );
    numbersOf(made, 'a').forEach((value, row) => {
      expect(numbersOf(made, 'b')[row]).toBeCloseTo(value, 9);
    });
    expect(new Set(numbersOf(made, 'c'))).toEqual(new Set([4]));
  });
});

test('trees of columns are the same in threads', async () => {
  const x = times(900, random.normal);
  const columns = ['x', 'y', 'z'].map((name, k) =>
    numeric(
      name,
      x.map((value, i) => (k === 1 && i % 9 === 0 ? Number.NaN : value + k * random.normal())),
    ),
  );
  const levels = category(
    'sign',
    x.map((value) => (value > 0 ? 'above' : 'below')),
  );
  const task = fitTask(tableOf(...columns, levels), ['x', 'y', 'z'], ['sign']);
  const [here, there] = await Promise.all([0, 2].map((threads) => leafRankVine.fit({ ...task, threads })));
  expect(there!.save()).toEqual(here!.save());
});

describe('pieces of rows that are made in threads', () => {
  const x = times(600, random.normal);
  const near = x.map((value) => value + 0.3 * random.normal());
  const group = category(
    'group',
    x.map((value) => (value > 0.5 ? 'high' : 'low')),
  );
  const table = tableOf(numeric('x', x), numeric('near', near), group);
  const rows = 100_001;
  const made = tableOf(
    category(
      'group',
      times(rows, (i) => (i % 3 === 0 ? 'high' : 'low')),
    ),
  );

  test('are the same, in whatever order they end', async () => {
    const fitted = await leafRankVine.fit(fitTask(table, ['x', 'near'], ['group']));
    const sample = async (threads: number) => {
      const done: number[] = [];
      const onProgress = async (event: ProgressEvent) => {
        if (event.fact === 'numbers_drawn') done.push(event.done);
      };
      const task = { rows, made, representative: true as const, random: createStream(8, 's'), onProgress, threads };
      return { columns: await fitted.sample(task), done };
    };
    const here = await sample(0);
    const there = await sample(2);
    expect(there.columns).toEqual(here.columns);
    expect(there.done.at(-1)).toBe(rows);
    expect(there.done).toHaveLength(3);
  });

  test('end with their threads where the job is stopped', async () => {
    const fitted = await leafRankVine.fit(fitTask(table, ['x', 'near'], ['group']));
    const yieldToEventLoop = async () => {
      throw new Error('stopped');
    };
    const task = { rows, made, random: createStream(8, 's'), onProgress: silent, threads: 2, yieldToEventLoop };
    await expect(fitted.sample(task)).rejects.toThrow('stopped');
  });
});
