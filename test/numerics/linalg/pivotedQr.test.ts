import { describe, expect, test } from 'vitest';
import { pivotedQr } from '../../../packages/numerics/linalg/dense.ts';
import { createStream } from '../../../packages/numerics/random/createStream.ts';

const stream = createStream(2, 'qr');
const random = (rows: number, cols: number): Float64Array => Float64Array.from({ length: rows * cols }, stream.normal);

/** Inner product of two columns. */
function dot(a: Float64Array, rows: number, cols: number, j: number, k: number): number {
  let sum = 0;
  for (let i = 0; i < rows; i++) sum += a[i * cols + j]! * a[i * cols + k]!;
  return sum;
}

describe('pivoted QR', () => {
  test.each([
    [6, 4],
    [30, 30],
    [3, 5],
  ])('RᵀR equals the permuted AᵀA for %i × %i', (rows, cols) => {
    const a = random(rows, cols);
    const { order, r, rank } = pivotedQr(a, rows, cols);
    expect(rank).toBe(Math.min(rows, cols));
    for (let j = 0; j < cols; j++) {
      for (let k = 0; k < cols; k++) {
        expect(dot(r, cols, cols, j, k)).toBeCloseTo(dot(a, rows, cols, order[j]!, order[k]!), 9);
      }
    }
  });

  test('pivots never grow', () => {
    const { r } = pivotedQr(random(20, 8), 20, 8);
    const pivots = Array.from({ length: 8 }, (_, i) => Math.abs(r[i * 8 + i]!));
    expect(pivots).toEqual([...pivots].sort((x, y) => y - x));
  });

  test('finds columns that others determine', () => {
    const a = random(50, 5);
    for (let i = 0; i < 50; i++) {
      a[i * 5 + 3] = 2 * a[i * 5]! - a[i * 5 + 1]!;
      a[i * 5 + 4] = 0;
    }
    const { order, rank } = pivotedQr(a, 50, 5);
    expect(rank).toBe(3);
    expect(Array.from(order.slice(0, rank))).toContain(2);
    expect(Array.from(order.slice(0, rank))).not.toContain(4);
    expect(new Set(order).size).toBe(5);
  });

  test('a near copy counts by the tolerance', () => {
    const a = random(40, 2);
    for (let i = 0; i < 40; i++) a[i * 2 + 1] = a[i * 2]! + 1e-5 * a[i * 2 + 1]!;
    expect(pivotedQr(a, 40, 2).rank).toBe(2);
    expect(pivotedQr(a, 40, 2, 1e-3).rank).toBe(1);
  });

  test('zeros and nothing have rank 0', () => {
    expect(pivotedQr(new Float64Array(6), 3, 2).rank).toBe(0);
    expect(pivotedQr(new Float64Array(0), 0, 3).rank).toBe(0);
    expect(pivotedQr(new Float64Array(0), 3, 0).rank).toBe(0);
  });
});
