/** Small random regressions of every family and structure, for tests that compare one implementation with another. */

import type { ResponseName } from '../../../packages/numerics/distributions/families.ts';
import { familyOf } from '../../../packages/numerics/distributions/families.ts';
import type { RandomStream } from '../../../packages/numerics/random/stream.ts';
import type {
  DenseMatrix,
  PredictorSpec,
  Prior,
  RegressionSpec,
  SparseMatrix,
} from '../../../packages/numerics/regression/spec.ts';

export const dense = (rows: number, cols: number, entry: (i: number, j: number) => number): DenseMatrix => ({
  kind: 'dense',
  rows,
  cols,
  values: Float64Array.from({ length: rows * cols }, (_, k) => entry(Math.floor(k / cols), k % cols)),
});

export function sparseOf(matrix: DenseMatrix): SparseMatrix {
  const { rows, cols } = matrix;
  const offsets = new Int32Array(rows + 1);
  const at: number[] = [];
  const values: number[] = [];
  for (let i = 0; i < rows; i++) {
    for (let j = 0; j < cols; j++) {
      const value = matrix.values[i * cols + j]!;
      if (value !== 0) {
        at.push(j);
        values.push(value);
      }
    }
    offsets[i + 1] = at.length;
  }
  return { kind: 'sparse', rows, cols, offsets, at: Int32Array.from(at), values: Float64Array.from(values) };
}

/** An intercept, then standard normal columns, the last one a category of 0 and 1. */
export const randomDesign = (rows: number, cols: number, stream: RandomStream): DenseMatrix =>
  dense(rows, cols, (_, j) => (j === 0 ? 1 : j === cols - 1 ? Number(stream.uniform() < 0.3) : stream.normal()));

export const linear = (
  parameter: string,
  design: PredictorSpec & { kind: 'linear' } extends { design: infer D } ? D : never,
  prior: Prior = { kind: 'normal', mean: 0.1, sd: 1.3 },
): PredictorSpec & { kind: 'linear' } => ({
  kind: 'linear',
  parameter,
  design,
  names: Array.from({ length: design.cols }, (_, j) => `x${j}`),
  priors: Array.from({ length: design.cols }, () => prior),
  pools: [],
});

const CONSTANT_PRIORS: Record<string, Prior> = {
  zero: { kind: 'beta', a: 1.5, b: 2 },
  one: { kind: 'uniform', lower: 0, upper: 1 },
  nu: { kind: 'gamma', shape: 2, rate: 0.1 },
  sigma: { kind: 'student_t', df: 3, mean: 0, scale: 2 },
};

export const constant = (parameter: string): PredictorSpec => ({
  kind: 'constant',
  parameter,
  prior: CONSTANT_PRIORS[parameter] ?? { kind: 'exponential', rate: 0.7 },
});

/**
 * y drawn from the family itself at small coefficients. Linear predictors for the first `linear` parameters, or for those
 * that it names; constants for the others.
 */
export function randomSpec(
  name: ResponseName,
  rows: number,
  cols: number,
  varying: number | readonly number[],
  stream: RandomStream,
): RegressionSpec {
  const family = familyOf(name);
  const isLinear = (k: number): boolean => (typeof varying === 'number' ? k < varying : varying.includes(k));
  const designs = family.parameters.map(() => randomDesign(rows, cols, stream));
  const eta = new Float64Array(family.parameters.length);
  const y = Float64Array.from({ length: rows }, (_, i) => {
    family.parameters.forEach((_parameter, k) => {
      const row = designs[k]!.values.subarray(i * cols, (i + 1) * cols);
      eta[k] = isLinear(k) ? row.reduce((sum, x, j) => sum + 0.3 * x * Math.cos(j + k), 0) : 0.2 + 0.3 * k;
    });
    return family.draw(eta, stream);
  });
  return {
    family: name,
    y,
    weights: null,
    predictors: family.parameters.map((parameter, k) =>
      isLinear(k) ? linear(parameter.name, designs[k]!) : constant(parameter.name),
    ),
  };
}
