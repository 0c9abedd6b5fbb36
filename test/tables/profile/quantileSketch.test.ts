import { describe, expect, it } from 'vitest';
import { createStream } from '../../../packages/numerics/random/createStream.ts';
import { QuantileSketch } from '../../../packages/tables/profile/quantileSketch.ts';

const SHARES = [0, 0.25, 0.5, 0.75, 1];
const sketch = (room: number) => new QuantileSketch(room, createStream(3, 'sketch'));

describe('QuantileSketch', () => {
  it('is exact while it has room, with weights and without', () => {
    const weighted = sketch(10);
    const plain = sketch(10);
    for (const [value, times] of [
      [5, 2],
      [1, 3],
      [9, 1],
    ] as const) {
      weighted.add(value, times);
      for (let i = 0; i < times; i++) plain.add(value, 1);
    }
    // 1 1 1 5 5 9
    expect(weighted.quantiles(SHARES)).toEqual([1, 1, 3, 5, 9]);
    expect(plain.quantiles(SHARES)).toEqual([1, 1, 3, 5, 9]);
  });

  it('tells quantiles of many numbers from a sample, in whatever order they come', () => {
    const numbers = sketch(4000);
    for (let i = 0; i < 200_000; i++) numbers.add(i, 1);
    for (const [index, value] of numbers.quantiles([0.1, 0.5, 0.9]).entries()) {
      expect(Math.abs(value / 200_000 - [0.1, 0.5, 0.9][index]!)).toBeLessThan(0.03);
    }
  });

  it('weighs what came before it was a sample', () => {
    const numbers = sketch(100);
    numbers.add(-1, 100_000);
    for (let i = 0; i < 1000; i++) numbers.add(i, 1);
    expect(numbers.quantiles([0.5])).toEqual([-1]);
  });

  it('gives the same quantiles for the same stream', () => {
    const make = () => {
      const numbers = sketch(50);
      for (let i = 0; i < 5000; i++) numbers.add((i * 7919) % 5000, 1);
      return numbers.quantiles(SHARES);
    };
    expect(make()).toEqual(make());
  });
});
