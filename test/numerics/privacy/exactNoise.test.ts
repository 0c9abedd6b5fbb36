import { describe, expect, it } from 'vitest';
import { createCurator } from '../../../packages/numerics/privacy/curator.ts';
import { drawBernoulliExp, drawDiscreteGaussian, inBlocks } from '../../../packages/numerics/privacy/exactNoise.ts';
import { chiSquare, chiSquareLimit } from '../../support/chiSquare.ts';
import { bytesFrom, SAMPLERS } from '../../support/samplers.ts';

const DRAWS = 8_000;

describe('noise on whole numbers', () => {
  it.each(SAMPLERS)('is drawn by its exact probabilities: $name', ({ name, draw, values, weight }) => {
    const bytes = bytesFrom(30, name);
    const { sum, freedom } = chiSquare(
      Array.from({ length: DRAWS }, () => draw(bytes)),
      values,
      weight,
    );
    expect(freedom).toBeGreaterThan(0);
    expect(sum).toBeLessThan(chiSquareLimit(freedom));
  });

  it('is told from noise of a variance that is a quarter larger', () => {
    const { draw, values, weight } = SAMPLERS[2]!;
    const bytes = bytesFrom(30, 'power');
    const drawn = Array.from({ length: DRAWS }, () => draw(bytes));
    const { sum, freedom } = chiSquare(drawn, values, (value) => weight(value) ** (1 / 1.25));
    expect(sum).toBeGreaterThan(chiSquareLimit(freedom));
  });

  it.each([
    [0n, 1n],
    [2n, 3n],
    [5n, 2n],
  ])('is true with probability e^-(%s/%s)', (of, over) => {
    const bytes = bytesFrom(30, `exp ${of}`);
    const share = Array.from({ length: DRAWS }, () => drawBernoulliExp({ of, over }, bytes)).filter(Boolean).length;
    const chance = Math.exp(-Number(of) / Number(over));
    // Five standard errors, and none where it is certain.
    const margin = 5 * Math.sqrt(DRAWS * chance * (1 - chance));
    expect(Math.abs(share - DRAWS * chance)).toBeLessThanOrEqual(margin);
  });

  it('is a function of the bytes alone', () => {
    const draws = () => {
      const bytes = bytesFrom(30, 'again');
      return Array.from({ length: 20 }, () => drawDiscreteGaussian({ of: 50n, over: 3n }, bytes));
    };
    expect(draws()).toEqual(draws());
  });

  it('is added to a count as a whole number, and rounded once, where a double cannot hold it', () => {
    // σ = 2^61: the noise has more bits than a double.
    const [rho, cells] = [2 ** -123, Int32Array.from({ length: 300 }, (_, at) => 1 + 2 * at)];
    const { counts } = createCurator(1, bytesFrom(1, 'large')).count(cells, rho);
    const source = inBlocks(bytesFrom(1, 'large'));
    const exact = Array.from(
      cells,
      (cell) => BigInt(cell) + drawDiscreteGaussian({ of: 1n << 142n, over: 1n << 20n }, source),
    );
    expect(counts).toEqual(exact.map(Number));
  });
});
