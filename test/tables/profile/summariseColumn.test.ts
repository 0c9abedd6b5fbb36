import { describe, expect, it } from 'vitest';
import { createStream } from '../../../packages/numerics/random/createStream.ts';
import { DistinctCounter, SlotBudget } from '../../../packages/tables/profile/distinctCounter.ts';
import { QuantileSketch } from '../../../packages/tables/profile/quantileSketch.ts';
import { ColumnSummariser } from '../../../packages/tables/profile/summariseColumn.ts';

function summaryOf(cells: Iterable<string>, mostLevels = 1000) {
  const sketch = new QuantileSketch(mostLevels, createStream(1, 'q'));
  const column = new ColumnSummariser('c', { mostLevels, distinct: new DistinctCounter(new SlotBudget()), sketch });
  column.add(
    Array.from(cells, (cell) => [cell]),
    0,
  );
  return column.summary();
}

describe('ColumnSummariser', () => {
  it('counts missing cells by how they are written', () => {
    const summary = summaryOf(['NA', '1', '', 'NA', '2', 'n/a']);
    expect(summary).toMatchObject({ rows: 6, missing: 4, missing_token: 'NA', distinct: 2, distinct_exact: true });
  });

  it('lists levels, the most frequent first and equals in the order of appearance', () => {
    expect(summaryOf(['b', 'a', 'c', 'a', 'NA', 'NA', 'NA']).top_levels).toEqual([
      ['a', 2],
      ['b', 1],
      ['c', 1],
    ]);
  });

  it('tells the moments, zeros, quantiles and format of numbers', () => {
    const { numbers, lengths } = summaryOf(['0', '2.50', '4', '0', 'x', '-1.5']);
    expect(numbers).toMatchObject({ count: 5, zeros: 2, mean: 1 });
    expect(numbers?.format).toEqual({ integer: false, decimals: 2, fixed: false, min: -1.5, max: 4 });
    expect(numbers?.sd).toBeCloseTo(Math.sqrt((1 + 2.25 + 9 + 1 + 6.25) / 4), 12);
    expect(numbers?.quantiles).toHaveLength(15);
    expect(numbers?.quantiles.at(0)).toBe(-1.5);
    expect(numbers?.quantiles.at(7)).toBe(0);
    expect(lengths).toEqual({ min: 1, mean: 12 / 6, max: 4 });
  });

  it('names the texts that are no numbers', () => {
    const { strays } = summaryOf(['1', 'a', '2', 'a', 'b']);
    expect(strays).toEqual([
      { text: 'a', row: 2, count: 2 },
      { text: 'b', row: 5, count: 1 },
    ]);
  });

  it('tells numbers that go up by one', () => {
    expect(summaryOf(['5', '6', '7']).isRunning).toBe(true);
    expect(summaryOf(['5', '6', '8']).isRunning).toBe(false);
    expect(summaryOf(['5', '6', '6', '7']).isRunning).toBe(false);
  });

  it('says the same of a column whether it kept all levels or not', () => {
    const cells = Array.from({ length: 20_000 }, (_, i) =>
      i % 3 === 0 ? '0' : i % 50 === 1 ? 'NA' : String((i * 7919) % 9973),
    );
    const all = summaryOf(cells, 100_000);
    const few = summaryOf(cells, 500);
    expect(few.numbers?.mean).toBeCloseTo(all.numbers?.mean ?? 0, 8);
    expect(few.numbers?.sd).toBeCloseTo(all.numbers?.sd ?? 0, 8);
    expect(few.numbers?.format).toEqual(all.numbers?.format);
    expect(few.numbers?.zeros).toBe(all.numbers?.zeros);
    for (const key of ['missing', 'missing_token', 'distinct', 'distinct_exact', 'rows', 'isRunning'] as const) {
      expect(few[key]).toEqual(all[key]);
    }
    expect(few.lengths?.mean).toBeCloseTo(all.lengths?.mean ?? 0, 8);
    expect(few.top_levels[0]).toEqual(all.top_levels[0]);
    const spread = 9973;
    for (const [index, value] of (few.numbers?.quantiles ?? []).entries()) {
      expect(Math.abs(value - (all.numbers?.quantiles[index] ?? 0)) / spread).toBeLessThan(0.1);
    }
  });

  it('knows nothing of a column without cells', () => {
    const summary = summaryOf(['', '', 'NA']);
    expect(summary).toMatchObject({ missing: 3, missing_token: '', distinct: 0, numbers: null, lengths: null });
  });
});
