import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createStream } from '../../../packages/numerics/random/createStream.ts';
import { drawRows, shuffle, shuffledRows, shuffleFirst } from '../../../packages/numerics/random/draws.ts';
import type { RandomStream } from '../../../packages/numerics/random/stream.ts';

const stream = (seed: number): RandomStream => createStream(seed, 'shuffle');
const rowsTo = (rows: number): number[] => Array.from({ length: rows }, (_, row) => row);
const sizes = fc.integer({ min: 0, max: 40 });

/** Fisher and Yates with pencil and paper: strikes out a remaining item at a time, and the last one takes its place. */
function slowShuffle(items: readonly number[], random: RandomStream): number[] {
  const left = [...items];
  const out: number[] = [];
  while (left.length > 1) {
    const at = random.integer(left.length);
    const last = left.pop()!;
    out.unshift(at < left.length ? left.splice(at, 1, last)[0]! : last);
  }
  return [...left, ...out];
}

describe('shuffle', () => {
  it('orders as the slow reference does, from the same draws', () => {
    fc.assert(
      fc.property(sizes, fc.nat(), (rows, seed) => {
        const items = rowsTo(rows);
        shuffle(items, stream(seed));
        expect(items).toEqual(slowShuffle(rowsTo(rows), stream(seed)));
        expect([...shuffledRows(rows, stream(seed))]).toEqual(items);
      }),
    );
  });

  it('leaves nothing and one item as they are, and draws nothing for them', () => {
    const random = stream(1);
    for (const items of [[], [7]]) {
      const before = [...items];
      shuffle(items, random);
      expect(items).toEqual(before);
    }
    expect(random.uniform()).toBe(stream(1).uniform());
  });

  it('gives each order of three items as often, by chi-square over 6,000 shuffles', () => {
    const counts = new Map<string, number>();
    const random = stream(5);
    for (let i = 0; i < 6000; i++) {
      const key = shuffledRows(3, random).join('');
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
    expect(counts.size).toBe(6);
    const chiSquare = [...counts.values()].reduce((sum, count) => sum + (count - 1000) ** 2 / 1000, 0);
    // 20.5: the 99.9 % quantile with 5 degrees of freedom.
    expect(chiSquare).toBeLessThan(20.5);
  });
});

describe('a choice of rows', () => {
  it('holds each row once at most, and all of them where it may be larger', () => {
    fc.assert(
      fc.property(sizes, sizes, fc.nat(), (rows, size, seed) => {
        const chosen = drawRows(rows, size, stream(seed));
        expect(chosen).toHaveLength(Math.min(rows, size));
        expect(new Set(chosen).size).toBe(chosen.length);
        expect([...chosen].every((row) => row >= 0 && row < rows)).toBe(true);
      }),
    );
  });

  it('begins with the same rows however many follow', () => {
    expect([...drawRows(100, 80, stream(2))].slice(0, 10)).toEqual([...drawRows(100, 10, stream(2))]);
  });

  it('leaves the other items behind the chosen ones', () => {
    const items = rowsTo(20);
    shuffleFirst(items, 5, stream(3));
    expect(items.slice(0, 5)).toEqual([...drawRows(20, 5, stream(3))]);
    expect(items.toSorted((a, b) => a - b)).toEqual(rowsTo(20));
  });
});
