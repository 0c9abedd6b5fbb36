import { describe, expect, it } from 'vitest';
import { FAMILIES } from '../../../packages/numerics/distributions/families.ts';
import { createStream } from '../../../packages/numerics/random/createStream.ts';
import {
  CANDIDATES,
  cdfWithoutAtoms,
  drawsAt,
  stratifiedShares,
  withoutAtoms,
} from '../../../packages/numerics/regression/predict.ts';

const ROWS = 128;
/** Means in no order; like ones are 0.01 apart. */
const means = Float64Array.from({ length: ROWS }, (_, row) => ((row * 37) % ROWS) / 100);

const mean = (values: Iterable<number>): number => {
  const all = [...values];
  return all.reduce((sum, value) => sum + value, 0) / all.length;
};

describe('stratifiedShares', () => {
  it.each([2, 4, 16, 64])('gives each %i-th part of [0, 1) to one of as many rows of like means', (count) => {
    const shares = stratifiedShares(means, createStream(1, 'even'));
    const order = [...means.keys()].sort((a, b) => means[a]! - means[b]!);
    for (let from = 0; from < ROWS; from += count) {
      const parts = order.slice(from, from + count).map((row) => Math.floor(shares[row]! * count));
      expect(parts.sort((a, b) => a - b)).toEqual([...Array(count).keys()]);
    }
  });

  it('is uniform for each row, whatever its place', () => {
    const times = 4000;
    const own = Array.from({ length: times }, (_, k) => stratifiedShares(means, createStream(k, 'one'))[7]!).sort(
      (a, b) => a - b,
    );
    const distance = Math.max(...own.map((share, i) => Math.abs(share - (i + 0.5) / times)));
    // Kolmogorov: above 1.95 / √4000 once in a thousand seeds.
    expect(distance).toBeLessThan(1.95 / Math.sqrt(times));
  });

  it('takes rows fewer than a part, and means that are not finite', () => {
    const odd = Float64Array.of(Number.POSITIVE_INFINITY, Number.NaN, 3, Number.POSITIVE_INFINITY, Number.NaN);
    const shares = [...stratifiedShares(odd, createStream(1, 'odd'))];
    expect(shares.map((share) => Math.floor(share * 2)).sort()).toEqual(expect.arrayContaining([0, 0, 1, 1]));
    expect(shares.every((share) => share > 0 && share < 1)).toBe(true);
    expect(stratifiedShares(new Float64Array(0), createStream(1, 'none'))).toHaveLength(0);
  });
});

describe('drawsAt', () => {
  it('gives of each row’s draws the one at its share of their order', () => {
    const candidates = Float64Array.from({ length: 2 * CANDIDATES }, (_, i) => (i * 7) % CANDIDATES);
    expect([...drawsAt(candidates, Float64Array.of(0, 0.999))]).toEqual([0, CANDIDATES - 1]);
  });

  it('keeps the distribution, and brings the mean of like rows nearer to what is expected', () => {
    const rounds = 600;
    const sums: number[] = [];
    const ofOneRow: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const random = createStream(round, 'draws');
      const candidates = Float64Array.from({ length: ROWS * CANDIDATES }, () => random.normal());
      const draws = drawsAt(candidates, stratifiedShares(means, random));
      sums.push(mean(draws));
      ofOneRow.push(draws[5]!);
    }
    const variance = (values: number[]) => mean(values.map((value) => (value - mean(values)) ** 2));
    // Of one row the draws are the standard normal's: three standard errors of its mean and of its variance.
    expect(Math.abs(mean(ofOneRow))).toBeLessThan(3 / Math.sqrt(rounds));
    expect(Math.abs(variance(ofOneRow) - 1)).toBeLessThan(3 * Math.sqrt(2 / rounds));
    // Independent draws would have 1 / 128. Left is what the draws of a row differ by: about a thirtieth of that.
    expect(variance(sums)).toBeLessThan(0.1 / ROWS);
  });
});

describe('cdfWithoutAtoms', () => {
  it.each(FAMILIES)('is that of draws of $name whose atoms are spread', (family) => {
    const random = createStream(3, 'spread atoms');
    const eta = Float64Array.from(family.parameters, ({ name }) => (name === 'zero' || name === 'one' ? -0.6 : 0.8));
    const draws = Float64Array.from({ length: 8000 }, () => withoutAtoms(family, family.draw(eta, random), random));
    draws.sort();
    const off = draws.map((draw, i) => Math.abs(cdfWithoutAtoms(family, draw, eta) - (i + 0.5) / draws.length));
    // Kolmogorov: above 1.95 / √8000 once in a thousand seeds.
    expect(Math.max(...off)).toBeLessThan(1.95 / Math.sqrt(draws.length));
    expect(cdfWithoutAtoms(family, Number.NEGATIVE_INFINITY, eta)).toBe(0);
    expect(cdfWithoutAtoms(family, Number.POSITIVE_INFINITY, eta)).toBe(1);
  });
});
