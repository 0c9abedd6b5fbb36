import { describe, expect, test } from 'vitest';
import { type ColumnProfile, type Relation, relationSchema } from '../../../packages/contract/columns.ts';
import { createStream } from '../../../packages/numerics/random/createStream.ts';
import { inferCellFormat } from '../../../packages/tables/format/cellFormat.ts';
import { relationWarnings } from '../../../packages/tables/profile/profileUpload.ts';
import { findRelations } from '../../../packages/tables/relations/findRelations.ts';
import { column } from '../../support/profiles.ts';

type Cells = (string | null)[];
const ROWS = 400;
const random = createStream(11, 'orders');
const times = <T>(n: number, make: (i: number) => T): T[] => Array.from({ length: n }, (_, i) => make(i));
const numbers = (make: (i: number) => number): Cells => times(ROWS, (i) => make(i).toFixed(2));
const gaps = (cells: Cells, every: number): Cells => cells.map((cell, i) => (i % every === 0 ? null : cell));
const stamp = (minutes: number): string => new Date(60_000 * minutes).toISOString().slice(0, 16).replace('T', ' ');

function relationsOf(table: Record<string, Cells>, kind: ColumnProfile['kind'] = 'continuous'): Relation[] {
  const columns = Object.entries(table).map(([name, cells]) => {
    const format = inferCellFormat([...new Set(cells.filter((cell) => cell !== null))]) ?? null;
    return column(name, { kind: format?.kind === 'time' ? 'datetime' : kind, format });
  });
  const cells = Object.values(table);
  return findRelations(columns, { rows: cells[0]?.length ?? 0, cells });
}
const ordersOf = (table: Record<string, Cells>): string[] =>
  relationsOf(table).flatMap((relation) =>
    relation.kind === 'order' ? [`${relation.of} ${relation.strict ? '<' : '≤'} ${relation.column}`] : [],
  );

const low = times(ROWS, () => 100 * random.uniform());
const low_ = numbers((i) => low[i]!);
const above = (by: () => number): Cells => numbers((i) => Number(low_[i]) + by());
const high = above(() => 30 * random.uniform() * random.integer(2));

describe('orders of two columns', () => {
  test('are found among numbers, strict where no row has the same twice', () => {
    expect(ordersOf({ low: low_, high })).toEqual(['low ≤ high']);
    expect(ordersOf({ high: above(() => 1 + random.uniform()), low: low_ })).toEqual(['low < high']);
  });

  test('are found among times, and told in words', () => {
    const start = times(ROWS, () => 26_000_000 + random.integer(100_000));
    const table = {
      pickup: start.map(stamp),
      dropoff: start.map((minutes) => stamp(minutes + 1 + random.integer(90))),
    };
    const found = relationsOf(table);
    expect(found).toMatchObject([{ kind: 'order', column: 'dropoff', of: 'pickup', strict: true }]);
    expect(found[0]?.sentence).toBe('Column "dropoff" is after "pickup" in all 400 rows examined.');
    expect(relationWarnings(found)).toEqual([
      'Column "dropoff" is after "pickup" in all 400 rows examined. If both are numeric in the request, every synthetic row satisfies this.',
    ]);
    expect(relationSchema.parse(JSON.parse(JSON.stringify(found[0])))).toEqual(found[0]);
    expect(relationsOf({ low: low_, high })[0]?.sentence).toContain('Column "high" is never below "low" in all');
  });

  test('are not broken by missing cells', () => {
    expect(ordersOf({ low: gaps(low_, 7), high: gaps(high, 5) })).toEqual(['low ≤ high']);
  });

  test.each<[string, Record<string, Cells>]>([
    ['2 % of rows break them', { low: low_, high: high.map((cell, i) => (i % 50 === 7 ? '-1.00' : cell)) }],
    ['rows shade off beyond them', { low: low_, high: numbers((i) => Number(low_[i]) + 12 + 5 * random.normal()) }],
    ['the ranges hardly overlap', { low: low_, high: numbers(() => 99 + 50 * random.uniform()) }],
    ['all cells are equal', { low: low_, high: [...low_] }],
    ['the units differ', { low: low_.map((cell) => `${cell} kg`), high: high.map((cell) => `$${cell}`) }],
    ['one is a time and one is not', { low: low_, high: times(ROWS, () => stamp(26_000_000 + random.integer(9e5))) }],
    [
      'they are codes of categories',
      { low: times(ROWS, (i) => String(i % 2)), high: times(ROWS, (i) => String(1 + (i % 2))) },
    ],
  ])('are none where %s', (_, table) => {
    expect(ordersOf(table)).toEqual([]);
  });

  test('are none among categories, identifiers and texts', () => {
    for (const kind of ['categorical', 'identifier', 'text'] as const) {
      expect(relationsOf({ low: low_, high }, kind).filter(({ kind: found }) => found === 'order')).toEqual([]);
    }
  });
});

describe('orders that a few rows break', () => {
  const many = 20_000;
  const start = times(many, () => 16_000 + random.integer(120));
  const wait = (i: number): number =>
    i % 4000 === 9 ? -1 - random.integer(6) : random.integer(3) * random.integer(40);
  const day = (days: number): string => stamp(1440 * days).slice(0, 10);
  const table = { scheduled: start.map(day), appointment: start.map((days, i) => day(days + wait(i))) };

  test('are found with the share of rows that keep to them, rounded down in words', () => {
    const [found] = relationsOf(table);
    expect(found).toMatchObject({
      kind: 'order',
      of: 'scheduled',
      column: 'appointment',
      strict: false,
      share: 0.9997,
    });
    expect(found?.sentence).toBe(
      'Column "appointment" is not before "scheduled" in 99.97 % of the 20,000 rows examined.',
    );
    expect(relationWarnings([found!])[0]).toMatch(/as many synthetic rows satisfy this\.$/);
    expect(relationSchema.parse(JSON.parse(JSON.stringify(found)))).toEqual(found);
  });

  test('are found among few rows too, strict where the others are', () => {
    const above_ = above(() => 1 + 30 * random.uniform());
    expect(ordersOf({ low: low_, high: high.with(77, '-1.00') })).toEqual(['low ≤ high']);
    expect(ordersOf({ low: low_, high: above_.with(5, '-3.00').with(80, '-9.00') })).toEqual(['low < high']);
  });
});

describe('orders of several columns', () => {
  const middle = numbers((i) => Number(low_[i]) + (Number(high[i]) - Number(low_[i])) * random.uniform());

  test('are told without those that follow from two others', () => {
    expect(ordersOf({ low: low_, middle, high }).sort()).toEqual(['low ≤ middle', 'middle ≤ high']);
  });

  test('are told all the same where the column between is missing in rows of both others', () => {
    expect(ordersOf({ low: low_, middle: gaps(middle, 9), high })).toHaveLength(3);
  });

  test('are not told of a total and its parts, unless a part may be below zero', () => {
    const other = numbers(() => 20 * random.uniform());
    const total = numbers((i) => Number(low_[i]) + Number(other[i]));
    expect(ordersOf({ low: low_, other, total })).toEqual([]);
  });

  test('are not told of what is made from one of them', () => {
    const twice = low_.map((cell) => String(2 * Number(cell)));
    expect(ordersOf({ low: low_, high, twice })).toEqual(['low ≤ high']);
  });

  test.each([1, 2, 3])('are none in 60 columns of noise, of many spreads and shifts: %i', (seed) => {
    const noise = createStream(seed, 'noise');
    const columns = times(60, (k) => {
      const [shift, spread] = [3 * noise.uniform(), 0.2 + 2 * noise.uniform()];
      return [`c${k}`, times(ROWS, () => (shift + spread * noise.normal()).toFixed(3))] as const;
    });
    expect(ordersOf(Object.fromEntries(columns))).toEqual([]);
  });
});
