import { describe, expect, it } from 'vitest';
import { createStream } from '../../../../packages/numerics/random/createStream.ts';
import { mergeBins, type Part } from '../../../../packages/synthesis/methods/private/mergeBins.ts';

/** Parts of counts by two, some of them below noise. */
function partsOf(seed: number, size: number): Part[] {
  const random = createStream(seed, 'mergeBins');
  return Array.from({ length: size }, () => {
    const counts = [random.uniform() * 20 - 3, random.uniform() * 20 - 3];
    return { rows: Math.max(0, counts[0]! + counts[1]!), counts, variance: 4 };
  });
}

const sizesOf = (bins: readonly number[]): number[] =>
  Array.from({ length: bins.at(-1)! + 1 }, (_, bin) => bins.filter((own) => own === bin).length);

describe('bins of numbers', () => {
  it('are neighbours, in their order, and no more than asked for', () => {
    const bins = mergeBins(partsOf(1, 60), 8, 1);
    expect(bins).toEqual(bins.toSorted((a, b) => a - b));
    expect(sizesOf(bins)).toHaveLength(8);
  });

  it('merge first what says the same', () => {
    const part = (counts: number[]): Part => ({ rows: 100, counts, variance: 1 });
    expect(mergeBins([part([90, 10]), part([90, 10]), part([10, 90]), part([10, 90])], 2, 1)).toEqual([0, 0, 1, 1]);
  });

  it('are the same where merging goes on from bins that are merged already', () => {
    // Each merge takes the least loss of all, so 12 bins are made of the 20 that stood before them.
    const parts = partsOf(2, 100);
    const [fine, coarse] = [mergeBins(parts, 20, 0), mergeBins(parts, 12, 0)];
    const inside = new Map(fine.map((bin, at) => [bin, coarse[at]!]));
    expect(fine.map((bin) => inside.get(bin))).toEqual(coarse);
  });
});
