import { describe, expect, test } from 'vitest';
import { createStream } from '../../../../packages/numerics/random/createStream.ts';
import { fastExp, logOnePlus, sumOfLogs } from '../../../../packages/numerics/regression/kernels/fastMath.ts';

const stream = createStream(4, 'fastMath');

describe('fast exp and log', () => {
  test('agree with Math to four units of the last place, over their whole range', () => {
    for (let k = 0; k < 20_000; k++) {
      const x = 720 * (2 * stream.uniform() - 1) * stream.uniform() ** 4;
      expect(Math.abs(fastExp(x) - Math.exp(x))).toBeLessThanOrEqual(Math.exp(x) * 4 * Number.EPSILON);
      const e = stream.uniform() ** 3;
      expect(Math.abs(logOnePlus(e) - Math.log1p(e))).toBeLessThanOrEqual(Math.log1p(e) * 4 * Number.EPSILON);
    }
  });

  test('keep the ends: infinite, zero, not a number', () => {
    expect([fastExp(0), fastExp(800), fastExp(-800), fastExp(Number.NEGATIVE_INFINITY)]).toEqual([
      1,
      Number.POSITIVE_INFINITY,
      0,
      0,
    ]);
    expect(fastExp(Number.NaN)).toBeNaN();
    expect([logOnePlus(0), logOnePlus(1)]).toEqual([0, Math.LN2]);
  });

  test('a sum of logs of products is the sum of the logs, for factors of any size', () => {
    const factors = Float64Array.from({ length: 200 }, () => Math.exp(300 * (2 * stream.uniform() - 1) ** 9));
    factors.set([1e-300, 1e300, 5e-324]);
    const sum = factors.reduce((total, factor) => total + Math.log(factor), 0);
    expect(sumOfLogs(factors, 200)).toBeCloseTo(sum, 9);
    expect(sumOfLogs(factors, 0)).toBe(0);
    expect(sumOfLogs(Float64Array.of(Number.POSITIVE_INFINITY), 1)).toBe(Number.POSITIVE_INFINITY);
  });
});
