import { describe, expect, it } from 'vitest';
import {
  drawBelow,
  drawBernoulliExp,
  drawByScore,
  drawDiscreteGaussian,
  drawDiscreteLaplace,
  type RandomBytes,
} from '../../../packages/numerics/privacy/exactNoise.ts';
import { createStream } from '../../../packages/numerics/random/createStream.ts';

/** Bytes that are the same in every run. */
function bytesOf(name: string): RandomBytes {
  const stream = createStream(30, name);
  return (count) => Uint8Array.from({ length: count }, () => stream.integer(256));
}

/** χ² of draws against exact probabilities, with its degrees of freedom; cells of fewer than 10 expected are one. */
function chiSquare(drawn: readonly number[], chance: (value: number) => number, values: readonly number[]) {
  const counts = new Map<number, number>();
  for (const value of drawn) counts.set(value, (counts.get(value) ?? 0) + 1);
  let [sum, cells, restExpected, restFound] = [0, 0, drawn.length, drawn.length];
  for (const value of values) {
    const expected = drawn.length * chance(value);
    if (expected < 10) continue;
    const found = counts.get(value) ?? 0;
    sum += (found - expected) ** 2 / expected;
    cells++;
    restExpected -= expected;
    restFound -= found;
  }
  if (restExpected >= 10) {
    sum += (restFound - restExpected) ** 2 / restExpected;
    cells++;
  }
  return { sum, freedom: cells - 1 };
}

/** Above this a χ² variable lies with a probability of 1e-5 (Wilson and Hilferty): a run of the tests in 20,000 by chance. */
const limit = (freedom: number): number => {
  const spread = 2 / (9 * freedom);
  return freedom * (1 - spread + 4.27 * Math.sqrt(spread)) ** 3;
};

const around = Array.from({ length: 401 }, (_, at) => at - 200);
const DRAWS = 8_000;

function expectDraws(draw: () => number, weight: (value: number) => number, values = around): void {
  const total = values.reduce((sum, value) => sum + weight(value), 0);
  const drawn = Array.from({ length: DRAWS }, draw);
  const { sum, freedom } = chiSquare(drawn, (value) => weight(value) / total, values);
  expect(freedom).toBeGreaterThan(0);
  expect(sum).toBeLessThan(limit(freedom));
}

describe('noise on whole numbers', () => {
  it.each([
    [1n, 7n],
    [9n, 4n],
    [400n, 1n],
  ])('draws discrete Gaussian variables of variance %s/%s by their exact probabilities', (of, over) => {
    const bytes = bytesOf(`gaussian ${of}`);
    const variance = Number(of) / Number(over);
    expectDraws(
      () => Number(drawDiscreteGaussian({ of, over }, bytes)),
      (value) => Math.exp(-(value ** 2) / (2 * variance)),
    );
  });

  it.each([
    [1n, 3n],
    [5n, 2n],
    [12n, 1n],
  ])('draws discrete Laplace variables of scale %s/%s by their exact probabilities', (of, over) => {
    const bytes = bytesOf(`laplace ${of}`);
    const scale = Number(of) / Number(over);
    expectDraws(
      () => Number(drawDiscreteLaplace({ of, over }, bytes)),
      (value) => Math.exp(-Math.abs(value) / scale),
    );
  });

  it('chooses by e to the rate times the score', () => {
    const bytes = bytesOf('choice');
    const scores = [3n, 0n, 5n, -40n, 4n];
    const weight = (at: number) => Math.exp(0.5 * Number(scores[at]));
    expectDraws(() => drawByScore(scores, { of: 1n, over: 2n }, bytes), weight, [0, 1, 2, 3, 4]);
  });

  it('draws every number below a bound equally often', () => {
    const bytes = bytesOf('below');
    expectDraws(
      () => Number(drawBelow(300n, bytes)),
      () => 1,
      Array.from({ length: 300 }, (_, at) => at),
    );
  });

  it.each([
    [0n, 1n],
    [2n, 3n],
    [5n, 2n],
  ])('is true with probability e^-(%s/%s)', (of, over) => {
    const bytes = bytesOf(`exp ${of}`);
    const share = Array.from({ length: DRAWS }, () => drawBernoulliExp({ of, over }, bytes)).filter(Boolean).length;
    const chance = Math.exp(-Number(of) / Number(over));
    // Five standard errors, and none where it is certain.
    const margin = 5 * Math.sqrt(DRAWS * chance * (1 - chance));
    expect(Math.abs(share - DRAWS * chance)).toBeLessThanOrEqual(margin);
  });

  it('is a function of the bytes alone', () => {
    const draws = () => {
      const bytes = bytesOf('again');
      return Array.from({ length: 20 }, () => drawDiscreteGaussian({ of: 50n, over: 3n }, bytes));
    };
    expect(draws()).toEqual(draws());
  });
});
