import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dot } from '../../../packages/numerics/linalg/dense.ts';

const vectors = fc
  .integer({ min: 0, max: 30 })
  .chain((size) => fc.tuple(...[1, 2].map(() => fc.float64Array({ minLength: size, maxLength: size, noNaN: true }))));

describe('dot', () => {
  it('adds the products in order, as a plain sum does', () => {
    fc.assert(
      fc.property(vectors, ([a = new Float64Array(), b = new Float64Array()]) => {
        expect(dot(a, b)).toBe([...a].reduce((sum, x, i) => sum + x * b[i]!, 0));
      }),
    );
  });

  it('is the same either way round', () => {
    fc.assert(
      fc.property(vectors, ([a = new Float64Array(), b = new Float64Array()]) => {
        expect(dot(a, b)).toBe(dot(b, a));
      }),
    );
  });

  it('stops at the size that is asked for, and is 0 for none', () => {
    const [a, b] = [Float64Array.of(1, 2, 3), Float64Array.of(4, 5, 6)];
    expect(dot(a, b, 2)).toBe(14);
    expect(dot(a, b, 0)).toBe(0);
    expect(dot(new Float64Array(), new Float64Array())).toBe(0);
  });

  it('is no number where an entry is none', () => {
    expect(dot(Float64Array.of(1, Number.NaN), Float64Array.of(1, 1))).toBeNaN();
  });
});
