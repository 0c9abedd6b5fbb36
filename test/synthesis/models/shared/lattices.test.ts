import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createStream } from '../../../../packages/numerics/random/createStream.ts';
import { drawNumber, fitMargin, marginSchema } from '../../../../packages/synthesis/disclosure/margin.ts';
import { leafRankVine } from '../../../../packages/synthesis/models/copula/leafRankVine.ts';
import { readTable } from '../../../../packages/tables/readTable.ts';
import { cellAt } from '../../../../packages/tables/table.ts';
import { describeShared } from '../../../support/shared.ts';
import { fitTask, numbersOf, numeric, silent, tableOf } from '../tables.ts';

const random = createStream(5, 'lattices');
const K = 6;
const MADE = 5000;
const times = (n: number, make: (i: number) => number): Float64Array =>
  Float64Array.from({ length: n }, (_, i) => make(i));
const share = (values: ArrayLike<number>, is: (value: number) => boolean): number =>
  Array.from(values).filter(is).length / values.length;
const drawnFrom = (values: Float64Array): Float64Array => {
  const margin = fitMargin(values, K);
  return times(MADE, (i) => drawNumber(margin, (i + 0.5) / MADE, random));
};

/** The largest difference of the two distributions. */
function distance(a: Float64Array, b: Float64Array): number {
  const [x, y] = [a.slice().sort(), b.slice().sort()];
  const below = (sorted: Float64Array, value: number) => share(sorted, (one) => one <= value);
  const grid = times(200, (i) => x[Math.floor(((i + 0.5) / 200) * x.length)]!);
  return Math.max(...Array.from(grid, (value) => Math.abs(below(x, value) - below(y, value))));
}

const cents = (value: number): number => Math.round(100 * value) / 100;
const ending = (value: number): number => ((Math.round(100 * value) % 100) + 100) % 100;
/** Prices and pay: so many different ones that hardly any is of six rows. */
const price = (): number => Math.exp(6 + random.normal());
const pay = (): number => Math.exp(11 + 0.7 * random.normal());
const oneOf = <T>(shares: readonly [number, T][]): T => {
  const at = random.uniform();
  const upTo = shares.map((_, i) => shares.slice(0, i + 1).reduce((sum, [share]) => sum + share, 0));
  return shares[
    Math.max(
      0,
      upTo.findIndex((end) => at < end),
    )
  ]![1];
};

const rounded = (shares: readonly [number, (value: number) => number][], make: () => number, n = 3000) =>
  times(n, () => oneOf(shares)(make()));

describe('numbers lie on the steps that the real ones lie on', () => {
  test.each<[string, Float64Array, Record<string, (value: number) => boolean>]>([
    [
      'prices that end in .99, .50 or .00',
      rounded(
        [
          [0.5, (x) => Math.floor(x) + 0.99],
          [0.1, (x) => Math.floor(x) + 0.5],
          [0.2, Math.round],
          [0.2, cents],
        ],
        price,
      ),
      { '.99': (x) => ending(x) === 99, '.50': (x) => ending(x) === 50, '.00': (x) => ending(x) === 0 },
    ],
    [
      'pay in thousands, hundreds and to the unit',
      rounded(
        [
          [0.4, (x) => 1000 * Math.round(x / 1000)],
          [0.3, (x) => 100 * Math.round(x / 100)],
          [0.3, Math.round],
        ],
        pay,
      ),
      { thousands: (x) => x % 1000 === 0, hundreds: (x) => x % 100 === 0, tens: (x) => x % 10 === 0 },
    ],
    [
      'quarters and halves of hours among minutes',
      rounded(
        [
          [0.6, (x) => Math.round(4 * x) / 4],
          [0.4, cents],
        ],
        () => 20 + 200 * random.uniform(),
      ),
      { quarters: (x) => ending(x) % 25 === 0, whole: (x) => Number.isInteger(x) },
    ],
    [
      'whole numbers among some with every digit',
      rounded(
        [
          [0.7, Math.round],
          [0.3, (x) => x],
        ],
        price,
      ),
      { whole: (x) => Number.isInteger(x) },
    ],
  ])('%s', (_, values, kinds) => {
    const made = drawnFrom(values);
    for (const [kind, is] of Object.entries(kinds)) {
      // Three standard errors of the real share, and what lies beside atoms.
      expect(Math.abs(share(made, is) - share(values, is)), kind).toBeLessThan(0.03);
    }
    expect(distance(values, made)).toBeLessThan(0.01);
  });

  test('where the magnitude tells, at that magnitude: months of babies, whole years and some halves of others', () => {
    const values = times(900, (i) => {
      if (i < 40) return cents(Math.floor(1 + 11 * random.uniform()) / 12 + 0.0001 * i);
      const age = 1 + 79 * random.uniform() ** 0.7;
      return i < 80 ? Math.floor(age) + 0.5 : Math.round(age);
    });
    const made = drawnFrom(values);
    const isOdd = (x: number): boolean => !Number.isInteger(2 * x);
    // Where babies end and others begin, a block of a margin may reach from one to the other.
    expect(share(made, (x) => x > 1 && isOdd(x))).toBeLessThan(0.005);
    expect(share(made, (x) => x < 1 && isOdd(x))).toBeGreaterThan(0.02);
    const isHalf = (x: number): boolean => x > 1 && ending(x) === 50;
    expect(Math.abs(share(made, isHalf) - share(values, isHalf))).toBeLessThan(0.012);
  });

  test('and nowhere else where they lie on none: uniform cents have no lattice', () => {
    expect(fitMargin(rounded([[1, cents]], price), K).lattices).toBeNull();
    expect(fitMargin(times(3000, random.normal), K).lattices).toBeNull();
  });

  test('without moving anything into a point mass or beyond the margin', () => {
    const values = times(2000, (i) =>
      i % 4 === 0
        ? 0
        : Math.max(
            0.01,
            oneOf([
              [0.5, Math.round],
              [0.5, cents],
            ])((3 * price()) / 400),
          ),
    );
    const made = drawnFrom(values);
    expect(share(made, (x) => x === 0)).toBeCloseTo(
      share(values, (x) => x === 0),
      2,
    );
    expect(Math.max(...made)).toBeLessThanOrEqual(values.slice().sort().at(-K)!);
  });

  test('as a saved margin has them', () => {
    const margin = fitMargin(
      rounded(
        [
          [0.7, Math.round],
          [0.3, cents],
        ],
        price,
      ),
      K,
    );
    expect(margin.lattices).not.toBeNull();
    expect(marginSchema.parse(JSON.parse(JSON.stringify(marginSchema.encode(margin))))).toEqual(margin);
  });
});

test('a column that follows another follows its rounded numbers', async () => {
  const x = rounded(
    [
      [0.7, Math.round],
      [0.3, cents],
    ],
    price,
    600,
  );
  const table = tableOf(
    numeric('x', x),
    numeric(
      'twice',
      x.map((value) => cents(2 * value)),
    ),
  );
  const fitted = await leafRankVine.fit(fitTask(table, ['x', 'twice']));
  const made = await fitted.sample({
    rows: 1000,
    made: { rows: 1000, columns: new Map() },
    random,
    onProgress: silent,
  });
  const [own, twice] = ['x', 'twice'].map((name) => numbersOf(made, name));
  expect(share(own!, Number.isInteger)).toBeGreaterThan(0.6);
  own!.forEach((value, row) => {
    expect(Math.abs(twice![row]! - 2 * value)).toBeLessThan(0.011);
  });
});

describeShared('ages of passengers', (dir) => {
  test('are whole, halves or months as often as the real ones', async () => {
    const { columns } = await readTable(createReadStream(join(dir, 'data', 'titanic.csv')), {
      format: 'csv',
      encoding: 'utf-8',
      delimiter: ',',
    });
    const age = columns.find(({ name }) => name === 'Age')!;
    const cells = Array.from(age.codes, (_, row) => cellAt(age, row)).flatMap((cell) => cell ?? []);
    const ages = Float64Array.from(cells, Number);
    const made = drawnFrom(ages);
    for (const is of [Number.isInteger, (x: number) => ending(x) === 50, (x: number) => !Number.isInteger(2 * x)]) {
      // Ends of a margin's blocks lie between ages: of 714 rows, six or so.
      expect(Math.abs(share(made, is) - share(ages, is))).toBeLessThan(0.009);
    }
  });
});
