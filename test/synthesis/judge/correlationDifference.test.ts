import { describe, expect, it } from 'vitest';
import { createStream } from '../../../packages/numerics/random/createStream.ts';
import { correlationDifference, pearson } from '../../../packages/synthesis/judge/distances.ts';

const NONE = Number.NaN;

/** r by the textbook: covariance over the product of deviations. */
function byTextbook(x: number[], y: number[]): number {
  const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const covariance = (a: number[], b: number[]) => mean(a.map((value, i) => (value - mean(a)) * (b[i]! - mean(b))));
  return covariance(x, y) / Math.sqrt(covariance(x, x) * covariance(y, y));
}

describe('pearson', () => {
  it('equals the textbook formula over the rows that have both values', () => {
    const random = createStream(3, 'pearson');
    const rows = Array.from({ length: 200 }, (_, i) => {
      const x = random.normal();
      return [i % 7 === 0 ? NONE : x, i % 5 === 0 ? NONE : x + random.normal()] as const;
    });
    const both = rows.filter(([x, y]) => !Number.isNaN(x) && !Number.isNaN(y));
    const expected = byTextbook(
      both.map(([x]) => x),
      both.map(([, y]) => y),
    );
    expect(
      pearson(
        Float64Array.from(rows, (r) => r[0]),
        Float64Array.from(rows, (r) => r[1]),
      ),
    ).toBeCloseTo(expected, 12);
  });

  it('is 1 and -1 on a line, at any magnitude', () => {
    expect(pearson(Float64Array.of(1, 2, 3), Float64Array.of(1e308, 0, -1e308))).toBeCloseTo(-1, 12);
    expect(pearson(Float64Array.of(1e-310, 2e-310, 3e-310), Float64Array.of(10, 20, 30))).toBeCloseTo(1, 6);
  });

  it('is undefined for a constant column, even one whose mean rounds, and below two common rows', () => {
    expect(
      pearson(
        new Float64Array(10).fill(0.1),
        Float64Array.from({ length: 10 }, (_, i) => i),
      ),
    ).toBeUndefined();
    expect(pearson(Float64Array.of(1, 2, NONE), Float64Array.of(NONE, 3, 4))).toBeUndefined();
  });
});

describe('correlationDifference', () => {
  it('counts each pair twice: r of 1 against -1 in one of three pairs gives √8', () => {
    const [a, b, c] = [Float64Array.of(1, 2, 3, 4), Float64Array.of(2, 4, 6, 8), Float64Array.of(1, -1, -1, 1)];
    const turned = b.map((value) => -value);
    const found = correlationDifference([a, b, c], [a, turned, c]);
    expect(found.norm).toBeCloseTo(Math.sqrt(8), 12);
    expect(found).toMatchObject({ pairs: 3, undefinedPairs: 0 });
  });

  it('equals what pearson says pair by pair, columns with and without missing cells side by side', () => {
    const random = createStream(4, 'columns');
    const column = (missingEvery: number) =>
      Float64Array.from({ length: 60 }, (_, i) => (i % missingEvery === 1 ? NONE : random.normal()));
    const table = () =>
      [column(1000), column(7), column(1000), column(5)].map((c, i) => (i === 0 ? c.fill(1, 0, 2) : c));
    const [real, other] = [table(), table()];
    let squares = 0;
    for (let i = 0; i < 4; i++) {
      for (let j = 0; j < 4; j++) {
        if (i !== j) squares += (pearson(real[i]!, real[j]!)! - pearson(other[i]!, other[j]!)!) ** 2;
      }
    }
    expect(correlationDifference(real, other).norm).toBeCloseTo(Math.sqrt(squares), 12);
  });

  it('leaves out pairs that are undefined in either table and says how many', () => {
    const [a, b, constant] = [Float64Array.of(1, 2, 3), Float64Array.of(1, 2, 3), Float64Array.of(5, 5, 5)];
    expect(correlationDifference([a, b, constant], [a, b, a])).toEqual({ norm: 0, pairs: 3, undefinedPairs: 2 });
    expect(correlationDifference([a, constant], [a, b]).norm).toBeUndefined();
  });
});
