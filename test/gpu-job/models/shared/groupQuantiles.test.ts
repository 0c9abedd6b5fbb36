import { describe, expect, it } from 'vitest';
import { fitGroupQuantiles, knotsOf, rakeGroups } from '../../../../gpu-job/models/shared/groupQuantiles.ts';
import { createStream } from '../../../../numerics/random/createStream.ts';

const random = createStream(1, 'places');

/** The quantile by the sorted places: slow and plain. */
function quantileOf(sorted: Float64Array, share: number): number {
  const at = share * (sorted.length - 1);
  const low = Math.floor(at);
  return sorted[low]! + (at - low) * ((sorted[low + 1] ?? sorted[low]!) - sorted[low]!);
}

describe('knotsOf', () => {
  it.each([
    ['few', 3000, 1e-12],
    // A box is 1 / 4096 wide, and beside a gap a quantile may lie on either side of it: one place in so many rows.
    ['many', 50_000, 1.5 / 4096],
  ])('are the quantiles of %s places', (_, rows, tolerance) => {
    const places = Float64Array.from({ length: rows }, () => 0.1 + 0.8 * random.uniform() ** 3);
    const before = places.slice();
    const knots = knotsOf(places);
    const sorted = places.slice().sort();
    knots.forEach((knot, k) => {
      expect(Math.abs(knot - quantileOf(sorted, k / (knots.length - 1)))).toBeLessThan(tolerance);
    });
    expect(places).toEqual(before);
  });

  it('stay within the places, where all lie in one box', () => {
    const places = Float64Array.from({ length: 5000 }, (_, i) => 0.5 + i * 1e-9);
    const knots = knotsOf(places);
    expect(knots[0]).toBe(0.5);
    expect(knots.at(-1)).toBe(places.at(-1));
    expect([...knots]).toEqual([...knots].sort((a, b) => a - b));
  });
});

describe('rakeGroups', () => {
  it('brings groups of many and of few rows to their quantiles, and leaves one of too few, and one that is not known', () => {
    const rows = 12_000;
    const groups = Int32Array.from({ length: rows }, (_, row) => (row % 100 === 0 ? -1 : row < 9000 ? 0 : 1));
    const real = Float64Array.from(groups, (group) => (group === 1 ? 0.5 * random.uniform() : random.uniform() ** 2));
    const found = fitGroupQuantiles(groups, real, { least: 200, most: 10 })!;
    expect([...found.groups]).toEqual([0, 1]);
    const made = Float64Array.from({ length: rows }, () => random.uniform());
    const raked = made.slice();
    rakeGroups(raked, groups, found, 200);
    for (const group of [0, 1]) {
      const of = (places: Float64Array) => places.filter((_, row) => groups[row] === group).sort();
      const [own, wanted] = [of(raked), of(real)];
      for (const share of [0.05, 0.25, 0.5, 0.75, 0.95])
        expect(quantileOf(own, share)).toBeCloseTo(quantileOf(wanted, share), 2);
    }
    groups.forEach((group, row) => {
      if (group === -1) expect(raked[row]).toBe(made[row]);
    });
    const few = made.slice(0, 150);
    rakeGroups(few, new Int32Array(150), found, 200);
    expect(few).toEqual(made.slice(0, 150));
  });
});
