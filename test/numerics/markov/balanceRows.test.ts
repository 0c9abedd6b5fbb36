import { describe, expect, it } from 'vitest';
import { balanceRows } from '../../../packages/numerics/markov/balanceRows.ts';
import { drawTree } from '../../../packages/numerics/markov/drawTree.ts';
import { createMarkovModel } from '../../../packages/numerics/markov/markovModel.ts';
import { createStream } from '../../../packages/numerics/random/createStream.ts';

const ROWS = 3000;
const SIZES = [2, 5, 6, 7];
/** Each of three goes with the first, and with nothing else. */
const POTENTIALS = [1, 2, 3].map((other) => ({
  scope: [0, other],
  theta: Float64Array.from({ length: 2 * SIZES[other]! }, (_, cell) => Math.sin(other + cell)),
}));

/** Cells of two variables at each level of the first, given which they are independent: counts, and what is expected by their margins. */
function cellsOf(
  levels: readonly Int32Array[],
  [i, j]: readonly [number, number],
): Record<'found' | 'expected', Float64Array>[] {
  const [m, n] = [SIZES[i]!, SIZES[j]!];
  return [0, 1].map((level) => {
    const [ofI, ofJ, found] = [new Float64Array(m), new Float64Array(n), new Float64Array(m * n)];
    for (let row = 0; row < ROWS; row++) {
      if (levels[0]![row] !== level) continue;
      ofI[levels[i]![row]!]! += 1;
      ofJ[levels[j]![row]!]! += 1;
      found[levels[i]![row]! * n + levels[j]![row]!]! += 1;
    }
    const all = ofI.reduce((a, b) => a + b);
    return { found, expected: found.map((_, cell) => (ofI[Math.floor(cell / n)]! * ofJ[cell % n]!) / all) };
  });
}

/** Pearson's statistic by cell. */
const statisticOf = (parts: readonly Record<'found' | 'expected', Float64Array>[]): number =>
  parts.reduce(
    (sum, { found, expected }) =>
      sum + found.reduce((a, count, cell) => a + (count - expected[cell]!) ** 2 / expected[cell]!, 0),
    0,
  ) / parts.reduce((cells, { found }) => cells + found.length, 0);

const addedUp = (parts: readonly Float64Array[]): Float64Array =>
  parts[0]!.map((_, cell) => parts.reduce((sum, part) => sum + part[cell]!, 0));

describe('rows of a Markov model', () => {
  const model = createMarkovModel(SIZES, POTENTIALS);
  const pairs = [
    [1, 2],
    [1, 3],
    [2, 3],
  ] as const;

  // Left to chance, these rows have .46 and more a cell.
  it('have variables of different cliques together as often as is expected', async () => {
    const levels = await drawTree(model, ROWS, { random: createStream(1, 'rows') });
    for (const pair of pairs) {
      const parts = cellsOf(levels, pair);
      const all = {
        found: addedUp(parts.map(({ found }) => found)),
        expected: addedUp(parts.map(({ expected }) => expected)),
      };
      expect(statisticOf([all])).toBeLessThan(0.1);
    }
  });

  it('have them together as often as is expected at each level of a third', async () => {
    const levels = await drawTree(model, ROWS, { random: createStream(1, 'rows'), within: 0 });
    for (const pair of pairs) expect(statisticOf(cellsOf(levels, pair))).toBeLessThan(0.1);
  });

  it('are left to chance where there are too many to balance', async () => {
    const sizes = Array.from({ length: 300 }, () => 2);
    const levels = await drawTree(createMarkovModel(sizes, []), ROWS, { random: createStream(1, 'wide') });
    const both = levels[0]!.reduce((sum, level, row) => sum + level * levels[1]![row]!, 0);
    expect(Math.abs(both - ROWS / 4)).toBeLessThan(5 * Math.sqrt(ROWS / 16));
  });
});

describe('balancing', () => {
  it('leaves each group the levels that it has, and other variables as they are', async () => {
    const random = createStream(2, 'balance');
    const of = Int32Array.from({ length: 400 }, () => random.integer(4));
    const other = { of: Int32Array.from({ length: 400 }, () => random.integer(3)), size: 3 };
    const groups = [0, 1].map((part) => ({
      rows: Array.from({ length: 200 }, (_, at) => 2 * at + part),
      shares: [0.25, 0.25, 0.25, 0.25],
    }));
    const levelsOf = (rows: readonly number[]) => rows.map((row) => of[row]!).sort();
    const [before, beside] = [groups.map(({ rows }) => levelsOf(rows)), other.of.slice()];
    const started = of.slice();
    await balanceRows({ of, size: 4 }, groups, [other], { offers: 5, random, yieldToEventLoop: async () => {} });
    expect(of).not.toEqual(started);
    expect(groups.map(({ rows }) => levelsOf(rows))).toEqual(before);
    expect(other.of).toEqual(beside);
  });
});
