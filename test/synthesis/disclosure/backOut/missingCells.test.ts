import { describe, expect, test } from 'vitest';
import { inferCellFormat } from '../../../../packages/tables/format/cellFormat.ts';
import { isMissing } from '../../../../packages/tables/missing.ts';
import { type Asked, cellsOf, drawnOf } from '../../world.ts';
import { type Column, csvOf, known, pick, ROWS, random, TIMES, times } from './cells.ts';

describe('missing cells', () => {
  /** Cells of the file as they stand there, quotes aside. */
  const texts = (csv: string, place: number): string[] =>
    csv
      .trimEnd()
      .split('\n')
      .slice(1)
      .map((line) => line.split(',')[place] ?? '');
  const share = (cells: readonly string[], text: string): number =>
    cells.filter((cell) => cell === text).length / cells.length;
  const gap = (i: number): string | undefined => ['', 'NA', 'NA', '-999', undefined, undefined, undefined][i % 7];
  const csv = `y,a,c,t\n${times(700, (i) => {
    const or = (cell: string): string => gap(i) ?? cell;
    return `${i % 50},${or(String(random.integer(90)))},${or(pick(['p', 'q']))},${or(`note ${random.integer(9999)} of all`)}`;
  }).join('\n')}\n`;
  const tokens: [string, number][] = [
    ['NA', 200],
    ['', 100],
    ['-999', 100],
  ];
  const changes = Object.fromEntries(
    ['a', 'c', 't'].map((name) => [name, { missing: 400, missing_token: 'NA', missing_tokens: tokens }]),
  );
  const asked: Asked = {
    target_col: 'y',
    continuous_cols: ['a'],
    categorical_cols: ['c'],
    text_cols: ['t'],
    n_samples: 1400,
  };

  test('come out as the tokens that they were, as often as they were: empty, NA, −999', async () => {
    const { csv: made } = await drawnOf(csv, asked, await known(csv, changes));
    for (const place of [1, 2, 3]) {
      expect(share(texts(made, place), '')).toBeCloseTo(1 / 7, 1);
      expect(share(texts(made, place), 'NA')).toBeCloseTo(2 / 7, 1);
      expect(share(texts(made, place), '-999')).toBeCloseTo(1 / 7, 1);
    }
    const numbers = texts(made, 1)
      .filter((cell) => !isMissing(cell) && cell !== '-999')
      .map(Number);
    expect(Math.min(...numbers)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...numbers)).toBeLessThan(90);
  });

  test('stand together where they stood together, token by token', async () => {
    const { csv: made } = await drawnOf(csv, asked, await known(csv, changes));
    const [a, t] = [texts(made, 1), texts(made, 3)];
    const apart = a.filter((cell, i) => (cell === '-999') !== (t[i] === '-999')).length;
    expect(apart / a.length).toBeLessThan(0.05);
  });

  test('are those of the family of the target, too', async () => {
    const own = `y,x\n${times(300, (i) => `${i % 6 === 0 ? '-999' : 40 + (i % 37)},${i % 37}`).join('\n')}\n`;
    const format = inferCellFormat(times(37, (i) => String(40 + i)))!;
    const profile = await known(own, { y: { missing_tokens: [['-999', 50]], format } });
    const { table } = await drawnOf(own, { target_col: 'y', continuous_cols: ['x'], n_samples: 600 }, profile);
    const cells = cellsOf(table, 'y').map(Number);
    expect(cells.filter((cell) => cell === -999).length / 600).toBeCloseTo(1 / 6, 1);
    expect(cells.filter((cell) => cell !== -999).every((cell) => cell >= 40 && cell <= 76)).toBe(true);
  });
});

describe('cells that are missing where another column says so', () => {
  const reviews = times(400, () => (random.uniform() < 0.3 ? 0 : 1 + random.integer(60)));
  const state = times(400, () => pick(['single', 'married', 'widowed']));
  const cells: Record<string, Column> = {
    y: (i) => String(20 + (i % 50)),
    reviews: (i) => String(reviews[i]),
    state: (i) => state[i]!,
    last: (i) => (reviews[i] === 0 ? '' : TIMES.iso![0](i % ROWS)),
    rate: (i) => (reviews[i] === 0 ? '' : (random.uniform() * 9).toFixed(2)),
    years: (i) => (state[i] === 'married' ? String(random.integer(60)) : ''),
  };
  const csv = csvOf(cells, 400);
  const gone = reviews.filter((count) => count === 0).length / 400;
  const asked: Asked = {
    target_col: 'y',
    continuous_cols: ['last', 'rate', 'reviews', 'years'],
    categorical_cols: ['state'],
    n_samples: 900,
  };

  test('are missing there in every row that comes out', async () => {
    const { table } = await drawnOf(csv, asked, await known(csv, {}));
    const isGone = (name: string): boolean[] => cellsOf(table, name).map((cell) => cell === null);
    const isZero = cellsOf(table, 'reviews').map((cell) => cell === '0');
    expect(isGone('last')).toEqual(isZero);
    expect(isGone('rate')).toEqual(isZero);
    expect(isGone('years')).toEqual(cellsOf(table, 'state').map((cell) => cell !== 'married'));
    expect(Math.abs(isZero.filter(Boolean).length / 900 - gone)).toBeLessThan(0.06);
  });

  test('are modelled where one row of the whole table says otherwise, and where the other column is not there', async () => {
    const profile = await known(csv, {});
    const first = reviews.indexOf(0);
    const broken = csvOf({ ...cells, rate: (i) => (i === first ? '1.00' : cells.rate!(i)) }, 400);
    for (const [text, continuous_cols] of [
      [broken, ['last', 'rate', 'reviews']],
      [csv, ['last', 'rate']],
    ] as const) {
      const { table } = await drawnOf(text, { ...asked, continuous_cols: [...continuous_cols] }, profile);
      const share = cellsOf(table, 'rate').filter((cell) => cell === null).length / 900;
      expect(Math.abs(share - gone)).toBeLessThan(0.06);
    }
  });
});
