import { describe, expect, test } from 'vitest';
import { createStream } from '../../../../packages/numerics/random/createStream.ts';
import { finish } from '../../../../packages/numerics/steps.ts';
import { rankInLeaves, uAtRank } from '../../../../packages/synthesis/models/copula/columnTree.ts';
import { findFollowers } from '../../../../packages/synthesis/models/copula/fitNumbers.ts';
import { leafScores } from '../../../../packages/synthesis/models/copula/rankedScores.ts';

const random = createStream(3, 'leaves');
const draw = (n: number, make: (i: number) => number): Float64Array =>
  Float64Array.from({ length: n }, (_, i) => make(i));

describe('ranks within leaves', () => {
  const n = 3000;
  const leafOf = Int32Array.from({ length: n }, (_, i) => i % 3);
  const u = draw(n, (i) => (i % 3) / 3 + random.uniform() / 3);
  const own = rankInLeaves({ leafOf, leaves: 3, from: u, upTo: u }, random);

  test('are uniform in every leaf, and rise with the u', () => {
    for (let leaf = 0; leaf < 3; leaf++) {
      const rows = [...leafOf.keys()].filter((row) => leafOf[row] === leaf).sort((a, b) => u[a]! - u[b]!);
      rows.forEach((row, rank) => {
        expect(own.ranks[row]).toBeGreaterThan(rank / rows.length - 1e-12);
        expect(own.ranks[row]).toBeLessThan((rank + 1) / rows.length + 1e-12);
      });
    }
  });

  test('lead back to the u they came from, to the nearest neighbours', () => {
    for (let row = 0; row < n; row++) {
      expect(Math.abs(uAtRank(own.ranges, leafOf[row]!, own.ranks[row]!) - u[row]!)).toBeLessThan(0.01);
    }
  });

  test('stay on an atom, and move no further into a tail than the tail is deep', () => {
    const from = Float64Array.of(0.2, 0.2, 0.4, 0.999);
    const upTo = Float64Array.of(0.4, 0.4, 0.4, 0.999);
    const { ranges: four } = rankInLeaves({ leafOf: new Int32Array(4), leaves: 1, from, upTo }, random);
    for (const rank of [0.01, 0.3, 0.49]) expect(uAtRank(four, 0, rank)).toBeCloseTo(0.3, 12);
    for (const rank of [0.76, 0.9, 0.9999]) expect(Math.abs(uAtRank(four, 0, rank) - 0.999)).toBeLessThanOrEqual(0.001);
  });
});

describe('the score of a u in a leaf', () => {
  test('is the integral of the squared difference of distribution functions, for the pairs of different rows', () => {
    const entries = draw(7, random.uniform);
    const scoreOf = leafScores(new Int32Array(7), 1, entries);
    for (const y of [-0.2, 0.1, 0.5, 1.3]) {
      let distance = 0;
      let spread = 0;
      entries.forEach((a, i) => {
        distance += Math.abs(a - y) / 7;
        entries.forEach((b, j) => {
          if (i !== j) spread += Math.abs(a - b) / 42;
        });
      });
      expect(scoreOf(0, y)).toBeCloseTo(distance - spread / 2, 12);
    }
  });
});

describe('columns that follow another one', () => {
  const x = draw(200, random.normal);
  const found = (...columns: Float64Array[]) => finish(findFollowers(columns));

  test('are found where they rise or fall with it in every row', () => {
    expect(
      found(
        x,
        x.map(Math.exp),
        x.map((value) => -Math.round(3 * value)),
      ),
    ).toEqual([null, { of: 0, falls: false }, { of: 0, falls: true }]);
  });

  test('are not found where one row breaks the order, or a cell is missing in one alone', () => {
    const broken = x.map(Math.exp);
    broken[17] = -1;
    const gap = x.map((value, i) => (i === 4 ? Number.NaN : 2 * value));
    expect(found(x, broken)).toEqual([null, null]);
    expect(found(x, gap)).toEqual([null, null]);
  });

  test('keep the finer one as their leader', () => {
    expect(found(x.map(Math.round), x)).toEqual([{ of: 1, falls: false }, null]);
  });
});
