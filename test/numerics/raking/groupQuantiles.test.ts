import { describe, expect, it } from 'vitest';
import { fitGroupQuantiles, knotsOf, rakeGroups, SHARES } from '../../../packages/numerics/raking/raking.ts';
import { createStream } from '../../../packages/numerics/random/createStream.ts';

const random = createStream(1, 'places');

/** The quantile by the sorted places: slow and plain. */
function quantileOf(sorted: Float64Array, share: number): number {
  const at = share * (sorted.length - 1);
  const low = Math.floor(at);
  return sorted[low]! + (at - low) * ((sorted[low + 1] ?? sorted[low]!) - sorted[low]!);
}

const meanOf = (places: Float64Array): number => places.reduce((sum, place) => sum + place, 0) / places.length;

describe('knotsOf', () => {
  it.each([
    ['few', 3000, 1e-12],
    // A box is 1 / 16384 wide, and beside a gap a quantile may lie on either side of it: one place in so many rows.
    ['many', 50_000, 2 / 16_384],
  ])('are the quantiles of %s places', (_, rows, tolerance) => {
    const places = Float64Array.from({ length: rows }, () => 0.1 + 0.8 * random.uniform() ** 3);
    const before = places.slice();
    const knots = knotsOf(places);
    const sorted = places.slice().sort();
    knots.forEach((knot, k) => {
      // Beyond the equal steps, nearer to an end than fifty rows, lies a line.
      const beyond = Math.min(SHARES[k]!, 1 - SHARES[k]!);
      const isFree = beyond * rows >= 50 || beyond >= 1 / 32 || k === 0 || k === knots.length - 1;
      if (isFree) expect(Math.abs(knot - quantileOf(sorted, SHARES[k]!))).toBeLessThan(tolerance);
    });
    expect([...knots]).toEqual([...knots].sort((a, b) => a - b));
    expect(places).toEqual(before);
  });

  it('are on a line to the end where fewer than fifty rows lie beyond', () => {
    const places = Float64Array.from({ length: 320 }, (_, i) => (i < 318 ? 0.5 : 0.5 + 0.1 * (i - 317)));
    const knots = knotsOf(places);
    // Of 320 rows, ten lie beyond 31/32: the two that lie apart are the end of a line, not quantiles of their own.
    const last = SHARES.indexOf(31 / 32);
    for (let k = last; k < SHARES.length; k++) {
      const share = (SHARES[k]! - 31 / 32) / (1 / 32);
      expect(knots[k]).toBeCloseTo(knots[last]! + share * (0.7 - knots[last]!), 12);
    }
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
  it('tells groups apart in what only one row in a hundred has', () => {
    const rows = 40_000;
    const groups = Int32Array.from({ length: rows }, (_, row) => row % 2);
    // Above 0.99 lie those with a claim: of group 0 four in a thousand and the cheap ones, of group 1 sixteen.
    const isClaim = Array.from(groups, (group) => random.uniform() < (group === 0 ? 0.004 : 0.016));
    const cost = (group: number) => (group === 0 ? 0.5 : 1) * random.uniform();
    const real = Float64Array.from(groups, (group, row) =>
      isClaim[row] ? 0.99 + 0.01 * cost(group) : 0.99 * random.uniform(),
    );
    const places = Float64Array.from({ length: rows }, () => random.uniform());
    const found = fitGroupQuantiles(groups, real, { least: 200, most: 10 })!;
    const raked = places.slice();
    rakeGroups(raked, groups, found, 200);
    const claims = (of: Float64Array, group: number) =>
      of.filter((place, row) => groups[row] === group && place > 0.99);
    for (const group of [0, 1]) {
      const [own, wanted, blurred] = [claims(raked, group), claims(real, group), claims(places, group)];
      // A knot stands at a thousandth of the group; between two of them lies a line.
      expect(Math.abs(own.length - wanted.length)).toBeLessThan(0.2 * wanted.length);
      expect(Math.abs(own.length - wanted.length)).toBeLessThan(0.25 * Math.abs(blurred.length - wanted.length));
      expect(meanOf(own)).toBeCloseTo(meanOf(wanted), 3);
    }
  });

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
