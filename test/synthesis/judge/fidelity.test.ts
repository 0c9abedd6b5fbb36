import { describe, expect, it } from 'vitest';
import { createStream } from '../../../packages/numerics/random/createStream.ts';
import { pearson, totalVariation } from '../../../packages/synthesis/judge/distances.ts';
import { correlationRatio, cramersV, spearmanOf } from '../../../packages/synthesis/judge/fidelity/associations.ts';
import {
  decilesOf,
  encodeTables,
  joinEncoded,
  takeEncoded,
} from '../../../packages/synthesis/judge/fidelity/encodeTables.ts';
import { countCells, meanVariation } from '../../../packages/synthesis/judge/fidelity/summarise.ts';
import { judgeDistance } from '../../../packages/synthesis/judge/measured.ts';
import { drawTable, levels, numbers, tableOf } from './tables.ts';

const random = createStream(31, 'fidelity');
const columns = { numeric: ['price', 'width', 'height'], categorical: ['place', 'kind'], text: [] };

/** Mean ranks by counting, value by value. */
const slowRanks = (values: number[]): Float64Array =>
  Float64Array.from(values, (value) => {
    const below = values.filter((other) => other < value).length;
    return below + (values.filter((other) => other === value).length + 1) / 2;
  });

describe('Spearman', () => {
  it('is the Pearson correlation of mean ranks, ties and missing cells and all', () => {
    const x = Float64Array.from({ length: 300 }, (_, i) => (i % 17 === 0 ? Number.NaN : random.integer(20)));
    const y = Float64Array.from(x, (value, i) => (i % 13 === 0 ? Number.NaN : (value || 3) + random.integer(15)));
    const both = [...x.keys()].filter((i) => Number.isFinite(x[i]) && Number.isFinite(y[i]));
    const expected = pearson(slowRanks(both.map((i) => x[i]!)), slowRanks(both.map((i) => y[i]!)))!;
    expect(spearmanOf([x, y])(0, 1)).toBeCloseTo(expected, 12);
  });

  it('is 1 for any increasing function and undefined where a column is constant', () => {
    const x = Float64Array.from({ length: 50 }, () => random.normal());
    expect(spearmanOf([x, x.map(Math.exp)])(0, 1)).toBeCloseTo(1, 12);
    expect(spearmanOf([x, x.map(() => 2)])(0, 1)).toBeUndefined();
  });
});

describe('the correlation ratio', () => {
  it('is 1 where levels decide the number, 0 where their means are equal', () => {
    expect(correlationRatio(Float64Array.of(1, 1, 5, 5), Int32Array.of(0, 0, 1, 1), 2)).toBeCloseTo(1, 12);
    expect(correlationRatio(Float64Array.of(1, 3, 1, 3), Int32Array.of(0, 0, 1, 1), 2)).toBeCloseTo(0, 12);
  });

  it('is |r| where there are two levels', () => {
    const y = Float64Array.from({ length: 200 }, () => random.normal());
    const codes = Int32Array.from({ length: 200 }, () => random.integer(2));
    expect(correlationRatio(y, codes, 2)).toBeCloseTo(Math.abs(pearson(y, Float64Array.from(codes))!), 12);
  });

  it('is undefined where the number or the category is constant', () => {
    expect(correlationRatio(Float64Array.of(2, 2), Int32Array.of(0, 1), 2)).toBeUndefined();
    expect(correlationRatio(Float64Array.of(1, 2), Int32Array.of(1, 1), 2)).toBeUndefined();
  });
});

describe("Cramér's V", () => {
  const side = (levels: number, ...codes: number[]) => ({ codes: Int32Array.from(codes), levels });

  it('is 1 for renamed levels, 0 for a table that is the product of its margins', () => {
    expect(cramersV(side(3, 0, 1, 2, 0), side(3, 2, 0, 1, 2))).toBeCloseTo(1, 12);
    expect(cramersV(side(2, 0, 0, 1, 1), side(2, 0, 1, 0, 1))).toBeCloseTo(0, 7);
  });

  it('is |r| of two columns of two levels, over the rows that have both', () => {
    const a = Int32Array.from({ length: 300 }, () => random.integer(2));
    const b = a.map((code) => (random.uniform() < 0.3 ? 1 - code : code));
    const expected = Math.abs(pearson(Float64Array.from(a), Float64Array.from(b))!);
    const more = { codes: Int32Array.of(...b, -1), levels: 2 };
    expect(cramersV({ codes: Int32Array.of(...a, 1), levels: 2 }, more)).toBeCloseTo(expected, 12);
    expect(cramersV(side(2, 0, 0), side(2, 0, 1))).toBeUndefined();
  });
});

describe('accuracy', () => {
  it('cuts numbers at the deciles, each once, and never between equal ones', () => {
    expect(decilesOf(Float64Array.from({ length: 11 }, (_, i) => i))).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(decilesOf(Float64Array.of(0.1, 0.1, 0.1, 0.1))).toEqual([0.1]);
    expect(decilesOf(Float64Array.of(-1.7e308, 1.7e308)).every(Number.isFinite)).toBe(true);
  });

  it('counts joint cells as they are, a missing cell as one of its own', () => {
    const table = tableOf(numbers('a', 1, 2, Number.NaN), levels('b', 'x', null, 'y'));
    const [encoded] = encodeTables([table], { numeric: ['a'], categorical: ['b'], text: [] });
    const counts = countCells(encoded!, [0, 1]);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(3);
    expect(counts.filter((count) => count === 1)).toHaveLength(3);
    expect(totalVariation(Int32Array.of(3, 1), Int32Array.of(1, 3))).toBe(0.5);
  });

  it('is 0 apart from a table itself in any order of its rows, and more for more columns', () => {
    const table = drawTable(500, random.child('table'));
    const other = drawTable(500, random.child('other'));
    const [a, b] = encodeTables([table, other], columns);
    const reversed = takeEncoded(
      a!,
      Int32Array.from({ length: 500 }, (_, row) => 499 - row),
    );
    const of = (of: typeof a, combination: number[]) => [countCells(of!, combination)];
    expect(meanVariation(of(a, [0, 3, 4]), of(reversed, [0, 3, 4]))).toBe(0);
    const [one, two] = [meanVariation(of(a, [0]), of(b, [0]))!, meanVariation(of(a, [0, 3]), of(b, [0, 3]))!];
    expect(one).toBeLessThanOrEqual(two);
    expect(joinEncoded(a!, b!).rows).toBe(1000);
  });
});

describe('the verdict on a distance', () => {
  const band = { distances: [0.09, 0.1, 0.11, 0.1, 0.105, 0.095], compared: 100, reference: 900 };

  it('is as good within what real rows are apart, worse above, suspicious far below and at 0', () => {
    expect(judgeDistance(0.1, band)).toBe('as good');
    expect(judgeDistance(0.2, band)).toBe('worse');
    expect(judgeDistance(0.03, band)).toBe('suspiciously better');
    expect(judgeDistance(0, { ...band, distances: [0.1, 0.9] })).toBe('suspiciously better');
    expect(judgeDistance(0, { ...band, distances: [0, 0] })).toBe('as good');
  });

  it('allows for skew where real distances show it, and for missing cells so few that equal shares are chance', () => {
    const distances = [0.05, 0.06, 0.07, 0.08, 0.1, 0.12, 0.15, 0.19, 0.06, 0.09];
    expect(judgeDistance(0.32, { ...band, distances })).toBe('as good');
    expect(judgeDistance(0.7, { ...band, distances })).toBe('worse');
    expect(judgeDistance(0, { ...band, distances: [0.01, 0.02], chance: 0.03 })).toBe('as good');
  });

  it('is none where there are no real rows to judge by', () => {
    expect(judgeDistance(0.1, { ...band, distances: [0.1] })).toBeNull();
    expect(judgeDistance(undefined, band)).toBeNull();
  });
});
