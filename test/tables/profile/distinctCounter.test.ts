import { describe, expect, it } from 'vitest';
import { DistinctCounter, SlotBudget } from '../../../packages/tables/profile/distinctCounter.ts';

function counted(texts: number, prefix = ''): DistinctCounter {
  const counter = new DistinctCounter(new SlotBudget());
  for (let i = 0; i < texts; i++) counter.add(`${prefix}${i}`);
  return counter;
}

describe('DistinctCounter', () => {
  it('counts exactly while there is room, however often a text comes', () => {
    const counter = counted(100_000);
    for (let i = 0; i < 100_000; i += 7) counter.add(String(i));
    expect([counter.count(), counter.isExact()]).toEqual([100_000, true]);
  });

  it('counts exactly up to a million', () => {
    const counter = counted(1_000_000, 'https://example.org/items/');
    expect([counter.count(), counter.isExact()]).toEqual([1_000_000, true]);
  });

  it('estimates within one percent beyond its room, and says so', () => {
    const counter = counted(3_000_000);
    expect(counter.isExact()).toBe(false);
    expect(Math.abs(counter.count() / 3_000_000 - 1)).toBeLessThan(0.01);
  });

  it('estimates within a few percent where that will do', () => {
    const counter = new DistinctCounter(new SlotBudget());
    counter.allowEstimate();
    for (let i = 0; i < 300_000; i++) counter.add(`${i / 8}`);
    expect(counter.isExact()).toBe(false);
    expect(Math.abs(counter.count() / 300_000 - 1)).toBeLessThan(0.04);
  });

  it('estimates where the room of all counters together is used up', () => {
    const budget = new SlotBudget(4096);
    const counters = [new DistinctCounter(budget), new DistinctCounter(budget)];
    for (const counter of counters) for (let i = 0; i < 20_000; i++) counter.add(`x${i}`);
    for (const counter of counters) {
      expect(counter.isExact()).toBe(false);
      expect(Math.abs(counter.count() / 20_000 - 1)).toBeLessThan(0.25);
    }
  });
});
