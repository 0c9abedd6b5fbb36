import { describe, expect, test } from 'vitest';
import { profileUpload } from '../../../domain/profile/profileUpload.ts';
import { generateRequestSchema } from '../../../domain/schema/generateRequest.ts';
import { drawRows } from '../../../gpu-job/pipeline/drawRows.ts';
import type { Order } from '../../../gpu-job/pipeline/orders.ts';
import { plannedByName } from '../../../gpu-job/pipeline/placeColumns.ts';
import { makePlan, type Plan, type PlannedColumn } from '../../../gpu-job/pipeline/plan.ts';
import { createStream } from '../../../numerics/random/createStream.ts';
import { bytesOf } from '../../support/bytes.ts';
import { silent } from '../models/tables.ts';
import { cellsOf, type Outcome, outcomeOf, tableOf } from './world.ts';

const ROWS = 600;
const MADE = 5000;
const random = createStream(9, 'trips');
const times = <T>(n: number, make: (i: number) => T): T[] => Array.from({ length: n }, (_, i) => make(i));
const stamp = (seconds: number): string => new Date(1000 * seconds).toISOString().slice(0, 19).replace('T', ' ');
const or = (cell: string, isThere: boolean): string => (isThere ? cell : '');

/** Trips: times that follow each other, the lowest and the highest speed, parts of a fare and their total. */
const csv = [
  'pickup,dropoff,low,high,fare,tip,tolls,total,score',
  ...times(ROWS, (i) => {
    const start = 1_600_000_000 + random.integer(30 * 86_400);
    const trip = 60 + Math.floor(-900 * Math.log(random.uniform()));
    const low = 10 + 20 * random.uniform();
    const fare = 2.5 + 0.5 * Math.round(trip / 60);
    const tip = random.uniform() < 0.6 ? Math.round(40 * fare * random.uniform()) / 100 : 0;
    const tolls = Math.round(100 * random.uniform()) / 100;
    const hasTip = i % 11 !== 0;
    return [
      or(stamp(start), i % 13 !== 0),
      or(stamp(start + trip), i % 7 !== 0),
      or(low.toFixed(1), i % 9 !== 0),
      (low + 15 * random.uniform() ** 2).toFixed(1),
      fare.toFixed(2),
      or(tip.toFixed(2), hasTip),
      tolls.toFixed(2),
      or((fare + tip + tolls).toFixed(2), hasTip),
      String(Math.round(trip / 60 + 5 * random.normal())),
    ].join(',');
  }),
].join('\n');
const NAMES = csv.slice(0, csv.indexOf('\n')).split(',');

const run = async (target: string, seed: number): Promise<Outcome> =>
  outcomeOf(
    csv,
    { target_col: target, continuous_cols: NAMES.filter((name) => name !== target), n_samples: MADE, seed },
    await profileUpload(bytesOf(csv), 'trips.csv'),
  );

function brokenRows({ table }: Outcome): { order: number; span: number; total: number } {
  const column = new Map(NAMES.map((name) => [name, cellsOf(table, name)]));
  const pairs = (a: string, b: string): [string, string][] =>
    column.get(a)!.flatMap((cell, row): [string, string][] => {
      const other = column.get(b)![row] ?? null;
      return cell !== null && other !== null ? [[cell, other]] : [];
    });
  const number = (name: string, row: number): number => Number(column.get(name)![row] ?? Number.NaN);
  const sums = times(MADE, (row) => {
    const [total, sum] = [number('total', row), number('fare', row) + number('tip', row) + number('tolls', row)];
    return Number.isNaN(sum) ? Number.isNaN(total) : Math.abs(total - sum) < 0.001;
  });
  return {
    order: pairs('pickup', 'dropoff').filter(([from, upTo]) => from >= upTo).length,
    span: pairs('low', 'high').filter(([low, high]) => Number(low) > Number(high)).length,
    total: sums.filter((holds) => !holds).length,
  };
}

describe('what holds in every real row', () => {
  test.each([1, 2, 3])(
    'holds in every row made: times, bounds and totals, with missing cells; seed %i',
    async (seed) => {
      const outcome = await run('score', seed);
      expect(brokenRows(outcome)).toEqual({ order: 0, span: 0, total: 0 });
      const notes = outcome.job.metrics?.notes.join('\n');
      expect(notes).toContain('Column "total" was made by adding up "fare", "tip" and "tolls".');
      expect(notes).toMatch(/\d+ of [\d,]+ rows drawn broke a relation .* They were drawn anew\./);
      const gone = (name: string): number => cellsOf(outcome.table, name).filter((cell) => cell === null).length / MADE;
      expect(gone('dropoff')).toBeCloseTo(1 / 7, 1);
      expect(gone('total')).toBe(gone('tip'));
      // A trip is as long as real ones are: what a copula of two times would have to hit within minutes of a month.
      const minutes = cellsOf(outcome.table, 'pickup').flatMap((from, row) => {
        const upTo = cellsOf(outcome.table, 'dropoff')[row] ?? null;
        return from === null || upTo === null ? [] : [(Date.parse(upTo) - Date.parse(from)) / 60_000];
      });
      expect(minutes.reduce((sum, one) => sum + one, 0) / minutes.length).toBeCloseTo(16, -1);
      expect(Math.max(...minutes)).toBeLessThan(200);
    },
  );

  test('holds where the target is the total: it is made from its parts, and its model is reported', async () => {
    const outcome = await run('total', 1);
    expect(brokenRows(outcome)).toEqual({ order: 0, span: 0, total: 0 });
    expect(outcome.job.metrics?.regression?.target).toBe('total');
    expect(outcome.job.metrics?.notes.join('\n')).toContain('The target "total" was made by adding up');
    const { numeric, holdout } = outcome.job.metrics!;
    expect(numeric['TSTR R²']).toBeGreaterThan(0.9 * holdout!['TSTR R²']!);
  });

  test('holds where the target is a part of the total, or one of two in order', async () => {
    expect(brokenRows(await run('fare', 1))).toEqual({ order: 0, span: 0, total: 0 });
    expect(brokenRows(await run('high', 2))).toEqual({ order: 0, span: 0, total: 0 });
  });

  test('is left to the models where one row of the whole table says otherwise', async () => {
    const profile = await profileUpload(bytesOf(csv), 'trips.csv');
    const lines = csv.split('\n');
    const other = [
      lines[0]!,
      ...lines.slice(1),
      '2020-10-01 00:00:00,2020-09-30 00:00:00,30.0,12.0,3.00,1.00,1.00,9.00,4',
    ];
    const asked = { job_id: 'a', target_col: 'score', continuous_cols: NAMES.slice(0, -1) };
    const request = generateRequestSchema.parse(asked);
    const { plan } = makePlan(profile, await tableOf(other.join('\n')), request);
    expect(plan.orders.filter(({ column }) => column !== 'total' && column !== 'fare')).toEqual([]);
    expect(plan.columns.every(({ derivation, difference }) => derivation === null && difference === null)).toBe(true);
    const whole = makePlan(profile, await tableOf(csv), request).plan;
    expect(whole.orders).toContainEqual({ of: 'pickup', column: 'dropoff', strict: true });
    expect(whole.columns.find(({ name }) => name === 'dropoff')?.difference?.of).toBe('pickup');
    expect(whole.columns.find(({ name }) => name === 'high')?.difference).toBe(null);
  });
});

/** A plan of numbers in one chain of orders, c0 < c1 < …, of which the models know nothing. */
function chained(count: number): { plan: Plan; sample: (rows: number) => number[][] } {
  const format = { integer: true, decimals: 0, fixed: false, min: 0, max: 100_000 };
  const names = times(count, (k) => `c${k}`);
  const columns = names.map(
    (name) =>
      ({
        name,
        role: 'continuous',
        dress: { kind: 'plain', format },
        derivation: null,
        gapRule: null,
        indicator: null,
        difference: null,
      }) as unknown as PlannedColumn,
  );
  const orders = names.slice(1).map((column, k): Order => ({ of: names[k]!, column, strict: true }));
  const plan = { columns, orders, batches: [], starts: [] } as unknown as Plan;
  return { plan, sample: (rows) => names.map(() => times(rows, () => random.integer(90_000))) };
}

describe('rows that the models hardly ever make', () => {
  test.each([2, 9])('keep to their order all the same: %i columns drawn apart', async (count) => {
    const { plan, sample } = chained(count);
    const fitted = {
      sample: async ({ rows }: { rows: number }) =>
        sample(rows).map((values, k) => ({
          kind: 'numeric' as const,
          name: `c${k}`,
          values: Float64Array.from(values),
        })),
      save: () => null,
      diagnostics: () => ({}),
    };
    const models = [{ role: 'continuous' as const, fitted }];
    const task = { plan, planned: plannedByName(plan), models, starts: null, report: silent };
    const { table, repaired, drawn } = await drawRows(task, null, 1000, createStream(3, 'draw'));
    expect(table.rows).toBe(1000);
    expect(repaired).toBe(count > 2);
    expect(drawn).toBeLessThan(3000);
    const values = times(count, (k) => {
      const column = table.columns.get(`c${k}`);
      return column?.kind === 'numeric' ? column.values : new Float64Array(0);
    });
    const broken = times(1000, (row) => values.slice(1).some((column, k) => column[row]! <= values[k]![row]!));
    expect(broken.filter(Boolean)).toEqual([]);
  });
});
