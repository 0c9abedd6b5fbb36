import { expect, test } from 'vitest';
import { conjugateGradient } from '../../../packages/numerics/linalg/conjugateGradient.ts';
import { cholesky, solveCholesky } from '../../../packages/numerics/linalg/dense.ts';
import { createStream } from '../../../packages/numerics/random/createStream.ts';

const N = 12;
const stream = createStream(1, 'conjugate gradient');
const root = Float64Array.from({ length: N * N }, stream.normal);
const matrix = Float64Array.from({ length: N * N }, (_, at) => {
  const [i, j] = [Math.floor(at / N), at % N];
  let sum = i === j ? 1 : 0;
  for (let k = 0; k < N; k++) sum += root[i * N + k]! * root[j * N + k]!;
  return sum;
});
const apply = (v: Float64Array, into: Float64Array): void => {
  for (let i = 0; i < N; i++) {
    into[i] = 0;
    for (let j = 0; j < N; j++) into[i]! += matrix[i * N + j]! * v[j]!;
  }
};
const b = Float64Array.from({ length: N }, stream.normal);

test('finds what elimination finds, and stops where it is told to', () => {
  const exact = solveCholesky(cholesky(matrix, N)!, N, b);
  const found = conjugateGradient(apply, b, { most: 200, tolerance: 1e-12 });
  // 12 unknowns, condition below 1e3: rounding leaves far less than this.
  found.forEach((x, k) => void expect(x).toBeCloseTo(exact[k]!, 8));
  let products = 0;
  const counting = (v: Float64Array, into: Float64Array): void => {
    products++;
    apply(v, into);
  };
  conjugateGradient(counting, b, { most: 3, tolerance: 0 });
  expect(products).toBe(3);
  expect([...conjugateGradient(apply, new Float64Array(N), { most: 5, tolerance: 1e-6 })]).toEqual(
    new Array(N).fill(0),
  );
});
