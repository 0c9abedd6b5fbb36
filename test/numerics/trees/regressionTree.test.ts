import { describe, expect, test } from 'vitest';
import { createStream } from '../../../packages/numerics/random/createStream.ts';
import {
  applyRegressionTree,
  fitLeaves,
  fitRegressionTree,
  leafFinder,
} from '../../../packages/numerics/trees/boostedTrees.ts';
import type { FeatureTable } from '../../../packages/numerics/trees/features.ts';
import { pruneTree } from '../../../packages/numerics/trees/tree.ts';

const random = createStream(4, 'regression tree');
const settings = { minLeafRows: 10, maxLeaves: 1000 };
const numbers = (n: number, make: (i: number) => number): Float64Array =>
  Float64Array.from({ length: n }, (_, i) => make(i));

function tableOf(n: number): FeatureTable & { x: Float64Array; codes: Int32Array } {
  const x = numbers(n, (i) => (i % 11 === 0 ? Number.NaN : random.normal()));
  const codes = Int32Array.from({ length: n }, () => random.integer(5) - 1);
  const features = [
    { kind: 'numeric' as const, values: x },
    { kind: 'category' as const, codes, levels: 4 },
  ];
  return { rows: n, features, x, codes };
}

const leavesOf = (leafOf: Int32Array): number => new Set(leafOf).size;

/** Σ (y - mean of its leaf)². */
function within(leafOf: Int32Array, y: Float64Array): number {
  const sums = new Map<number, { n: number; sum: number; squares: number }>();
  leafOf.forEach((leaf, row) => {
    const own = sums.get(leaf) ?? { n: 0, sum: 0, squares: 0 };
    sums.set(leaf, { n: own.n + 1, sum: own.sum + y[row]!, squares: own.squares + y[row]! ** 2 });
  });
  return [...sums.values()].reduce((total, { n, sum, squares }) => total + squares - sum ** 2 / n, 0);
}

describe('a regression tree', () => {
  const n = 600;
  const table = tableOf(n);
  const y = numbers(n, (i) => (table.x[i]! > 0 ? 3 : 0) + (table.codes[i]! === 2 ? 2 : 0) + 0.1 * random.normal());
  const tree = fitRegressionTree(table, y, settings);
  const leafOf = applyRegressionTree(tree, table);

  test('has leaves of enough rows, numbered from 0 without a gap', () => {
    const counts = new Int32Array(tree.tree.leaves);
    for (const leaf of leafOf) counts[leaf]!++;
    expect(counts.every((count) => count >= settings.minLeafRows)).toBe(true);
  });

  test('is fitted with the leaves that its own rows fall in, missing cells too', () => {
    expect(fitLeaves(table, y, settings)).toEqual({ tree, leafOf });
    expect(tree.tree.leaves).toBeGreaterThan(2);
  });

  test('parts rows that differ: little is left within leaves', () => {
    expect(within(leafOf, y)).toBeLessThan(0.05 * within(new Int32Array(n), y));
  });

  test('answers for rows one by one, while their columns are being filled', () => {
    const x = new Float64Array(n);
    const live = { rows: n, features: [{ kind: 'numeric' as const, values: x }, table.features[1]!] };
    const find = leafFinder(tree, live);
    for (let row = 0; row < n; row++) {
      x[row] = table.x[row]!;
      expect(find(row)).toBe(leafOf[row]);
    }
  });

  test('comes back from JSON as it was', () => {
    expect(applyRegressionTree(JSON.parse(JSON.stringify(tree)), table)).toEqual(leafOf);
  });

  test('has one leaf where nothing can be parted', () => {
    expect(fitRegressionTree(table, new Float64Array(n), settings).tree.leaves).toBe(1);
    expect(fitRegressionTree({ rows: 3, features: [] }, Float64Array.of(1, 2, 3), settings).tree.leaves).toBe(1);
  });

  test('refuses features of another kind than it was fitted to', () => {
    const turned = { rows: n, features: [...table.features].reverse() };
    expect(() => leafFinder(tree, turned)).toThrow(RangeError);
  });
});

describe('pruning', () => {
  const n = 2000;
  const table = tableOf(n);
  const noise = numbers(n, () => random.normal());
  const step = noise.map((value, i) => value + (table.x[i]! > 0.5 ? 5 : 0));

  const pruned = (y: Float64Array, penalty: number): Int32Array => {
    const grown = fitRegressionTree(table, y, settings);
    const tree = pruneTree(grown.tree, applyRegressionTree(grown, table), y, penalty);
    return applyRegressionTree({ ...grown, tree }, table);
  };

  test('takes back nearly every split of pure noise, and keeps a true one', () => {
    expect(leavesOf(pruned(noise, 0))).toBeGreaterThan(50);
    expect(leavesOf(pruned(noise, 12))).toBeLessThan(4);
    const kept = pruned(step, 12);
    expect(leavesOf(kept)).toBeGreaterThan(1);
    expect(within(kept, step)).toBeLessThan(1.1 * within(new Int32Array(n), noise));
  });

  test('changes nothing without a penalty, and leaves no more leaves with a higher one', () => {
    const grown = applyRegressionTree(fitRegressionTree(table, step, settings), table);
    expect(leavesOf(pruned(step, 0))).toBe(leavesOf(grown));
    expect(within(pruned(step, 0), step)).toBeCloseTo(within(grown, step), 6);
    const sizes = [0, 1, 2, 4, 8, 16, 1e9].map((penalty) => leavesOf(pruned(step, penalty)));
    expect(sizes).toEqual([...sizes].sort((a, b) => b - a));
    expect(sizes.at(-1)).toBe(1);
  });

  test('keeps splits that leave nothing within, whatever the penalty', () => {
    const exact = Float64Array.from(table.codes, (code) => (code === 2 ? 1 : 0));
    expect(leavesOf(pruned(exact, 1e6))).toBe(2);
  });
});
