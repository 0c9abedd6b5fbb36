import { expect, test } from 'vitest';
import { createStream } from '../../../packages/numerics/random/createStream.ts';
import { drawShare } from '../../../packages/numerics/regression/drawShare.ts';
import type { PosteriorTask } from '../../../packages/numerics/regression/samplingTask.ts';
import type { RegressionSpec } from '../../../packages/numerics/regression/spec.ts';
import { betaP } from '../../../packages/numerics/special/incomplete.ts';
import { silent } from '../../synthesis/models/tables.ts';

function shareOf(hits: number, misses: number, draws: number, prior = { a: 1, b: 1 }) {
  const spec: RegressionSpec = {
    family: 'bernoulli',
    y: Float64Array.from({ length: hits + misses }, (_, i) => Number(i < hits)),
    weights: null,
    predictors: [{ kind: 'constant', parameter: 'mu', prior: { kind: 'beta', ...prior } }],
  };
  const task: PosteriorTask = {
    spec,
    start: new Float64Array(1),
    draws,
    tune: 0,
    random: createStream(9, 'share'),
    onProgress: silent,
    yieldToEventLoop: silent,
  };
  return drawShare(task)!;
}

const mean = (x: Float64Array): number => x.reduce((sum, value) => sum + value, 0) / x.length;

// Of few rows, of shares near 0 and near 1, and under a prior with no mode.
test.each([
  [300, 700, 1, 1],
  [0, 0, 1, 1],
  [1, 3, 1, 1],
  [0, 400, 1, 1],
  [5000, 2, 1, 1],
  [0, 1, 0.5, 0.5],
])('draws of %i hits and %i misses under beta(%d, %d) are of their beta distribution', (hits, misses, a, b) => {
  const { chains, parameters } = shareOf(hits, misses, 10_000, { a, b });
  const probabilities = chains.map((chain) => chain.map((x) => betaP(hits + a, misses + b, x)));
  // Of the first draws of pairs alone, and of the second, which are independent: five errors of 20,000 draws.
  for (const half of [0, 1]) {
    const own = Float64Array.from(probabilities.flatMap((chain) => [...chain.filter((_, i) => i % 2 === half)]));
    for (const level of [0.01, 0.1, 0.5, 0.9, 0.99]) {
      const below = own.filter((p) => p < level).length / own.length;
      expect(Math.abs(below - level)).toBeLessThan(5 * Math.sqrt((level * (1 - level)) / own.length));
    }
  }
  expect(parameters[0]!.rHat).toBeLessThan(1.01);
  expect(parameters[0]!.bulkEss).toBeGreaterThan(30_000);
});

test('chains are independent, and so are pairs', () => {
  const { chains } = shareOf(300, 700, 10_000);
  const firsts = chains.map((chain) => chain.filter((_, i) => i % 2 === 0));
  const later = firsts.map((chain) => chain.slice(1));
  const all = [...firsts.map((chain) => chain.slice(0, -1)), ...later];
  for (const [i, one] of all.entries()) {
    for (const other of all.slice(i + 1)) {
      const [centre, otherCentre] = [mean(one), mean(other)];
      let [product, squares, otherSquares] = [0, 0, 0];
      for (let k = 0; k < one.length; k++) {
        const [u, v] = [one[k]! - centre, other[k]! - otherCentre];
        product += u * v;
        squares += u * u;
        otherSquares += v * v;
      }
      expect(Math.abs(product) / Math.sqrt(squares * otherSquares)).toBeLessThan(4.5 / Math.sqrt(one.length));
    }
  }
});

test('means of pairs have next to no error', () => {
  const { chains } = shareOf(300, 700, 1_000);
  const sd = Math.sqrt((301 * 701) / (1002 ** 2 * 1003));
  for (const chain of chains) expect(Math.abs(mean(chain) - 301 / 1002)).toBeLessThan(0.02 * sd);
});

test('an odd number of draws is exactly so many', () => {
  expect(shareOf(3, 4, 7).chains.map((chain) => chain.length)).toEqual([7, 7, 7, 7]);
  expect(shareOf(3, 4, 1).chains.map((chain) => chain.length)).toEqual([1, 1, 1, 1]);
});
