import { describe, expect, test } from 'vitest';
import { createStream } from '../../../../packages/numerics/random/createStream.ts';
import { normalCdf } from '../../../../packages/numerics/special/normal.ts';
import { fitSlopes, lifted, liftOf, scoreOf } from '../../../../packages/synthesis/models/copula/normalScores.ts';

const random = createStream(5, 'slopes');
const n = 400;
const leafOf = Int32Array.from({ length: n }, (_, i) => i % 2);
const along = Float64Array.from({ length: n }, (_, i) => (i % 50 === 0 ? Number.NaN : random.normal()));
/** In leaf 0 the score rises by 0.8 with the other's; in leaf 1 it has nothing to do with it. */
const places = along.map((x, i) => normalCdf((i % 2 === 0 && !Number.isNaN(x) ? 0.8 * x : 0) + 0.2 * random.normal()));
const task = { name: 'x', leafOf, leaves: 2, from: places, upTo: places, along };

describe('lines within leaves', () => {
  const slopes = fitSlopes(task);

  test('are found where there is a slope, and not where chance would explain it', () => {
    // 200 rows and a residual of 0.2: a standard error of 0.014.
    expect(Math.abs(slopes.slope[0]! - 0.8)).toBeLessThan(0.06);
    expect(slopes.slope[1]).toBe(0);
  });

  test('lift a place, and what was taken off comes back', () => {
    for (const place of [1e-5, 0.2, 0.5, 0.99999]) {
      const by = liftOf(slopes, 0, 1.1);
      expect(lifted(lifted(place, -by), by)).toBeCloseTo(place, 12);
      expect(scoreOf(lifted(place, by)) - scoreOf(place)).toBeCloseTo(by, 6);
    }
  });

  test('end where they were fitted, and say nothing beside a missing cell', () => {
    expect(liftOf(slopes, 0, 99)).toBe(liftOf(slopes, 0, slopes.high[0]!));
    expect(liftOf(slopes, 0, -99)).toBe(liftOf(slopes, 0, slopes.low[0]!));
    expect(liftOf(slopes, 0, Number.NaN)).toBe(0);
    expect(liftOf(slopes, 1, 1)).toBe(0);
  });

  test('keep away from leaves with a heap, and from those of few rows', () => {
    const upTo = places.map((place, row) => (row === 4 ? place + 0.1 : place));
    expect(fitSlopes({ ...task, upTo }).slope[0]).toBe(0);
    expect(
      fitSlopes({ ...task, leafOf: Int32Array.from(leafOf, (_, i) => i >> 2), leaves: n / 4 }).slope.every(
        (slope) => slope === 0,
      ),
    ).toBe(true);
  });
});
