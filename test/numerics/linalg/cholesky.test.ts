import { describe, expect, test } from 'vitest';
import { cholesky, solveCholesky, solveLower, solveLowerTransposed } from '../../../packages/numerics/linalg/dense.ts';
import { choleskyByPanels, inverseDiagonal } from '../../../packages/numerics/linalg/denseKernels.ts';
import { createStream } from '../../../packages/numerics/random/createStream.ts';

const stream = createStream(1, 'cholesky');

/** B Bᵀ + I, n × n: symmetric and positive definite. */
function positiveDefinite(n: number): Float64Array {
  const b = Float64Array.from({ length: n * n }, stream.normal);
  const a = new Float64Array(n * n);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) {
      a[i * n + j] = i === j ? 1 : 0;
      for (let k = 0; k < n; k++) a[i * n + j]! += b[i * n + k]! * b[j * n + k]!;
    }
  }
  return a;
}

const times = (a: Float64Array, n: number, x: Float64Array, { transpose } = { transpose: false }): number[] =>
  Array.from({ length: n }, (_, i) =>
    x.reduce((sum, value, k) => sum + (transpose ? a[k * n + i]! : a[i * n + k]!) * value, 0),
  );

const expectClose = (left: ArrayLike<number>, right: ArrayLike<number>): void => {
  expect(left.length).toBe(right.length);
  for (let i = 0; i < left.length; i++) expect(left[i]!).toBeCloseTo(right[i]!, 9);
};

/** In panels of four columns: of each entry what the columns before its panel give, and then what those of its panel do. */
function plainCholesky(a: Float64Array, n: number): Float64Array {
  const l = new Float64Array(n * n);
  const products = (i: number, j: number, from: number, to: number): number => {
    let sum = 0;
    for (let k = from; k < to; k++) sum += l[i * n + k]! * l[j * n + k]!;
    return sum;
  };
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < i; j++) {
      const panel = j - (j % 4);
      const isBelow = i >= panel + 4;
      const own = isBelow ? products(i, j, panel, j) : 0;
      l[i * n + j] = (a[i * n + j]! - products(i, j, 0, isBelow ? panel : j) - own) / l[j * n + j]!;
    }
    l[i * n + i] = Math.sqrt(a[i * n + i]! - products(i, i, 0, i));
  }
  return l;
}

/** A column of L⁻¹ after the other. */
function plainInverse(l: Float64Array, n: number): Float64Array {
  return Float64Array.from({ length: n }, (_, k) => {
    const column = new Float64Array(n);
    column[k] = 1 / l[k * n + k]!;
    for (let i = k + 1; i < n; i++) {
      let sum = 0;
      for (let j = k; j < i; j++) sum -= l[i * n + j]! * column[j]!;
      column[i] = sum / l[i * n + i]!;
    }
    return column.reduce((sum, own) => sum + own * own, 0);
  });
}

describe('Cholesky', () => {
  test.each([1, 2, 7, 40])('L Lᵀ gives A back, and both solves undo the product, for n = %i', (n) => {
    const a = positiveDefinite(n);
    const l = cholesky(a, n)!;
    const x = Float64Array.from({ length: n }, stream.normal);
    expectClose(times(l, n, Float64Array.from(times(l, n, x, { transpose: true }))), times(a, n, x));
    expectClose(solveLower(l, n, Float64Array.from(times(l, n, x))), x);
    expectClose(solveLowerTransposed(l, n, Float64Array.from(times(l, n, x, { transpose: true }))), x);
    expectClose(solveCholesky(l, n, Float64Array.from(times(a, n, x))), x);
  });

  test.each([150, 151, 153, 158])(
    'of a large matrix is what plain loops give, to the last bit, and so is the inverse, for n = %i',
    (n) => {
      const a = positiveDefinite(n);
      const l = cholesky(a, n)!;
      const plain = plainCholesky(a, n);
      expect(choleskyByPanels(a, n, 1e-14)).toEqual(plain);
      expect(l).toEqual(plain);
      expect(inverseDiagonal(l, n)).toEqual(plainInverse(l, n));
      a[(n - 3) * n + n - 3] = -1;
      expect(cholesky(a, n)).toBeUndefined();
    },
  );

  test('the factor of a known matrix comes out exactly', () => {
    const a = Float64Array.of(4, 12, -16, 12, 37, -43, -16, -43, 98);
    expect(Array.from(cholesky(a, 3)!)).toEqual([2, 0, 0, 6, 1, 0, -8, 5, 3]);
  });

  test('a matrix that is not positive definite has no factor', () => {
    expect(cholesky(Float64Array.of(1, 2, 2, 1), 2)).toBeUndefined();
    expect(cholesky(Float64Array.of(1, 1, 1, 1), 2)).toBeUndefined();
    expect(cholesky(Float64Array.of(Number.NaN), 1)).toBeUndefined();
    expect(cholesky(new Float64Array(0), 0)).toEqual(new Float64Array(0));
  });
});
