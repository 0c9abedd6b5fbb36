import { describe, expect, test } from 'vitest';
import { createStream } from '../../../packages/numerics/random/createStream.ts';
import { finish } from '../../../packages/numerics/steps.ts';
import { fitBoostedTrees, predict } from '../../../packages/numerics/trees/boostedTrees.ts';
import { binTable, type FeatureTable } from '../../../packages/numerics/trees/features.ts';
import { fitMeanTrees, type MeanBoosting } from '../../../packages/numerics/trees/meanTrees.ts';
import { meansOf } from '../../../packages/numerics/trees/walkTrees.ts';

const random = createStream(5, 'mean trees');
const draws = (n: number): Float64Array => Float64Array.from({ length: n }, () => random.uniform());
const settings: MeanBoosting = {
  rounds: 40,
  learningRate: 0.2,
  patience: 40,
  maxLeaves: 8,
  maxDepth: 6,
  minLeafRows: 20,
  shrinkageRows: 0,
};
const rowsFrom = (from: number, upTo: number): Int32Array =>
  Int32Array.from({ length: upTo - from }, (_, i) => from + i);

function tableOf(n: number): { table: FeatureTable; y: Float64Array } {
  const [x, w] = [draws(n), draws(n)];
  const codes = Int32Array.from({ length: n }, () => random.integer(5));
  const features: FeatureTable['features'] = [
    { kind: 'numeric', values: x },
    { kind: 'numeric', values: w },
    { kind: 'category', codes, levels: 5 },
  ];
  const y = x.map((own, row) => Math.sin(6 * own) * w[row]! + (codes[row]! % 2) + 0.3 * random.normal());
  return { table: { rows: n, features }, y };
}

const mse = (a: Float64Array, b: Float64Array, rows: Int32Array): number =>
  rows.reduce((sum, row) => sum + (a[row]! - b[row]!) ** 2, 0) / rows.length;

describe('trees of a mean', () => {
  const n = 2_000;
  const { table, y } = tableOf(n);
  const binning = binTable(table, y, 64).map(({ bins }) => bins);
  const all = rowsFrom(0, n);
  const whole = finish(fitMeanTrees({ table, binning, target: y, rows: all, apart: new Int32Array() }, settings));

  test('are those of boosting under squared loss, where features are numbers', () => {
    const numbers = { rows: n, features: table.features.slice(0, 2) };
    const own = binTable(numbers, y, 64).map(({ bins }) => bins);
    const task = { table: numbers, binning: own, target: y, rows: all, apart: new Int32Array() };
    const means = finish(meansOf(finish(fitMeanTrees(task, settings)), numbers));
    const { rounds, shrinkageRows, patience: _, ...same } = settings;
    const reference = fitBoostedTrees(numbers, y, { ...same, iterations: rounds, l2: shrinkageRows, maxBins: 64 });
    const expected = predict(reference, numbers);
    // Gradients are single precision here: a tie between two splits may fall otherwise.
    expect(mse(means, expected, all)).toBeLessThan(1e-3);
    expect(mse(means, y, all)).toBeCloseTo(mse(expected, y, all), 3);
  });

  test('split on levels without an order, and have the mean of the rows before the first tree', () => {
    expect(whole.base[0]).toBeCloseTo(
      y.reduce((sum, own) => sum + own / n, 0),
      9,
    );
    // The noise has a variance of .09; without the levels .25 more is left.
    expect(mse(finish(meansOf(whole, table)), y, all)).toBeLessThan(0.12);
  });

  test('end where rows apart are predicted best', () => {
    const noise = Float64Array.from({ length: n }, random.normal);
    const task = { table, binning, target: noise, rows: rowsFrom(0, 1_000), apart: rowsFrom(1_000, n) };
    const few = finish(fitMeanTrees(task, { ...settings, patience: 5 }));
    expect(few.roots.length).toBeLessThan(5);
    const [apart, own] = [rowsFrom(1_500, n), rowsFrom(0, 1_500)];
    const fit = finish(fitMeanTrees({ table, binning, target: y, rows: own, apart }, settings));
    expect(mse(finish(meansOf(fit, table)), y, apart)).toBeLessThan(0.15);
  });

  test('need a row to fit to', () => {
    const none = { table, binning, target: y, rows: new Int32Array(), apart: all };
    expect(() => finish(fitMeanTrees(none, settings))).toThrow(RangeError);
  });
});
