import { describe, expect, it } from 'vitest';
import { createStream } from '../../../../packages/numerics/random/createStream.ts';
import { chooseLeafRows } from '../../../../packages/synthesis/models/categorical/conditionalModel.ts';

const ROWS = 6000;
const GROUPS = 150;
const random = createStream(1, 'rows');
const groups = Int32Array.from({ length: ROWS }, () => random.integer(GROUPS));
const table = { rows: ROWS, features: [{ kind: 'category' as const, codes: groups, levels: GROUPS }] };
const chosen = (classOf: (group: number) => number, rows = ROWS) => {
  const some = { rows, features: [{ ...table.features[0]!, codes: groups.slice(0, rows) }] };
  return chooseLeafRows(some, groups.slice(0, rows).map(classOf), 5, createStream(2, 'choice'));
};

describe('chooseLeafRows', () => {
  it('takes the smallest leaves where small groups tell the class', () => {
    // As many rows as a group has, so that larger leaves mix groups of different classes.
    expect(chosen((group) => (group * 7) % 5)).toBeLessThanOrEqual(50);
  });

  it('takes the largest leaves where nothing tells it', () => {
    const noise = createStream(3, 'noise');
    expect(chosen(() => noise.integer(5))).toBe(400);
    expect(chosen(() => noise.integer(5), 800)).toBe(60);
  });

  it('takes larger leaves than the best ones where those are better by chance', () => {
    // A class that leans a little to one side in every other group: of twenty draws some are told best by small leaves.
    const sizes = Array.from({ length: 20 }, (_, seed) => {
      const noise = createStream(seed, 'noise');
      return chosen((group) => (noise.uniform() < 0.5 + (group % 2 === 0 ? 0.08 : -0.08) ? 1 : 0));
    });
    expect(sizes.filter((size) => size >= 200).length).toBeGreaterThanOrEqual(18);
  });

  it('chooses alike whatever rows are held out first, where rows are few', () => {
    // A group has 100 rows. A fifth of the rows alone takes leaves of 100 or 200 for ten choices of 20.
    const noise = createStream(4, 'noise');
    const few = Int32Array.from({ length: 1600 }, (_, row) => row % 16);
    const features = [{ kind: 'category' as const, codes: few, levels: 16 }];
    const classes = few.map((group) => (noise.uniform() < 0.4 ? group % 4 : noise.integer(4)));
    const sizes = Array.from({ length: 20 }, (_, seed) =>
      chooseLeafRows({ rows: 1600, features }, classes, 4, createStream(seed, 'choice')),
    );
    expect(new Set(sizes)).toEqual(new Set([50]));
  });
});
