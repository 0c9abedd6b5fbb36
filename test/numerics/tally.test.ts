import { describe, expect, it } from 'vitest';
import { mean, variance } from '../../packages/numerics/moments.ts';
import { tally } from '../../packages/numerics/tally.ts';

describe('tally', () => {
  it('counts each value, in the order in which they first come', () => {
    expect([...tally(['b', 'a', 'b'])]).toEqual([
      ['b', 2],
      ['a', 1],
    ]);
    expect(tally(Int32Array.of()).size).toBe(0);
  });

  it('takes NaN for one value', () => {
    expect(tally(Float64Array.of(Number.NaN, 1, Number.NaN)).get(Number.NaN)).toBe(2);
  });
});

describe('moments', () => {
  it('are those of the numbers, in lists and arrays alike', () => {
    for (const x of [[1, 2, 6], Float64Array.of(1, 2, 6)]) {
      expect(mean(x)).toBe(3);
      expect(variance(x)).toBe(7);
    }
    expect(mean([])).toBeNaN();
  });
});
