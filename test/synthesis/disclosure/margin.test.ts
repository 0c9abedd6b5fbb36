import { describe, expect, test } from 'vitest';
import { createStream } from '../../../packages/numerics/random/createStream.ts';
import {
  findGrid,
  fitMargin,
  type Margin,
  marginSchema,
  numberAt,
  onGrid,
  releasedRange,
  uRangeOf,
} from '../../../packages/synthesis/disclosure/margin.ts';

const random = createStream(2, 'margin');
const K = 6;
const draw = (n: number, make: (i: number) => number): Float64Array =>
  Float64Array.from({ length: n }, (_, i) => make(i));
const sampleOf = (margin: Margin, n: number): Float64Array => draw(n, () => numberAt(margin, random.uniform()));
const share = (values: Float64Array, is: (value: number) => boolean): number =>
  values.filter(is).length / values.length;

describe('a grid', () => {
  test.each([
    ['whole numbers', [3, 1, -7], 1],
    ['fives', [10, 25, -5, 0], 5],
    ['cents', [1.25, 0.1, 7], 0.05],
    ['tenths', [0.1, 0.7, 12.3], 0.1],
  ])('is found for %s', (_, values, step) => {
    const grid = findGrid(Float64Array.from(values))!;
    expect(grid.multiple / grid.scale).toBeCloseTo(step, 12);
    for (const value of values) expect(onGrid(grid, value)).toBe(value);
  });

  test('is not found where numbers have every digit', () => {
    expect(findGrid(draw(20, random.uniform))).toBeNull();
  });
});

describe('a margin', () => {
  test('gives the distribution back, its quantiles within those of a sample as large', () => {
    const values = draw(20_000, () => Math.exp(random.normal()));
    const margin = fitMargin(values, K);
    const sorted = values.slice().sort();
    for (const p of [0.001, 0.01, 0.1, 0.5, 0.9, 0.99, 0.999]) {
      const [low, high] = [p * 0.97 - 3e-4, p * 1.03 + 3e-4].map(
        (q) => sorted[Math.min(19_999, Math.floor(q * 20_000))]!,
      );
      expect(numberAt(margin, p)).toBeGreaterThan(low! - 1e-9);
      expect(numberAt(margin, p)).toBeLessThan(high! + 1e-9);
    }
  });

  test('holds no number of a row alone but those at which it ends, and is the distribution all the same', () => {
    const values = draw(400, () => 30 + 90 * random.uniform());
    const margin = fitMargin(values, K);
    const real = new Set(values);
    expect([...margin.values].filter((value) => real.has(value))).toEqual([margin.values[0], margin.values.at(-1)]);
    const sorted = values.slice().sort();
    // The places of K rows between two knots are taken for evenly spread; K more lie beyond each end.
    for (let row = 2 * K; row < 400 - 2 * K; row++) {
      expect(Math.abs(uRangeOf(margin, sorted[row]!).from - (row + 0.5) / 400)).toBeLessThan((K + 1) / 400);
    }
  });

  test('holds every number where rare ones are kept', () => {
    const values = draw(60, () => random.uniform());
    expect([...fitMargin(values, K, { keepRare: true }).values]).toEqual([...values.slice().sort()]);
  });

  test('is its own inverse on the line', () => {
    const margin = fitMargin(draw(5000, random.normal), K);
    for (const place of [0.01, 0.2, 0.5, 0.77, 0.99]) {
      const { from, upTo } = uRangeOf(margin, numberAt(margin, place));
      expect((from + upTo) / 2).toBeCloseTo(place, 9);
    }
  });

  test('gives atoms their weight and releases them as they are', () => {
    const values = draw(10_000, () =>
      random.uniform() < 0.3 ? 0 : random.uniform() < 0.2 ? 500_001 : 1000 + 1e5 * random.uniform(),
    );
    const made = sampleOf(fitMargin(values, K), 20_000);
    for (const heap of [0, 500_001]) {
      expect(share(made, (value) => value === heap)).toBeCloseTo(
        share(values, (value) => value === heap),
        1.5,
      );
    }
    expect(made.some((value) => value > 0 && value < 1000)).toBe(false);
  });

  test.each([
    ['a normal column with one giant', () => draw(4000, (i) => (i === 7 ? 251.7 : 170 + 7 * random.normal()))],
    ['heavy tails', () => draw(3000, () => random.normal() ** 3)],
    ['counts', () => draw(4000, () => Math.floor(Math.exp(1.3 * random.normal())))],
    ['a few numbers, the ends of one row each', () => draw(500, (i) => (i === 0 ? 12 : i === 1 ? -9 : i % 5))],
    ['a rare one beside an atom', () => draw(900, (i) => (i < 3 ? 40 + i : 0))],
    ['a table of 60 rows', () => draw(60, () => Math.exp(2 * random.normal()))],
  ])('ends where at least k rows lie at or beyond its numbers: %s', (_, make) => {
    const values = make();
    const margin = fitMargin(values, K);
    const made = [0, 1, 1e-9, 1 - 1e-9, ...draw(3000, (i) => i / 3000)].map((u) => numberAt(margin, u));
    const [least, greatest] = [Math.min(...made), Math.max(...made)];
    expect(values.filter((value) => value >= greatest).length).toBeGreaterThanOrEqual(K);
    expect(values.filter((value) => value <= least).length).toBeGreaterThanOrEqual(K);
    expect(releasedRange(values, K)).toEqual({ min: least, max: greatest });
  });

  test('keeps numbers at its ends that k rows share, with their weight', () => {
    const values = draw(2000, (i) => (i < 10 ? 99 : i < 17 ? -99 : random.normal()));
    const margin = fitMargin(values, K);
    expect([numberAt(margin, 0), numberAt(margin, 1)]).toEqual([-99, 99]);
    expect(margin.coded).toBe(0);
    expect(
      share(
        draw(20_000, (i) => numberAt(margin, (i + 0.5) / 20_000)),
        (x) => x === 99,
      ),
    ).toBeCloseTo(0.005, 3);
  });

  test('spreads the rows of its ends over the numbers before them: no number stands out', () => {
    const values = draw(2000, random.normal);
    const sorted = values.slice().sort();
    const margin = fitMargin(values, K);
    const made = draw(20_000, (i) => numberAt(margin, (i + 0.5) / 20_000));
    const counts = new Map<number, number>();
    for (const value of made) counts.set(value, (counts.get(value) ?? 0) + 1);
    expect(Math.max(...counts.values())).toBeLessThan(3);
    const beyond = sorted.at(-2 * K - 1)!;
    expect(share(made, (value) => value > beyond)).toBeCloseTo((2 * K) / 2000, 3);
    const inner = sorted.at(-3 * K)!;
    // Within a block of K rows, half of them at most are on the wrong side of any number.
    const gap = share(made, (value) => value > inner) - share(values, (value) => value > inner);
    expect(Math.abs(gap)).toBeLessThan(K / 2 / 2000);
  });

  test('does not let whole numbers at either end out, and makes whole ones in their place', () => {
    const values = draw(4000, () => Math.round(1000 * Math.exp(random.normal())));
    const sorted = values.slice().sort();
    const made = sampleOf(fitMargin(values, K), 20_000);
    expect(made.every(Number.isInteger)).toBe(true);
    for (const secret of sorted.subarray(-K)) expect(made.includes(secret)).toBe(false);
  });

  test('does not let the largest of some forty counts out, whose rows are few', () => {
    const values = draw(4000, () => Math.floor(Math.exp(1.3 * random.normal())));
    const sorted = values.slice().sort();
    expect(new Set(sorted).size).toBeLessThan(50);
    const made = sampleOf(fitMargin(values, K), 20_000);
    for (const secret of sorted.subarray(-K)) expect(made.includes(secret)).toBe(false);
    expect(Math.abs(share(made, (x) => x === 0) - share(values, (x) => x === 0))).toBeLessThan(0.02);
  });

  test('lets them out where rare numbers are kept', () => {
    const values = draw(3000, random.normal);
    const margin = fitMargin(values, K, { keepRare: true });
    expect(margin.coded).toBe(0);
    expect(numberAt(margin, 1)).toBe(Math.max(...values));
  });

  test.each([
    ['one number', [7]],
    ['a constant', new Array(50).fill(3)],
    ['two numbers', [0, 1, 1, 1, 0, 1]],
    ['atoms over 99 %', [...new Array(990).fill(0), ...draw(10, random.uniform)]],
    ['the ends of all numbers', [-Number.MAX_VALUE, 0, 1, Number.MAX_VALUE]],
  ])('takes %s', (_, values) => {
    const numbers = Float64Array.from(values);
    const made = sampleOf(fitMargin(numbers, K), 300);
    expect(made.every((value) => value >= Math.min(...numbers) && value <= Math.max(...numbers))).toBe(true);
  });

  test('comes back from JSON as it was', () => {
    const margin = fitMargin(draw(500, random.normal), K);
    expect(marginSchema.parse(JSON.parse(JSON.stringify(marginSchema.encode(margin))))).toEqual(margin);
  });
});
