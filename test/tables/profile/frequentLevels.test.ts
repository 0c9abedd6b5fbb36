import { describe, expect, it } from 'vitest';
import { lowHash } from '../../../packages/tables/profile/distinctCounter.ts';
import { FrequentLevels } from '../../../packages/tables/profile/summariseColumn.ts';

const level = (text: string, count: number) => ({ text, row: 1, count });

describe('FrequentLevels', () => {
  it('counts its levels on, and no other texts', () => {
    const levels = new FrequentLevels(Array.from({ length: 1000 }, (_, i) => level(`level ${i}`, 2)));
    for (let i = 0; i < 5000; i++) levels.add(`level ${i % 2000}`, lowHash(`level ${i % 2000}`));
    const counts = levels.frequent(1000).map(({ count }) => count);
    expect(counts.slice(0, 2)).toEqual([5, 5]);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(2000 + 3000);
  });

  it('tells texts of one hash apart', () => {
    const levels = new FrequentLevels([level('a', 5), level('b', 4)]);
    levels.add('c', lowHash('a'));
    expect(levels.frequent(2)).toEqual([level('a', 5), level('b', 4)]);
  });

  it('lists equals in the order in which they were given', () => {
    const levels = new FrequentLevels([level('b', 3), level('a', 3), level('c', 2)]);
    levels.add('c', lowHash('c'));
    expect(levels.frequent(2).map(({ text }) => text)).toEqual(['b', 'a']);
  });

  it('has room for no levels at all', () => {
    const levels = new FrequentLevels([]);
    levels.add('a', lowHash('a'));
    expect(levels.frequent(5)).toEqual([]);
  });
});
