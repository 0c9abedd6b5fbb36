import { describe, expect, it } from 'vitest';
import { createStream } from '../../../packages/numerics/random/createStream.ts';
import {
  applyLeaves,
  type BoostingSettings,
  fitBoostedTrees,
  predict,
} from '../../../packages/numerics/trees/boostedTrees.ts';
import type { FeatureTable } from '../../../packages/numerics/trees/features.ts';
import { boostByBruteForce } from './reference.ts';

const random = createStream(1, 'boosted trees');

/** n rows of p numbers with two decimals, a share of them missing. */
function numbers(n: number, p: number, missing: number): number[][] {
  const cell = () => (random.uniform() < missing ? Number.NaN : Math.round(random.normal() * 100) / 100);
  return Array.from({ length: n }, () => Array.from({ length: p }, cell));
}

function tableOf(x: number[][]): FeatureTable {
  const features = x[0]!.map((_, feature) => ({
    kind: 'numeric' as const,
    values: Float64Array.from(x, (row) => row[feature]!),
  }));
  return { rows: x.length, features };
}

const response = (row: number[]): number => (row[0]! > 0 ? 2 : -1) + (Number.isNaN(row[1]!) ? 3 : row[1]! ** 2);

describe('boosted trees', () => {
  const x = numbers(120, 3, 0.2);
  const settings = { iterations: 6, learningRate: 0.3, maxLeaves: 6, minLeafRows: 5 };

  it('equal brute-force boosting under squared loss, missing cells and all', () => {
    const y = x.map((row) => (Number.isNaN(response(row)) ? 0 : response(row)) + random.normal());
    const model = fitBoostedTrees(tableOf(x), Float64Array.from(y), settings);
    const expected = boostByBruteForce(x, y, 'squared', settings);
    const found = predict(model, tableOf(x));
    for (const [row, value] of expected.entries()) expect(found[row]).toBeCloseTo(value, 9);
  });

  it('equal brute-force boosting under logistic loss', () => {
    const y = x.map((row) => (random.uniform() < 1 / (1 + Math.exp(-2 * (row[2]! || 0))) ? 1 : 0));
    const model = fitBoostedTrees(tableOf(x), Float64Array.from(y), { ...settings, loss: 'logistic' });
    const expected = boostByBruteForce(x, y, 'logistic', settings).map((raw) => 1 / (1 + Math.exp(-raw)));
    const found = predict(model, tableOf(x));
    for (const [row, value] of expected.entries()) expect(found[row]).toBeCloseTo(value, 9);
  });

  it('give the same trees for the same table', () => {
    const y = Float64Array.from(x, (_, row) => row % 7);
    expect(fitBoostedTrees(tableOf(x), y)).toEqual(fitBoostedTrees(tableOf(x), y));
  });

  it('predict the same after a round trip through JSON', () => {
    const y = Float64Array.from(x, (_, row) => row % 7);
    const model = fitBoostedTrees(tableOf(x), y);
    expect(predict(JSON.parse(JSON.stringify(model)), tableOf(x))).toEqual(predict(model, tableOf(x)));
  });

  it('keep to the leaves, rows a leaf and depth asked for', () => {
    const y = Float64Array.from(x, () => random.normal());
    const bounds: Partial<BoostingSettings> = { maxLeaves: 9, minLeafRows: 7, maxDepth: 3, iterations: 10 };
    const model = fitBoostedTrees(tableOf(x), y, bounds);
    for (const [t, leaves] of applyLeaves(model, tableOf(x)).entries()) {
      const rows = new Array(model.trees[t]!.leaves).fill(0);
      for (const leaf of leaves) rows[leaf]++;
      expect(rows.length).toBeLessThanOrEqual(8);
      expect(Math.min(...rows)).toBeGreaterThanOrEqual(7);
    }
  });

  it('predict the baseline and what the leaves add', () => {
    const y = Float64Array.from(x, () => random.normal());
    const model = fitBoostedTrees(tableOf(x), y, { iterations: 3 });
    const leaves = applyLeaves(model, tableOf(x));
    const predicted = predict(model, tableOf(x));
    for (let row = 0; row < x.length; row++) {
      let expected = model.baseline;
      for (const [t, tree] of model.trees.entries()) expected += tree.value[tree.leaf.indexOf(leaves[t]![row]!)]!;
      expect(predicted[row]).toBeCloseTo(expected, 12);
    }
  });

  it('learn a category by its levels, whatever their codes, and take an unseen level for missing', () => {
    const effect = [5, -3, 8, 0, -6, 2];
    const codes = Int32Array.from({ length: 600 }, () => random.integer(6));
    const y = Float64Array.from(codes, (code) => effect[code]!);
    const feature = { kind: 'category' as const, codes, levels: 7 };
    const model = fitBoostedTrees({ rows: 600, features: [feature] }, y);
    const asked = Int32Array.from([0, 1, 2, 3, 4, 5, 6, -1]);
    const found = predict(model, { rows: 8, features: [{ kind: 'category', codes: asked, levels: 7 }] });
    for (let level = 0; level < 6; level++) expect(found[level]).toBeCloseTo(effect[level]!, 3);
    expect(found[6]).toBe(found[7]);
  });

  it('predict the mean where nothing can be split', () => {
    const one = fitBoostedTrees(tableOf([[1]]), Float64Array.of(4));
    expect(predict(one, tableOf([[1], [Number.NaN]]))).toEqual(Float64Array.of(4, 4));
    const none = fitBoostedTrees({ rows: 40, features: [] }, new Float64Array(40).fill(2));
    expect(none.trees).toEqual([]);
  });

  it('refuse tables and targets that do not fit, saying which', () => {
    expect(() => fitBoostedTrees(tableOf(x), new Float64Array(3))).toThrow('3 targets for 120 rows');
    expect(() => fitBoostedTrees(tableOf(x), new Float64Array(120).fill(Number.NaN))).toThrow('row 0 is NaN');
    expect(() => fitBoostedTrees({ rows: 0, features: [] }, new Float64Array())).toThrow('no rows');
    const logistic = { loss: 'logistic' as const };
    expect(() => fitBoostedTrees(tableOf(x), new Float64Array(120).fill(2), logistic)).toThrow('0 or 1');
    const model = fitBoostedTrees(tableOf(x), new Float64Array(120));
    expect(() => predict(model, tableOf([[1, 2]]))).toThrow('2 features given, the fit had 3');
  });
});
