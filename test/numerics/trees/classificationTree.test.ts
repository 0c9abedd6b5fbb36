import { describe, expect, test } from 'vitest';
import { createStream } from '../../../packages/numerics/random/createStream.ts';
import {
  applyClassificationTree,
  classScores,
  fitClassificationTree,
} from '../../../packages/numerics/trees/classificationTree.ts';
import type { CategoryFeature, Feature } from '../../../packages/numerics/trees/features.ts';

const random = createStream(3, 'classification');
const codes = (n: number, make: (i: number) => number): Int32Array => Int32Array.from({ length: n }, (_, i) => make(i));
const category = (values: Int32Array, levels: number): CategoryFeature => ({ kind: 'category', codes: values, levels });

/** Σ_k n_k² / n of the rows that pass: what the Gini index maximises, counted anew for every question. */
function purity(classes: Int32Array, isIn: (row: number) => boolean): number {
  const counts = new Map<number, number>();
  let rows = 0;
  classes.forEach((one, row) => {
    if (!isIn(row)) return;
    counts.set(one, (counts.get(one) ?? 0) + 1);
    rows++;
  });
  return rows === 0 ? 0 : [...counts.values()].reduce((sum, count) => sum + count * count, 0) / rows;
}

describe('a classification tree', () => {
  test('splits first where an exhaustive search over all thresholds would', () => {
    for (let trial = 0; trial < 20; trial++) {
      const n = 60;
      const x = Array.from({ length: 3 }, () => Float64Array.from({ length: n }, () => random.integer(9)));
      const classes = codes(n, (i) => (random.uniform() < 0.3 ? random.integer(3) : x[trial % 3]![i]! > 4 ? 1 : 0));
      const features: Feature[] = x.map((values) => ({ kind: 'numeric', values }));
      const leaves = applyClassificationTree(
        fitClassificationTree({ rows: n, features }, classes, 3, { minLeafRows: 5, maxDepth: 1 }),
        { rows: n, features },
      );
      let best = 0;
      for (const values of x) {
        for (let cut = 0; cut < 8; cut++) {
          const left = values.filter((value) => value <= cut).length;
          if (left < 5 || n - left < 5) continue;
          const found = purity(classes, (row) => values[row]! <= cut) + purity(classes, (row) => values[row]! > cut);
          best = Math.max(best, found);
        }
      }
      const reached = purity(classes, (row) => leaves[row] === 0) + purity(classes, (row) => leaves[row] === 1);
      expect(reached).toBeCloseTo(best, 9);
    }
  });

  test('keeps to the rows that a leaf must have, and to the depth', () => {
    const n = 3000;
    const a = codes(n, () => random.integer(12));
    const b = codes(n, () => random.integer(40));
    const classes = codes(n, (i) => (a[i]! * 7 + b[i]!) % 5);
    const table = { rows: n, features: [category(a, 12), category(b, 40)] };
    const leaves = applyClassificationTree(fitClassificationTree(table, classes, 5, { minLeafRows: 37 }), table);
    const counts = new Map<number, number>();
    for (const leaf of leaves) counts.set(leaf, (counts.get(leaf) ?? 0) + 1);
    expect(Math.min(...counts.values())).toBeGreaterThanOrEqual(37);
    expect(counts.size).toBeGreaterThan(10);
    const shallow = fitClassificationTree(table, classes, 5, { minLeafRows: 1, maxDepth: 2 });
    expect(shallow.tree.leaves).toBeLessThanOrEqual(4);
  });

  test('finds the distribution that depends on two columns together', () => {
    const n = 20_000;
    const a = codes(n, () => random.integer(4));
    const b = codes(n, () => random.integer(4));
    const share = (i: number): number => 0.1 + 0.8 * ((a[i]! ^ b[i]!) / 3);
    const classes = codes(n, (i) => (random.uniform() < share(i) ? 1 : 0));
    const table = { rows: n, features: [category(a, 4), category(b, 4)] };
    const leaves = applyClassificationTree(fitClassificationTree(table, classes, 2, { minLeafRows: 100 }), table);
    const ones = new Map<number, [number, number]>();
    leaves.forEach((leaf, row) => {
      const [count, sum] = ones.get(leaf) ?? [0, 0];
      ones.set(leaf, [count + 1, sum + classes[row]!]);
    });
    let error = 0;
    leaves.forEach((leaf, row) => {
      const [count, sum] = ones.get(leaf)!;
      error += Math.abs(sum / count - share(row)) / n;
    });
    // 1,250 rows a cell: a share's standard error is at most 0.014.
    expect(error).toBeLessThan(0.015);
  });

  test('sends a level that the fit never saw, and a missing number, somewhere', () => {
    const a = codes(100, (i) => i % 2);
    const x = Float64Array.from({ length: 100 }, (_, i) => i % 3);
    const model = fitClassificationTree(
      { rows: 100, features: [category(a, 3), { kind: 'numeric', values: x }] },
      codes(100, (i) => i % 2),
      2,
      { minLeafRows: 5 },
    );
    const strange = {
      rows: 2,
      features: [
        category(Int32Array.of(2, -1), 3),
        { kind: 'numeric' as const, values: Float64Array.of(Number.NaN, 1) },
      ],
    };
    expect([...applyClassificationTree(model, strange)].every((leaf) => leaf >= 0 && leaf < model.tree.leaves)).toBe(
      true,
    );
  });

  test('has one leaf where there is nothing to learn from or to tell apart', () => {
    const one = fitClassificationTree({ rows: 5, features: [] }, Int32Array.of(0, 1, 0, 1, 1), 2);
    expect(one.tree.leaves).toBe(1);
    const a = codes(50, (i) => i % 5);
    const same = fitClassificationTree({ rows: 50, features: [category(a, 5)] }, new Int32Array(50), 1, {
      minLeafRows: 1,
    });
    expect(same.tree.leaves).toBe(1);
    expect(() => fitClassificationTree({ rows: 0, features: [] }, new Int32Array(0), 1)).toThrow(RangeError);
  });
});

describe('class scores', () => {
  test('order levels of a two-class target by the share of one class', () => {
    const level = codes(4000, () => random.integer(6));
    const shares = [0.3, 0.9, 0.1, 0.6, 0.2, 0.75];
    const classes = codes(4000, (i) => (random.uniform() < shares[level[i]!]! ? 1 : 0));
    const scores = classScores(category(level, 6), classes, 2);
    const sums = new Float64Array(6);
    const rows = new Float64Array(6);
    classes.forEach((one, row) => {
      sums[level[row]!]! += scores[one]!;
      rows[level[row]!]!++;
    });
    const order = [...sums.keys()].sort((p, q) => sums[p]! / rows[p]! - sums[q]! / rows[q]!);
    const expected = [2, 4, 0, 3, 5, 1];
    expect([expected, [...expected].reverse()]).toContainEqual(order);
  });

  test('are zero where levels do not differ', () => {
    const level = codes(12, (i) => i % 2);
    expect([
      ...classScores(
        category(level, 2),
        codes(12, (i) => Math.floor(i / 2) % 3),
        3,
      ),
    ]).toEqual([0, 0, 0]);
  });
});
