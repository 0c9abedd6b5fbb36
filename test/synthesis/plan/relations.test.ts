import { describe, expect, test } from 'vitest';
import { generateRequestSchema } from '../../../packages/contract/requests.ts';
import { createStream } from '../../../packages/numerics/random/createStream.ts';
import { plannedByName } from '../../../packages/synthesis/methods/placeColumns.ts';
import { drawRows } from '../../../packages/synthesis/methods/rows/drawRows.ts';
import { fitModels } from '../../../packages/synthesis/methods/rows/fitRows.ts';
import { generateTable } from '../../../packages/synthesis/methods/rows/generateRows.ts';
import type { SampleTask } from '../../../packages/synthesis/models/model.ts';
import type { Order } from '../../../packages/synthesis/plan/orders.ts';
import { makePlan, type Plan } from '../../../packages/synthesis/plan/plan.ts';
import type { PlannedColumn } from '../../../packages/synthesis/table/modelTable.ts';
import { profileUpload } from '../../../packages/tables/profile/profileUpload.ts';
import { bytesOf } from '../../support/bytes.ts';
import { silent } from '../models/tables.ts';
import { type Asked, cellsOf, drawnOf, type Outcome, outcomeOf, tableOf } from '../world.ts';

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
      (low + 30 * random.uniform() ** 2).toFixed(1),
      fare.toFixed(2),
      or(tip.toFixed(2), hasTip),
      tolls.toFixed(2),
      or((fare + tip + tolls).toFixed(2), hasTip),
      String(Math.round(trip / 60 + 5 * random.normal())),
    ].join(',');
  }),
].join('\n');
/** Rows with both times. */
const BOTH = times(ROWS, (i) => i % 13 !== 0 && i % 7 !== 0).filter(Boolean).length;
const NAMES = csv.slice(0, csv.indexOf('\n')).split(',');

const askedFor = (target: string, seed: number): Asked => ({
  target_col: target,
  n_samples: MADE,
  seed,
  continuous_cols: NAMES.filter((name) => name !== target),
});

/** Numbers of a column, times in milliseconds; NaN where the cell is missing. */
type Numbers = (name: string) => ArrayLike<number>;
const numberOf = (cell: string | null): number =>
  cell === null ? Number.NaN : cell.includes(':') ? Date.parse(cell) : Number(cell);
const numbersIn =
  ({ table }: Pick<Outcome, 'table'>): Numbers =>
  (name) =>
    cellsOf(table, name).map(numberOf);

function brokenRows(numbers: Numbers): { order: number; span: number; total: number } {
  const at = (name: string): ((row: number) => number) => {
    const values = numbers(name);
    return (row) => values[row]!;
  };
  const count = (isBroken: (row: number) => boolean): number => times(MADE, isBroken).filter(Boolean).length;
  const [pickup, dropoff, low, high, total] = [at('pickup'), at('dropoff'), at('low'), at('high'), at('total')];
  const parts = ['fare', 'tip', 'tolls'].map(at);
  return {
    order: count((row) => pickup(row) >= dropoff(row)),
    span: count((row) => low(row) > high(row)),
    total: count((row) => {
      const sum = parts.reduce((before, part) => before + part(row), 0);
      return Number.isNaN(sum) ? !Number.isNaN(total(row)) : !(Math.abs(total(row) - sum) < 0.001);
    }),
  };
}
const NONE = { order: 0, span: 0, total: 0 };

describe('what holds in every real row', () => {
  test('holds in every row made, of several seeds: times, bounds and totals, with missing cells', async () => {
    const request = { job_id: 'a', continuous_cols: NAMES.slice(0, -1) };
    const profile = await profileUpload(bytesOf(csv), 'trips.csv');
    const { plan, table } = makePlan(profile, await tableOf(csv), generateRequestSchema.parse(request));
    const progress = { onProgress: silent, yieldToEventLoop: silent };
    const models = await fitModels({ plan, table, random: createStream(1, 'fit'), progress });
    for (const seed of [1, 2, 3]) {
      const notes: string[] = [];
      const made = await generateTable({
        plan,
        models,
        rows: MADE,
        random: createStream(seed, 'make'),
        progress,
        notes,
      });
      const numbers: Numbers = (name) => {
        const column = made.columns.get(name);
        return column?.kind === 'numeric' ? column.values : [];
      };
      expect(brokenRows(numbers)).toEqual(NONE);
      expect(notes.join()).toMatch(/\d+ of [\d,]+ drawn rows broke a relation .* They were redrawn\./);
      const gone = (name: string): number => Array.from(numbers(name)).filter(Number.isNaN).length / MADE;
      expect(gone('dropoff')).toBeCloseTo(1 / 7, 1);
      expect(gone('total')).toBe(gone('tip'));
      // A trip is as long as real ones are: what a copula of two times would have to hit within minutes of a month.
      const [from, upTo] = [numbers('pickup'), numbers('dropoff')];
      const minutes = Array.from(from, (start, row) => (upTo[row]! - start) / 60).filter((one) => !Number.isNaN(one));
      expect(minutes.reduce((sum, one) => sum + one, 0) / minutes.length).toBeCloseTo(16, -1);
      expect(Math.max(...minutes)).toBeLessThan(200);
    }
  });

  test('holds where the target is the total: it is made from its parts, and its model is reported', async () => {
    const outcome = await outcomeOf(csv, askedFor('total', 1), await profileUpload(bytesOf(csv), 'trips.csv'));
    expect(brokenRows(numbersIn(outcome))).toEqual(NONE);
    expect(outcome.job.metrics?.regression?.target).toBe('total');
    expect(outcome.job.metrics?.notes.join('\n')).toContain('The target "total" was computed as the sum of');
    const { numeric, holdout } = outcome.job.metrics!;
    expect(numeric['TSTR R²']).toBeGreaterThan(0.9 * holdout!['TSTR R²']!);
  });

  test('holds where the target is a part of the total, or one of two in order', async () => {
    for (const [target, seed] of [
      ['fare', 1],
      ['high', 2],
    ] as const) {
      const drawn = await drawnOf(csv, askedFor(target, seed), await profileUpload(bytesOf(csv), 'trips.csv'));
      expect(brokenRows(numbersIn(drawn))).toEqual(NONE);
    }
  });

  test('is kept but for as many rows where few of the whole table say otherwise, and left to the models where more do', async () => {
    const profile = await profileUpload(bytesOf(csv), 'trips.csv');
    const row = '2020-10-01 00:00:00,2020-09-30 00:00:00,30.0,12.0,3.00,1.00,1.00,9.00,4';
    const planWith = async (rows: number, rules = {}) => {
      const asked = { job_id: 'a', target_col: 'score', continuous_cols: NAMES.slice(0, -1) };
      const other = [csv, ...times(rows, () => row)].join('\n');
      return makePlan(profile, await tableOf(other), generateRequestSchema.parse(asked), rules).plan;
    };
    const sumOf = ({ columns }: Plan) => columns.find(({ name }) => name === 'total');
    const [whole, few, many] = [await planWith(0), await planWith(2), await planWith(15)];
    for (const plan of [many, await planWith(2, { withoutExceptions: true })]) {
      expect(plan.orders.filter(({ column }) => column !== 'total' && column !== 'fare')).toEqual([]);
      expect(plan.columns.every(({ derivation, difference }) => derivation === null && difference === null)).toBe(true);
    }
    expect(whole.orders).toContainEqual({ of: 'pickup', column: 'dropoff', strict: true, exceptions: null });
    expect(whole.columns.find(({ name }) => name === 'dropoff')?.difference?.of).toBe('pickup');
    expect(whole.columns.find(({ name }) => name === 'high')?.difference).toBe(null);
    expect(sumOf(whole)?.exceptions).toBeNull();
    expect(few.orders.find(({ column }) => column === 'dropoff')?.exceptions?.share).toBeCloseTo(2 / (BOTH + 2), 6);
    expect(few.columns.find(({ name }) => name === 'dropoff')?.difference?.of).toBe('pickup');
    expect(sumOf(few)).toMatchObject({ derivation: { kind: 'sum' }, exceptions: { offsets: null } });
  });
});

test('cells that are missing exactly when another column says so are, where what they are missing with is left out', async () => {
  // The last review, and reviews a month, are missing exactly where there is no review.
  const stays = [
    'reviews,last_review,monthly,price',
    ...times(ROWS, (i) => {
      const reviews = i % 5 === 0 ? 0 : 1 + random.integer(60);
      const last = reviews > 0 ? stamp(1_600_000_000 + random.integer(30 * 86_400)) : '';
      return [reviews, last, or((reviews / (5 + random.integer(20))).toFixed(2), reviews > 0), 50 + i].join(',');
    }),
  ].join('\n');
  const profile = await profileUpload(bytesOf(stays), 'stays.csv');
  expect(profile.relations).toContainEqual(expect.objectContaining({ kind: 'missing_together', column: 'monthly' }));
  const asked = { job_id: 'a', target_col: 'price', continuous_cols: ['reviews', 'monthly'] };
  const { plan } = makePlan(profile, await tableOf(stays), generateRequestSchema.parse(asked));
  expect(plan.columns.find(({ name }) => name === 'monthly')?.missingRule).toEqual({
    of: 'reviews',
    values: new Set(['0']),
    except: false,
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
        format: { kind: 'plain', format },
        derivation: null,
        missingRule: null,
        indicator: null,
        difference: null,
      }) as unknown as PlannedColumn,
  );
  const orders = names.slice(1).map((column, k): Order => ({ of: names[k]!, column, strict: true, exceptions: null }));
  const plan = { columns, orders, batches: [], seedColumns: [] } as unknown as Plan;
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
    const task = {
      plan,
      planned: plannedByName(plan),
      models,
      seedColumns: null,
      onProgress: silent,
      yieldToEventLoop: silent,
    };
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

  test.each([
    [0.01, true],
    [0.5, false],
  ])('stand for the whole table where few of them break a relation: a share of %d', async (share, whole) => {
    const of = chained(2).plan;
    const plan = { ...of, columns: [...of.columns, { ...of.columns[0]!, name: 'y', role: 'target' as const }] };
    const asked: (true | undefined)[] = [];
    const numbers = {
      sample: async ({ rows }: { rows: number }) =>
        [0, 1].map((k) => ({
          kind: 'numeric' as const,
          name: `c${k}`,
          values: Float64Array.from({ length: rows }, (_, row) => (k === 1 && row >= share * rows ? 7 : 5)),
        })),
      save: () => null,
      diagnostics: () => ({}),
    };
    const target = {
      ...numbers,
      sample: async ({ representative }: SampleTask) => {
        asked.push(representative);
        return [];
      },
    };
    const models = [
      { role: 'continuous' as const, fitted: numbers },
      { role: 'target' as const, fitted: target },
    ];
    const task = {
      plan,
      planned: plannedByName(plan),
      models,
      seedColumns: null,
      onProgress: silent,
      yieldToEventLoop: silent,
    };
    const { table } = await drawRows(task, null, 1000, createStream(3, 'draw'));
    expect(table.rows).toBe(1000);
    expect(asked[0]).toBe(whole || undefined);
    // Rows that stand in for those left out are not the table.
    expect(asked.slice(1).every((one) => one === undefined)).toBe(true);
  });
});
