/** Block-wise products. n rows, p columns; `theta` holds p coefficients from entry `at`. */
import type { DenseMatrix, Matrix, SparseMatrix } from './spec.ts';

/** out[i] = Σ_j x[from + i, j] θ[at + j]. */
export function multiplyRows(
  x: Matrix,
  from: number,
  count: number,
  theta: Float64Array,
  at: number,
  out: Float64Array,
): void {
  if (x.kind === 'dense') multiplyDense(x, from, count, theta, at, out);
  else multiplySparse(x, from, count, theta, at, out);
}

/** target[at + j] += Σ_i x[from + i, j] d[i]. */
export function addTransposed(
  x: Matrix,
  from: number,
  count: number,
  d: Float64Array,
  target: Float64Array,
  at: number,
): void {
  if (x.kind === 'dense') addTransposedDense(x, from, count, d, target, at);
  else addTransposedSparse(x, from, count, d, target, at);
}

/** Reads each coefficient once per four rows. */
function multiplyDense(
  { values, cols }: DenseMatrix,
  from: number,
  count: number,
  theta: Float64Array,
  at: number,
  out: Float64Array,
): void {
  let i = 0;
  for (; i + 4 <= count; i += 4) {
    const row0 = (from + i) * cols;
    const row1 = row0 + cols;
    const row2 = row1 + cols;
    const row3 = row2 + cols;
    let sum0 = 0;
    let sum1 = 0;
    let sum2 = 0;
    let sum3 = 0;
    for (let j = 0; j < cols; j++) {
      const b = theta[at + j]!;
      sum0 += values[row0 + j]! * b;
      sum1 += values[row1 + j]! * b;
      sum2 += values[row2 + j]! * b;
      sum3 += values[row3 + j]! * b;
    }
    out[i] = sum0;
    out[i + 1] = sum1;
    out[i + 2] = sum2;
    out[i + 3] = sum3;
  }
  for (; i < count; i++) {
    const row = (from + i) * cols;
    let sum = 0;
    for (let j = 0; j < cols; j++) sum += values[row + j]! * theta[at + j]!;
    out[i] = sum;
  }
}

function addTransposedDense(
  { values, cols }: DenseMatrix,
  from: number,
  count: number,
  d: Float64Array,
  target: Float64Array,
  at: number,
): void {
  let i = 0;
  for (; i + 4 <= count; i += 4) {
    const row0 = (from + i) * cols;
    const row1 = row0 + cols;
    const row2 = row1 + cols;
    const row3 = row2 + cols;
    const d0 = d[i]!;
    const d1 = d[i + 1]!;
    const d2 = d[i + 2]!;
    const d3 = d[i + 3]!;
    for (let j = 0; j < cols; j++) {
      target[at + j]! +=
        values[row0 + j]! * d0 + values[row1 + j]! * d1 + values[row2 + j]! * d2 + values[row3 + j]! * d3;
    }
  }
  for (; i < count; i++) {
    const row = (from + i) * cols;
    const di = d[i]!;
    for (let j = 0; j < cols; j++) target[at + j]! += values[row + j]! * di;
  }
}

function multiplySparse(
  { values, at: columns, offsets }: SparseMatrix,
  from: number,
  count: number,
  theta: Float64Array,
  at: number,
  out: Float64Array,
): void {
  for (let i = 0; i < count; i++) {
    const end = offsets[from + i + 1]!;
    let sum = 0;
    for (let k = offsets[from + i]!; k < end; k++) sum += values[k]! * theta[at + columns[k]!]!;
    out[i] = sum;
  }
}

function addTransposedSparse(
  { values, at: columns, offsets }: SparseMatrix,
  from: number,
  count: number,
  d: Float64Array,
  target: Float64Array,
  at: number,
): void {
  for (let i = 0; i < count; i++) {
    const end = offsets[from + i + 1]!;
    const di = d[i]!;
    for (let k = offsets[from + i]!; k < end; k++) target[at + columns[k]!]! += values[k]! * di;
  }
}

export function rowTimes(matrix: Matrix, row: number, draws: Float32Array | Float64Array, at: number): number {
  let sum = 0;
  if (matrix.kind === 'dense') {
    const base = row * matrix.cols;
    for (let j = 0; j < matrix.cols; j++) sum += matrix.values[base + j]! * draws[at + j]!;
    return sum;
  }
  for (let k = matrix.offsets[row]!; k < matrix.offsets[row + 1]!; k++) {
    sum += matrix.values[k]! * draws[at + matrix.at[k]!]!;
  }
  return sum;
}
