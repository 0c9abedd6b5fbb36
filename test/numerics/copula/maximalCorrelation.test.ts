import { expect, it } from 'vitest';
import { sortedBy } from '../../../packages/numerics/copula/kendallTau.ts';
import { maximalCorrelation, maximalCorrelationOf } from '../../../packages/numerics/copula/tll/fitTll.ts';
import { createStream } from '../../../packages/numerics/random/createStream.ts';

const n = 500;
const rows = Int32Array.from({ length: n }, (_, i) => i);
const between = (x: Float64Array, y: Float64Array): number => maximalCorrelation(sortedBy(x, rows), sortedBy(y, rows));

it('maximal correlation lies between 0 and 1, however weak the tie is and of whichever sign', () => {
  for (let seed = 0; seed < 60; seed++) {
    const random = createStream(seed, 'maximal correlation');
    const rho = (seed - 30) / 300;
    const x = Float64Array.from(rows, () => random.normal());
    const y = x.map((value) => rho * value + Math.sqrt(1 - rho * rho) * random.normal());
    const found = between(x, y);
    expect(found).toBeGreaterThan(0);
    expect(found).toBeLessThanOrEqual(1);
    expect(
      between(
        x.map((value) => -value),
        y,
      ),
    ).toBeCloseTo(found, 3);
  }
});

it('maximal correlation finds a tie that the correlation does not', () => {
  const random = createStream(1, 'maximal correlation');
  const x = Float64Array.from(rows, () => random.normal());
  const y = x.map((value) => value ** 2 + 0.3 * random.normal());
  expect(between(x, y)).toBeGreaterThan(0.6);
  expect(maximalCorrelation(rows.subarray(0, 9), rows.subarray(0, 9))).toBe(0);
});

it('maximal correlation of tied values is at least what it is in the order of the rows, and that where none are tied', () => {
  const random = createStream(2, 'maximal correlation');
  const x = Float64Array.from(rows, () => random.normal());
  const y = x.map((value) => 0.3 * value + random.normal());
  expect(maximalCorrelationOf(x, y)).toBe(between(x, y));
  for (const step of [0.1, 0.5, 1]) {
    const [roundX, roundY] = [x, y].map((values) => values.map((value) => step * Math.round(value / step)));
    const found = maximalCorrelationOf(roundX!, roundY!);
    expect(found).toBeGreaterThanOrEqual(between(roundX!, roundY!));
    expect(Math.abs(found - between(x, y))).toBeLessThan(0.15);
  }
});
