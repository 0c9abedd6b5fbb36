import { describe, expect, it } from 'vitest';
import { createStream } from '../../../packages/numerics/random/createStream.ts';
import { firstAtLeast } from '../../../packages/numerics/search.ts';
import {
  applyBinning,
  binTable,
  type FeatureTable,
  guidedSearch,
  valueBins,
} from '../../../packages/numerics/trees/features.ts';

const binsOf = (table: FeatureTable, target: Float64Array) => binTable(table, target).map(({ bins }) => bins);

const numeric = (...values: number[]): FeatureTable => ({
  rows: values.length,
  features: [{ kind: 'numeric', values: Float64Array.from(values) }],
});

const category = (codes: number[], levels: number): FeatureTable => ({
  rows: codes.length,
  features: [{ kind: 'category', codes: Int32Array.from(codes), levels }],
});

describe('binning', () => {
  it('cuts few distinct numbers midway between them and gives missing cells a bin of their own', () => {
    const table = numeric(3, 1, Number.NaN, 1, 7);
    const binning = binsOf(table, new Float64Array(5));
    expect(binning).toEqual([{ kind: 'numeric', cuts: [2, 5] }]);
    expect(applyBinning(binning, table)).toEqual([Uint8Array.of(1, 0, 3, 0, 2)]);
  });

  it('gives many distinct numbers 255 bins of about equal size', () => {
    const random = createStream(2, 'binning');
    const values = Array.from({ length: 25_500 }, () => random.normal());
    const binning = binsOf(numeric(...values), new Float64Array(values.length));
    expect(valueBins(binning[0]!)).toBe(255);
    const rows = new Array(256).fill(0);
    for (const bin of applyBinning(binning, numeric(...values))[0]!) rows[bin]++;
    expect(rows[255]).toBe(0);
    expect(Math.min(...rows.slice(0, 255))).toBeGreaterThanOrEqual(99);
    expect(Math.max(...rows)).toBeLessThanOrEqual(102);
  });

  it('stays finite at both ends of the range of doubles', () => {
    const table = numeric(-1.7e308, 1.7e308, 5e-324, 0);
    const binning = binsOf(table, new Float64Array(4));
    expect(applyBinning(binning, table)[0]).toEqual(Uint8Array.of(0, 3, 2, 1));
  });

  it('orders levels by their mean target', () => {
    const table = category([0, 0, 1, 1, 2, 2, -1], 4);
    const binning = binsOf(table, Float64Array.of(5, 5, 1, 1, 9, 9, 0));
    expect(binning).toEqual([{ kind: 'category', binOfLevel: [1, 0, 2, -1], bins: 3 }]);
    expect(applyBinning(binning, table)[0]).toEqual(Uint8Array.of(1, 1, 0, 0, 2, 2, 3));
  });

  it('merges neighbours in the order where there are more than 255 levels', () => {
    const codes = Array.from({ length: 4000 }, (_, row) => row % 1000);
    const binning = binsOf(category(codes, 1000), Float64Array.from(codes));
    const bins = applyBinning(binning, category(codes, 1000))[0]!;
    expect(valueBins(binning[0]!)).toBe(255);
    for (let level = 1; level < 1000; level++) expect(bins[level]! - bins[level - 1]!).toBeOneOf([0, 1]);
  });

  it('refuses features of another kind than at the fit', () => {
    const binning = binsOf(numeric(1, 2), new Float64Array(2));
    expect(() => applyBinning(binning, category([0, 1], 2))).toThrow(
      'feature 0 is category, at the fit it was numeric',
    );
  });
});

describe('a search with a guide', () => {
  const random = createStream(9, 'guide');
  const ascending = (n: number, draw: () => number) =>
    [...new Set(Array.from({ length: n }, draw))].sort((a, b) => a - b);
  const huge = Number.MAX_VALUE;
  const lists: Record<string, number[]> = {
    none: [],
    one: [3],
    even: ascending(254, random.uniform),
    'mostly at one end': ascending(254, () => Math.exp(20 * random.uniform())),
    'next to each other': [1, 1 + Number.EPSILON, 1 + 2 * Number.EPSILON, 2],
    'as wide as numbers go': [-huge, -1, 0, 1, huge],
    'too narrow for parts': [0, Number.MIN_VALUE, 2 * Number.MIN_VALUE],
  };

  it.each(Object.entries(lists))('finds what halving finds: cuts that are %s', (_, cuts) => {
    const find = guidedSearch(cuts);
    const sorted = Float64Array.from(cuts);
    const beside = cuts.flatMap((cut) => [cut, cut * (1 + Number.EPSILON), cut * (1 - Number.EPSILON), cut / 2]);
    const between = Array.from(
      { length: 2000 },
      () => (cuts[0] ?? 0) + random.uniform() * ((cuts.at(-1) ?? 1) - (cuts[0] ?? 0)),
    );
    for (const value of [...beside, ...between, -huge, huge, 0, -0].filter(Number.isFinite)) {
      expect(find(value)).toBe(firstAtLeast(sorted, value));
    }
  });
});
