import { describe, expect, it } from 'vitest';
import { createStream } from '../../../packages/numerics/random/createStream.ts';
import { dealFolds, sampleRows } from '../../../packages/synthesis/judge/parts.ts';

describe('sampleRows', () => {
  it('draws each row equally often, ascending and without repetition', () => {
    const random = createStream(13, 'sample');
    const drawn = new Array(10).fill(0);
    for (let time = 0; time < 2000; time++) {
      const rows = sampleRows(10, 3, random);
      expect(rows).toHaveLength(3);
      expect(rows[0]! < rows[1]! && rows[1]! < rows[2]!).toBe(true);
      for (const row of rows) drawn[row]++;
    }
    for (const times of drawn) expect(Math.abs(times - 600)).toBeLessThan(5 * Math.sqrt(2000 * 0.3 * 0.7));
  });

  it('is every row where there are no more', () => {
    expect(sampleRows(3, 5, createStream(1, 'all'))).toEqual(Int32Array.of(0, 1, 2));
  });
});

describe('dealFolds', () => {
  it('deals every row into one fold, in sizes that differ by one at most', () => {
    const folds = dealFolds(23, 5, createStream(14, 'folds'));
    expect(folds.map((fold) => fold.length).sort()).toEqual([4, 4, 5, 5, 5]);
    expect(folds.flatMap((fold) => [...fold]).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 23 }, (_, row) => row),
    );
  });
});
