import { expect, test } from 'vitest';
import { minusLogDensity, type ScoredAxis } from '../../../packages/numerics/association/associationDensity.ts';
import { createStream } from '../../../packages/numerics/random/createStream.ts';

const random = createStream(5, 'association density');
const scores = (n: number): Float64Array => Float64Array.from({ length: n }, random.normal);

function someRows(rows: number, axes: number, kinds: number) {
  return {
    axes: Array.from({ length: axes }, () => ({
      u: scores(4),
      v: scores(kinds),
      column: Uint8Array.from({ length: rows }, () => random.integer(4)),
    })),
    classes: Int32Array.from({ length: rows }, () => random.integer(kinds)),
    place: scores(axes + kinds),
  };
}

test('the gradient is that of finite differences', () => {
  const { axes, classes, place } = someRows(60, 3, 3);
  const density = minusLogDensity(axes, classes, 3);
  const value = (at: Float64Array): number => density(at, new Float64Array(6));
  const gradient = new Float64Array(6);
  density(place, gradient);
  const step = 1e-5;
  place.forEach((own, j) => {
    const slope = (value(place.with(j, own + step)) - value(place.with(j, own - step))) / (2 * step);
    // Central differences are off by the square of the step, and by rounding over it: 1e-10 and 1e-11.
    expect(gradient[j]).toBeCloseTo(slope, 8);
  });
});

/** Row by row. */
function slowly(axes: readonly ScoredAxis[], classes: Int32Array, kinds: number, place: Float64Array) {
  const gradient = new Float64Array(place.length);
  let value = 0;
  axes.forEach((_, c) => {
    value += 0.5 * place[c]! ** 2;
    gradient[c] = place[c]!;
  });
  for (const [row, own] of classes.entries()) {
    const logs = place.slice(axes.length);
    axes.forEach(({ u, v, column }, c) => {
      const by = place[c]! * u[column[row]!]!;
      for (let k = 0; k < kinds; k++) logs[k]! += by * v[k]!;
    });
    value -= logs[own]!;
    const most = Math.max(...logs);
    const parts = logs.map((log) => Math.exp(log - most));
    const sum = parts.reduce((a, b) => a + b);
    value += most + Math.log(sum);
    const residuals = parts.map((part, k) => part / sum - (k === own ? 1 : 0));
    axes.forEach(({ u, v, column }, c) => {
      gradient[c]! += residuals.reduce((mean, residual, k) => mean + residual * v[k]!, 0) * u[column[row]!]!;
    });
    residuals.forEach((residual, k) => {
      gradient[axes.length + k]! += residual;
    });
  }
  return { value: value / classes.length, gradient: gradient.map((slope) => slope / classes.length) };
}

test.each([
  [1, 1, 2],
  [127, 4, 3],
  [128, 2, 5],
  [400, 30, 9],
])('blocks of rows give the same bits as row after row: %i rows, %i axes, %i classes', (rows, axes, kinds) => {
  const own = someRows(rows, axes, kinds);
  const gradient = new Float64Array(axes + kinds);
  const value = minusLogDensity(own.axes, own.classes, kinds)(own.place, gradient);
  expect({ value, gradient }).toEqual(slowly(own.axes, own.classes, kinds, own.place));
});
