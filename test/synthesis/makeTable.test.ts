import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { jobEventSchema, STAGES } from '../../packages/contract/events.ts';
import { jobMetricsSchema } from '../../packages/contract/metrics.ts';
import { VERSION } from '../../packages/contract/version.ts';
import { createStream } from '../../packages/numerics/random/createStream.ts';
import { MODELS } from '../../packages/synthesis/models/registry.ts';
import { saying } from '../support/problems.ts';
import {
  type Asked,
  cellsOf,
  drawnOf,
  type Outcome,
  outcomeOf,
  shareMissing,
  tableOf,
  type World,
  worldOf,
} from './world.ts';

const random = createStream(3, 'pipeline');
const times = <T>(n: number, make: (i: number) => T): T[] => Array.from({ length: n }, (_, i) => make(i));
const pick = <T>(items: readonly T[]): T => items[random.integer(items.length)]!;

/** price ~ size and town; size is whole, price has two decimals; note is free text; some cells of each are missing. */
function made(rows: number): string {
  const lines = times(rows, () => {
    const town = pick(['Ash', 'Elm, Upper', 'Oak "New"']);
    const size = Math.round(40 + 25 * random.uniform() + (town === 'Ash' ? 40 : 0));
    const price = (3 * size + 20 * random.normal()).toFixed(2);
    const note = `${pick(['A light', 'A dark', 'An old'])} flat near ${pick(['the park', 'a school', 'the river'])} no. ${random.integer(900)}`;
    const gone = (cell: string, share: number): string => (random.uniform() < share ? '' : cell);
    return [
      gone(price, 0.05),
      gone(String(size), 0.2),
      JSON.stringify(gone(town, 0.1)).replaceAll('\\"', '""'),
      gone(note, 0.3),
    ];
  });
  return `price,size,town,note\n${lines.map((cells) => cells.join(',')).join('\n')}\n`;
}

const ALL: Asked = {
  target_col: 'price',
  continuous_cols: ['size'],
  categorical_cols: ['town'],
  text_cols: ['note'],
  n_samples: 300,
};
const small = made(150);
const large = made(600);

/** Jobs that several tests look at, each run once. */
const jobs = new Map<string, Promise<World>>();
async function jobOf(csv: string): Promise<Omit<Outcome, 'table'> & Pick<World, 'models'>> {
  const running = jobs.get(csv) ?? finished(csv);
  jobs.set(csv, running);
  const world = await running;
  return { job: world.job(), csv: world.file(), models: world.models };
}

async function finished(csv: string): Promise<World> {
  const world = await worldOf(csv, ALL);
  await world.run();
  return world;
}

const roleSets: [string, Asked][] = [
  ['the target alone', { target_col: 'price' }],
  ['text alone', { text_cols: ['note'] }],
  ['target and continuous', { target_col: 'price', continuous_cols: ['size'] }],
  ['target and categorical', { target_col: 'price', categorical_cols: ['town'] }],
  ['target and text', { target_col: 'price', text_cols: ['note'] }],
  ['text and categorical', { text_cols: ['note'], categorical_cols: ['town'] }],
  ['text and continuous', { text_cols: ['note'], continuous_cols: ['size'] }],
  ['all roles', ALL],
];

describe('a job', () => {
  test.each(roleSets)('with %s ends done with the asked rows and columns', async (_, asked) => {
    const { job, table } = await outcomeOf(small, { ...asked, n_samples: 40 });
    const names = [
      asked.target_col,
      ...(asked.continuous_cols ?? []),
      ...(asked.categorical_cols ?? []),
      ...(asked.text_cols ?? []),
    ];
    expect(job.state).toBe('done');
    expect(table.rows).toBe(40);
    expect(table.columns.map(({ name }) => name)).toEqual(
      ['price', 'size', 'town', 'note'].filter((name) => names.includes(name)),
    );
    expect(job.metrics).toMatchObject({
      rows_generated: 40,
      columns: table.columns.map(({ name }) => name),
      seed: 1,
      version: VERSION,
    });
  });

  test('keeps columns in the order of the upload, whatever the request says', async () => {
    const { csv } = await outcomeOf('b,a,c\n1,x,5\n2,y,6\n3,x,9\n', {
      target_col: 'c',
      categorical_cols: ['a'],
      continuous_cols: ['b'],
    });
    expect(csv.split('\n')[0]).toBe('b,a,c');
  });

  test('says of the target first, of the end last, and between them what is done with counts and seconds', async () => {
    const { job } = await jobOf(large);
    const events = job.progress.map((entry) => jobEventSchema.parse(entry));
    expect(events[0]).toMatchObject({ fact: 'target_model', column: 'price', family: 'gaussian', draws: 100 });
    expect(events.at(-1)).toMatchObject({ stage: 'done', fact: 'finished', rows: 300, columns: 4 });
    const stages = [...new Set(events.map(({ stage }) => stage))];
    expect(stages.filter((stage) => stage !== 'plan' && stage !== 'gate')).toEqual(
      STAGES.filter((stage) => stage !== 'plan' && stage !== 'gate'),
    );
    const seconds = events.map((event) => event.seconds);
    expect(seconds).toEqual(seconds.toSorted((one, other) => one - other));
    expect(events.length).toBeGreaterThan(8);
    expect(events.length).toBeLessThan(60);
  });

  test('announces the text model where there is no target', async () => {
    const { job } = await outcomeOf(small, { text_cols: ['note'], n_samples: 5 });
    expect(job.progress[0]).toMatchObject({ fact: 'text_model', model: MODELS.text.name, columns: ['note'] });
    expect(job.metrics?.numeric.family).toBeNull();
    expect(job.metrics?.numeric['TSTR R²']).toBeNull();
  });

  test('keeps a tenth of the rows from the models from 500 rows up, and cross-fits below', async () => {
    const above = await jobOf(large);
    expect(above.job.metrics?.sample_sizes).toMatchObject({ train: 540, holdout: 60 });
    expect(above.job.metrics?.holdout).not.toBeNull();
    const below = await jobOf(small);
    expect(below.job.metrics?.sample_sizes).toMatchObject({ train: 150 });
    expect(below.job.metrics?.holdout).toBeNull();
    expect(below.job.metrics?.numeric['TSTR R²']).toBeGreaterThan(0.3);
  });

  test('has metrics that fit their schema, all eight figures where they can be had', async () => {
    const { job } = await jobOf(large);
    const metrics = jobMetricsSchema.parse(job.metrics);
    expect(Object.values(metrics.numeric).filter((figure) => figure === null)).toEqual([]);
    expect(metrics.numeric.family).toBe('gaussian');
    expect(metrics.notes).toContain('Model of the target: Bayesian regression by NUTS.');
    expect(metrics.notes.join('\n')).toMatch(
      /Target "price": gaussian, \d+ parameters from \d+ rows\. The chains converged \(R-hat 1\.\d{3}, smallest effective sample size [\d,]+, \d divergences?\)/,
    );
  });

  test('leaves models that come back from what was saved', async () => {
    const world = await jobOf(small);
    const saved = z
      .object({ models: z.array(z.object({ role: z.string(), name: z.string(), model: z.unknown() })) })
      .parse(world.models());
    expect(saved.models.map(({ role }) => role)).toEqual(['categorical', 'continuous', 'target', 'text']);
    for (const { role, model } of saved.models) {
      const [, found] = Object.entries(MODELS).find(([name]) => name === role)!;
      expect(found.restore(model).save()).toEqual(model);
    }
  });
});

describe('what was so in the upload', () => {
  test('is so in the result: rates of missing cells, whole numbers, decimals, bounds, levels', async () => {
    const { table } = await drawnOf(large, { ...ALL, n_samples: 2000 });
    const real = await tableOf(large);
    for (const name of ['price', 'size', 'town', 'note']) {
      expect(Math.abs(shareMissing(cellsOf(table, name)) - shareMissing(cellsOf(real, name)))).toBeLessThan(0.04);
    }
    const there = (name: string): string[] => cellsOf(table, name).filter((cell) => cell !== null);
    expect(there('size').every((cell) => /^\d+$/.test(cell))).toBe(true);
    expect(there('price').every((cell) => /^-?\d+\.\d\d$/.test(cell))).toBe(true);
    const sizes = cellsOf(real, 'size')
      .map(Number)
      .filter((size) => size > 0);
    expect(Math.max(...there('size').map(Number))).toBeLessThanOrEqual(Math.max(...sizes));
    expect(Math.min(...there('size').map(Number))).toBeGreaterThanOrEqual(Math.min(...sizes));
    const towns = new Set(cellsOf(real, 'town'));
    expect(there('town').every((town) => towns.has(town))).toBe(true);
  });

  test('is text of its own: none of a training row', async () => {
    const { table } = await drawnOf(small, { text_cols: ['note'], categorical_cols: ['town'], n_samples: 3000 });
    const notes = new Set(cellsOf(await tableOf(small), 'note'));
    expect(cellsOf(table, 'note').filter((note) => note !== null && notes.has(note))).toEqual([]);
  });

  test('is missing together where it was missing together, written as it was', async () => {
    const rows = times(400, (i) => (i % 4 === 0 ? 'NA,NA,x' : `${i % 17},${(i * 7) % 23},y`));
    const { csv, table } = await drawnOf(
      `a,b,c\n${rows.join('\n')}\n`,
      { target_col: 'a', continuous_cols: ['b'], categorical_cols: ['c'], n_samples: 1000 },
      'NA',
    );
    expect(csv).toMatch(/^NA,NA,x$/m);
    const [a, b, c] = ['a', 'b', 'c'].map((name) => cellsOf(table, name)) as [string[], string[], string[]];
    const broken = a.filter(
      (cell, i) => (cell === null) !== (b[i] === null) || (cell === null) !== (c[i] === 'x'),
    ).length;
    expect(broken).toBeLessThan(20);
    expect(shareMissing(a)).toBeCloseTo(0.25, 1);
  });
});

describe('hard tables', () => {
  const cases: [string, string, Asked][] = [
    [
      'two rows',
      'y,x,c,t\n1,2,a,first words\n3,4,b,other words\n',
      { target_col: 'y', continuous_cols: ['x'], categorical_cols: ['c'], text_cols: ['t'] },
    ],
    ['one row', 'y,x,c\n1,2,a\n', { target_col: 'y', continuous_cols: ['x'], categorical_cols: ['c'] }],
    [
      'constant columns',
      `y,x,c,t\n${times(30, () => '5,5.50,same,same text').join('\n')}\n`,
      { target_col: 'y', continuous_cols: ['x'], categorical_cols: ['c'], text_cols: ['t'] },
    ],
    [
      'one target that is there',
      `y,x\n${times(600, (i) => `${i === 300 ? '7' : ''},${i}`).join('\n')}\n`,
      { target_col: 'y', continuous_cols: ['x'] },
    ],
    [
      'columns without a cell',
      'y,x,c,t\n1,,,\n2,,,\n4,,,\n',
      { target_col: 'y', continuous_cols: ['x'], categorical_cols: ['c'], text_cols: ['t'] },
    ],
    [
      'an identifier as category',
      `y,id\n${times(200, (i) => `${i},id-${i}`).join('\n')}\n`,
      { target_col: 'y', categorical_cols: ['id'] },
    ],
    [
      'numbers at the ends of doubles',
      `y,x\n${times(50, (i) => `${i % 2 ? '1e308' : '-1e308'},${i}e-300`).join('\n')}\n`,
      { target_col: 'y', continuous_cols: ['x'] },
    ],
    [
      '18-digit numbers',
      `y,x\n${times(50, (i) => `12345678901234567${i % 10},${i}`).join('\n')}\n`,
      { target_col: 'y', continuous_cols: ['x'] },
    ],
  ];

  test.each(cases)('of %s give a table', async (_, csv, asked) => {
    const { job, table } = await outcomeOf(csv, { ...asked, n_samples: 25 });
    expect([job.state, table.rows]).toEqual(['done', 25]);
    expect((await drawnOf(csv, { ...asked, n_samples: 1 })).table.rows).toBe(1);
  });

  test('with names of any kind give a table with those names', async () => {
    const names = ['__proto__', 'constructor', 'a,b', 'say "hi"', 'two\nlines', '😀', 'x is missing', 'x'];
    const header = names.map((name) => `"${name.replaceAll('"', '""')}"`).join(',');
    const rows = times(60, (i) => `${i},l${i % 3},${i % 7},k${i % 4},text ${i},m${i % 2},n${i % 5},${i % 3 ? i : ''}`);
    const { table } = await drawnOf(`${header}\n${rows.join('\n')}\n`, {
      target_col: '__proto__',
      continuous_cols: ['a,b', 'x'],
      categorical_cols: ['constructor', 'say "hi"', '😀', 'x is missing'],
      text_cols: ['two\nlines'],
      n_samples: 50,
    });
    expect(table.columns.map(({ name }) => name)).toEqual(names);
    expect(shareMissing(cellsOf(table, 'x'))).toBeGreaterThan(0.1);
    expect(cellsOf(table, 'x is missing').every((cell) => /^n\d$/.test(cell ?? ''))).toBe(true);
  });

  test('with cells that are no numbers count them as missing, and say so', async () => {
    const rows = times(100, (i) => `${i % 25 === 0 ? 'unknown' : i},${i % 9}`);
    const { job, table } = await outcomeOf(`y,x\n${rows.join('\n')}\n`, {
      target_col: 'y',
      continuous_cols: ['x'],
      n_samples: 400,
    });
    expect(job.metrics?.notes).toContain('4 cells of column "y" without a number counted as missing.');
    expect(shareMissing(cellsOf(table, 'y'))).toBeGreaterThan(0.01);
  });

  test.each<[string, string, Asked, RegExp]>([
    [
      'target without numbers',
      'y,x\nred,1\nblue,2\n',
      { target_col: 'y', continuous_cols: ['x'] },
      /"y" has no numbers: none of its 2 non-empty cells/,
    ],
    ['target without cells', 'y,x\n,1\n,2\n', { target_col: 'y', continuous_cols: ['x'] }, /"y" has no values/],
    [
      'continuous column of words',
      'y,x\n1,red\n2,blue\n',
      { target_col: 'y', continuous_cols: ['x'] },
      /"x" has no numbers/,
    ],
    [
      'family that the values cannot have',
      'y\n-1\n2\n',
      { target_col: 'y', family: 'gamma' },
      /cannot come from the family gamma/,
    ],
  ])('of a %s are refused in words, and leave no result', async (_, csv, asked, message) => {
    const world = await worldOf(csv, asked);
    await expect(world.run()).rejects.toMatchObject({
      name: 'JobError',
      code: 'invalid_data',
      params: saying(message),
    });
    expect([...world.service.files.keys()]).toEqual(['jobs/job/upload', 'jobs/job/profile.json']);
  });

  test('whose upload is gone are refused', async () => {
    const world = await worldOf('y\n1\n', { target_col: 'y' });
    await world.service.objects.erase('jobs/job/upload');
    await expect(world.run()).rejects.toMatchObject({ code: 'invalid_data' });
  });
});

describe('determinism', () => {
  test('the same seed gives the same bytes and figures, another seed others', async () => {
    const first = await jobOf(large);
    const again = await outcomeOf(large, ALL);
    expect(again.csv).toBe(first.csv);
    expect(again.job.metrics).toEqual(first.job.metrics);
    const seeds = [0, 1, Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER - 1];
    const drawn = await Promise.all(seeds.map((seed) => drawnOf(small, { ...ALL, seed })));
    expect(new Set(drawn.map(({ csv }) => csv)).size).toBe(seeds.length);
  });

  test('does not depend on what events take or on the clock', async () => {
    const slow = await worldOf(small, ALL);
    const { addEvents } = slow.service.jobs;
    slow.service.jobs.addEvents = async (...events) => {
      await new Promise((resolve) => setTimeout(resolve, 2));
      return addEvents(...events);
    };
    await slow.run();
    expect(slow.file()).toBe((await jobOf(small)).csv);
  });
});

describe('a job that is to stop', () => {
  test('stops as cancelled where its record says that the attempt is over', async () => {
    const world = await worldOf(small, ALL);
    let events = 0;
    world.service.jobs.addEvents = async () => ++events < 4;
    await expect(world.run()).rejects.toMatchObject({ name: 'JobError', code: 'cancelled' });
    expect(events).toBe(4);
    expect(world.job().state).toBe('running');
  });

  test('stops as interrupted where the process is asked to end', async () => {
    const world = await worldOf(small, ALL);
    await expect(world.run(AbortSignal.abort())).rejects.toMatchObject({ name: 'JobError', code: 'interrupted' });
  });

  test('stops as cancelled where the attempt is another one by now', async () => {
    const world = await worldOf(small, { text_cols: ['note'] });
    world.service.jobs.finish = async () => false;
    await expect(world.run()).rejects.toMatchObject({ code: 'cancelled' });
    world.service.records.set('job', { ...world.job(), attempt: 2 });
    await expect(world.run()).rejects.toMatchObject({ code: 'cancelled' });
  });

  test('lets timers have their turn while it works', async () => {
    let turns = 0;
    const timer = setInterval(() => turns++, 1);
    await outcomeOf(small, ALL);
    clearInterval(timer);
    expect(turns).toBeGreaterThan(3);
  });
});
