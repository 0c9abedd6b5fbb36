import { describe, expect, test } from 'vitest';
import type { GenerateRequestBody } from '../../../packages/contract/requests.ts';
import { createStream } from '../../../packages/numerics/random/createStream.ts';
import { drawRows } from '../../../packages/synthesis/methods/rows/drawRows.ts';
import type { FittedRole } from '../../../packages/synthesis/methods/rows/fitRows.ts';
import { generateTable } from '../../../packages/synthesis/methods/rows/generateRows.ts';
import type { Batch, SeedColumns } from '../../../packages/synthesis/plan/conditions.ts';
import type { Plan } from '../../../packages/synthesis/plan/plan.ts';
import type { Profile } from '../../../packages/tables/profile/profile.ts';
import { profileUpload } from '../../../packages/tables/profile/profileUpload.ts';
import { bytesOf } from '../../support/bytes.ts';
import { saying } from '../../support/problems.ts';
import { silent } from '../models/tables.ts';
import { cellsOf, drawnOf } from '../world.ts';

const ROWS = 1200;
const random = createStream(4, 'people');
const times = <T>(n: number, make: (i: number) => T): T[] => Array.from({ length: n }, (_, i) => make(i));
const CITIES = ['Oslo', 'Bergen', 'Lima', 'Cusco', 'Pune'];
const COUNTRY: Record<string, string> = {
  Oslo: 'Norway',
  Bergen: 'Norway',
  Lima: 'Peru',
  Cusco: 'Peru',
  Pune: 'India',
};

/** People: a city decides its country, the city the income, the income the job; some jobs are missing. */
const csv = [
  'city,country,job,age,joined,hours,income',
  ...times(ROWS, (i) => {
    const city = CITIES[Math.floor(5 * random.uniform() ** 2)]!;
    const age = 18 + random.integer(60);
    const income = 20 + 5 * CITIES.indexOf(city) + 0.3 * age + 4 * random.normal();
    const job = i % 8 === 0 ? '' : income > 45 ? 'manager' : income > 35 ? 'clerk' : 'helper';
    const joined = new Date(86_400_000 * (18_000 + random.integer(1000))).toISOString().slice(0, 10);
    return [
      city,
      COUNTRY[city],
      job,
      age,
      joined,
      random.uniform() < 0.4 ? 40 : 20 + random.integer(40),
      income.toFixed(1),
    ].join(',');
  }),
].join('\n');
const ROLES = {
  target_col: 'income',
  continuous_cols: ['age', 'joined', 'hours'],
  categorical_cols: ['city', 'country', 'job'],
};
let profile: Profile | undefined;

async function made(conditions: GenerateRequestBody['conditions'], changes: Partial<GenerateRequestBody> = {}) {
  profile ??= await profileUpload(bytesOf(csv), 'people.csv');
  const outcome = await drawnOf(csv, { ...ROLES, n_samples: 900, conditions, ...changes }, profile);
  const columns = new Map(outcome.table.columns.map(({ name }) => [name, cellsOf(outcome.table, name)]));
  const count = (name: string, isMet: (cell: string | null) => boolean): number =>
    columns.get(name)!.filter(isMet).length;
  return { ...outcome, rows: outcome.table.rows, cells: (name: string) => columns.get(name)!, count };
}
const from = (low: number) => (cell: string | null) => cell !== null && Number(cell) >= low;
const real = csv
  .split('\n')
  .slice(1)
  .map((line) => line.split(','));
const share = (cells: readonly (string | null)[], value: string): number =>
  cells.filter((cell) => cell === value).length / cells.length;

const objectContaining = (expected: object): unknown => expect.objectContaining(expected);

describe('rows under conditions', () => {
  test('meet those on levels exactly, are balanced, and stand in random order', async () => {
    const {
      cells,
      count,
      notes,
      csv: file,
    } = await made([
      { column: 'city', equals: 'Pune', rows: 300 },
      { column: 'city', equals: 'Oslo', rows: 300 },
      { column: 'city', in: ['Lima', 'Cusco'], rows: 300 },
    ]);
    expect(['Pune', 'Oslo', 'Bergen'].map((city) => count('city', (cell) => cell === city))).toEqual([300, 300, 0]);
    const thirds = [0, 300, 600].map((at) => share(cells('city').slice(at, at + 300), 'Pune'));
    for (const third of thirds) expect(third).toBeCloseTo(1 / 3, 0);
    expect(notes.join('\n')).toContain('Exactly 300 rows generated with "city" = "Pune"; ');
    expect(notes.join('\n')).toContain('the table differs from the uploaded one on purpose');
    // The rest of the row is that of the city.
    const jobs = (city: string) => cells('job').filter((_, row) => cells('city')[row] === city);
    const realJobs = (city: string) => real.filter(([own]) => own === city).map(([, , own]) => own!);
    for (const city of ['Pune', 'Oslo']) {
      expect(Math.abs(share(jobs(city), 'manager') - share(realJobs(city), 'manager'))).toBeLessThan(0.12);
    }
    const again = await made([
      { column: 'city', equals: 'Pune', rows: 300 },
      { column: 'city', equals: 'Oslo', rows: 300 },
      { column: 'city', in: ['Lima', 'Cusco'], rows: 300 },
    ]);
    expect(again.csv).toBe(file);
  });

  test('meet those on numbers, times and missing cells, in all rows and in some', async () => {
    const { rows, count } = await made([
      { column: 'age', between: [30, 50] },
      { column: 'joined', between: ['2020-01-01', null] },
      { column: 'job', in: ['clerk', null], rows: 400 },
      { column: 'hours', equals: 40, rows: 200 },
    ]);
    expect(rows).toBe(900);
    expect(count('age', (cell) => Number(cell) >= 30 && Number(cell) <= 50)).toBe(900);
    expect(count('joined', (cell) => cell! >= '2020-01-01')).toBe(900);
    expect(count('job', (cell) => cell === 'clerk' || cell === null)).toBeGreaterThanOrEqual(400);
    expect(count('hours', (cell) => cell === '40')).toBeGreaterThanOrEqual(200);
    expect(count('hours', (cell) => cell === '40')).toBeLessThan(700);
  });

  test('meet those on the target, and on a column that follows from another', async () => {
    const { count, cells, diagnostics } = await made([
      { column: 'income', between: [45, null] },
      { column: 'country', equals: 'Peru' },
    ]);
    expect(count('income', from(45))).toBe(900);
    expect(count('country', (cell) => cell === 'Peru')).toBe(900);
    expect(new Set(cells('city'))).toEqual(new Set(['Lima', 'Cusco']));
    // High incomes are those of the old: what stands before the target is given the condition too.
    const ages = (rows: readonly (string | null | undefined)[]): number =>
      rows.reduce((sum, age) => sum + Number(age), 0) / rows.length;
    const realAges = real.filter((row) => row[1] === 'Peru' && Number(row[6]) >= 45).map((row) => row[3]);
    expect(Math.abs(ages(cells('age')) - ages(realAges))).toBeLessThan(6);
    expect(diagnostics).toContainEqual(objectContaining({ regression: objectContaining({ target: 'income' }) }));
  });

  test('leave the others as they are', async () => {
    const { cells } = await made([{ column: 'city', equals: 'Pune', rows: 100 }]);
    const expected =
      (100 +
        800 *
          share(
            real.map(([city]) => city!),
            'Pune',
          )) /
      900;
    expect(share(cells('city'), 'Pune')).toBeCloseTo(expected, 1);
    expect(share(cells('city'), 'Oslo')).toBeGreaterThan(0.25);
  });
});

describe('conditions that the data cannot support', () => {
  test.each<[string, GenerateRequestBody['conditions'], RegExp]>([
    [
      'levels that never stand together',
      [
        { column: 'city', equals: 'Oslo' },
        { column: 'country', equals: 'Peru' },
      ],
      /Fewer than 20 of the 1,200 rows of the file have "city" = "Oslo" and "country" = "Peru"; as many are needed/,
    ],
    [
      'too few rows',
      [{ column: 'income', between: [66, null] }],
      /^Fewer than 20 of the 1,200 rows of the file have "income" from 66; as many are needed/,
    ],
    [
      'an unknown level',
      [{ column: 'city', equals: 'oslo' }],
      /No cell of column "city" is "oslo". Did you mean "Oslo"/,
    ],
  ])('end the job in words: %s', async (_, conditions, said) => {
    await expect(made(conditions)).rejects.toMatchObject({
      code: 'invalid_data',
      params: saying(said),
    });
  });

  test('end the job with the number of rows that could be made', async () => {
    const allowed = new Map([['x', { kind: 'numbers' as const, values: null, low: 5, high: 9, missing: false }]]);
    const batch: Batch = { rows: 50, allowed, indicator: null, words: '"x" from 5 to 9' };
    const stream = createStream(1, 'draws');
    let isFirst = true;
    const fitted = {
      sample: async ({ rows }: { rows: number }) => {
        const values = Float64Array.from({ length: rows }, (_, row) => (isFirst && row < 3 ? 6 : stream.uniform()));
        isFirst = false;
        return [{ kind: 'numeric' as const, name: 'x', values }];
      },
      save: () => null,
      diagnostics: () => ({}),
    };
    const seedColumns: SeedColumns = { draw: () => new Map(), notes: [] };
    const plan = { columns: [], orders: [], batches: [batch], seedColumns: [] } as unknown as Plan;
    const models = [{ role: 'continuous' as const, fitted }];
    const task = { plan, planned: new Map(), models, seedColumns, onProgress: silent, yieldToEventLoop: silent };
    await expect(drawRows(task, batch, 50, createStream(1, 'rows'))).rejects.toMatchObject({
      code: 'invalid_data',
      params: { reason: 'conditions_hardly_drawn', conditions: '"x" from 5 to 9', rows: 50, made: 3 },
    });
  });

  test('are told to the models of text, which know of the whole table alone what goes with what', async () => {
    const batch: Batch = { rows: 30, words: '"x" from 5 to 9', allowed: new Map() } as unknown as Batch;
    const seen = async (batches: readonly Batch[]): Promise<unknown[]> => {
      const told: unknown[] = [];
      const text = async (task: object): Promise<never[]> => {
        told.push('representative' in task);
        return [];
      };
      const plan = { columns: [], orders: [], batches, seedColumns: [] } as unknown as Plan;
      const progress = { onProgress: silent, yieldToEventLoop: silent };
      const models = [{ role: 'text', fitted: { sample: text } }] as unknown as FittedRole[];
      await generateTable({ plan, models, rows: 30, random: createStream(1, 'rows'), progress });
      return told;
    };
    expect(await seen([])).toEqual([true]);
    expect(await seen([batch])).toEqual([false]);
  });
});
