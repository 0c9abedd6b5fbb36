import { describe, expect, test } from 'vitest';
import { createStream } from '../../../packages/numerics/random/createStream.ts';
import { ClassHistograms } from '../../../packages/numerics/trees/classHistograms.ts';

const random = createStream(5, 'histograms');
const n = 200;
const bins = [3, 17, 2];
const data = {
  bins,
  columns: bins.map((own) => Uint8Array.from({ length: n }, () => random.integer(own))),
  isLevel: bins.map(() => false),
};
const order = Uint32Array.from({ length: n }, (_, i) => (i * 77) % n);
const gradientsOf = (sketches: number): Float32Array =>
  Float32Array.from({ length: sketches * n }, () => random.normal());

/** One row after the other, in the order in which the fast one adds them: the same f64. */
function slowly(gradients: Float32Array, width: number, start: number, end: number): number[] {
  const sketches = gradients.length / n;
  return bins.flatMap((own, f) => {
    const sums = new Array<number>(own * width).fill(0);
    for (const row of order.subarray(start, end)) {
      const at = data.columns[f]![row]! * width;
      for (let s = 0; s < sketches; s++) sums[at + s]! += gradients[row * sketches + s]!;
      sums[at + width - 1]!++;
    }
    return sums;
  });
}

describe('histograms of several gradients', () => {
  test.each([
    [1, 2],
    [2, 4],
    [3, 4],
  ])('of %i are those of a slow reading, to the last bit', (sketches, width) => {
    const histograms = new ClassHistograms(data, n, sketches, 2);
    expect(histograms.width).toBe(width);
    for (const [start, end] of [
      [0, n],
      [30, 31],
      [20, 20],
    ] as const) {
      const gradients = gradientsOf(sketches);
      histograms.look(gradients);
      const found = histograms.count(order, start, end);
      expect([...found.values]).toEqual(slowly(gradients, width, start, end));
      histograms.release(found);
    }
    expect(histograms.binsOf(1)).toEqual({ from: 3, to: 20 });
  });

  test('of a parent less those of a child are its sibling’s', () => {
    const histograms = new ClassHistograms(data, n, 3, 2);
    const gradients = gradientsOf(3);
    histograms.look(gradients);
    const parent = histograms.count(order, 0, n);
    histograms.subtract(parent, histograms.count(order, 0, 60));
    // Sums of 200 numbers near 1: rounding of f64.
    slowly(gradients, 4, 60, n).forEach((own, i) => {
      expect(parent.values[i]).toBeCloseTo(own, 12);
    });
    expect(() => histograms.count(order, 0, 1)).toThrow('more histograms');
  });

  test('are of three gradients at most', () => {
    expect(() => new ClassHistograms(data, n, 4, 2)).toThrow(RangeError);
  });
});
