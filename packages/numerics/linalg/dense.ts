/** Dense row-major matrices: entry (i, j) of n × n is `a[i * n + j]`. */
import { choleskyByPanels, dotRows } from './denseKernels.ts';

export function dot(a: Float64Array, b: Float64Array, size = a.length): number {
  let sum = 0;
  for (let i = 0; i < size; i++) sum += a[i]! * b[i]!;
  return sum;
}

/** Minimum rows for WebAssembly. */
const LARGE = 150;

/**
 * Returns the lower triangular L (n × n) with L Lᵀ = A from A's lower triangle. Undefined if a pivot is not above
 * `tolerance` times its diagonal entry.
 */
export function cholesky(a: Float64Array, n: number, tolerance = 1e-14): Float64Array | undefined {
  if (n >= LARGE) return choleskyByPanels(a, n, tolerance);
  const l = new Float64Array(n * n);
  for (let i = 0; i < n; i++) {
    const rowI = i * n;
    let j = 0;
    for (; j + 4 <= i; j += 4) solveFour(a, l, n, rowI, j);
    for (; j < i; j++) l[rowI + j] = (a[rowI + j]! - dotRows(l, rowI, j * n, 0, j)) / l[j * n + j]!;
    const diagonal = a[rowI + i]!;
    const pivot = diagonal - dotRows(l, rowI, rowI, 0, i);
    if (!(pivot > tolerance * diagonal)) return undefined;
    l[rowI + i] = Math.sqrt(pivot);
  }
  return l;
}

function solveFour(a: Float64Array, l: Float64Array, n: number, rowI: number, j: number): void {
  const row0 = j * n;
  const row1 = row0 + n;
  const row2 = row1 + n;
  const row3 = row2 + n;
  let sum0 = 0;
  let sum1 = 0;
  let sum2 = 0;
  let sum3 = 0;
  for (let k = 0; k < j; k++) {
    const x = l[rowI + k]!;
    sum0 += x * l[row0 + k]!;
    sum1 += x * l[row1 + k]!;
    sum2 += x * l[row2 + k]!;
    sum3 += x * l[row3 + k]!;
  }
  const at = rowI + j;
  l[at] = (a[at]! - sum0) / l[row0 + j]!;
  l[at + 1] = (a[at + 1]! - sum1 - dotRows(l, rowI, row1, j, j + 1)) / l[row1 + j + 1]!;
  l[at + 2] = (a[at + 2]! - sum2 - dotRows(l, rowI, row2, j, j + 2)) / l[row2 + j + 2]!;
  l[at + 3] = (a[at + 3]! - sum3 - dotRows(l, rowI, row3, j, j + 3)) / l[row3 + j + 3]!;
}

/** Solves A x = b (n) with L (n × n) from `cholesky`. */
export function solveCholesky(l: Float64Array, n: number, b: Float64Array): Float64Array {
  return solveLowerTransposed(l, n, solveLower(l, n, b));
}

/** Solves L x = b (n). */
export function solveLower(l: Float64Array, n: number, b: Float64Array): Float64Array {
  const x = Float64Array.from(b);
  for (let i = 0; i < n; i++) {
    let sum = x[i]!;
    for (let k = 0; k < i; k++) sum -= l[i * n + k]! * x[k]!;
    x[i] = sum / l[i * n + i]!;
  }
  return x;
}

/** Solves Lᵀ x = b (n). */
export function solveLowerTransposed(l: Float64Array, n: number, b: Float64Array): Float64Array {
  const x = Float64Array.from(b);
  for (let i = n - 1; i >= 0; i--) {
    const value = x[i]! / l[i * n + i]!;
    x[i] = value;
    for (let k = 0; k < i; k++) x[k]! -= l[i * n + k]! * value;
  }
  return x;
}

export interface PivotedQr {
  /** Pivoting order; the first `rank` columns are independent. */
  order: Int32Array;
  rank: number;
  /** Upper triangular R (cols × cols, row-major) with A P = Q R. */
  r: Float64Array;
}

/**
 * Column-pivoted Householder QR (Businger and Golub 1965) of `a` (rows × cols, row-major). Rank counts pivots above
 * `tolerance` times the first; columns need one scale.
 */
export function pivotedQr(a: Float64Array, rows: number, cols: number, tolerance = 1e-7): PivotedQr {
  const work = transposed(a, rows, cols);
  const order = Int32Array.from({ length: cols }, (_, j) => j);
  const norms = Float64Array.from({ length: cols }, (_, j) => squaredNorm(work[j]!, 0));
  const diagonal = new Float64Array(cols);
  const steps = Math.min(rows, cols);
  let rank = 0;
  for (let k = 0; k < steps; k++) {
    swapLargestTo(k, norms, work, order);
    diagonal[k] = reflect(work, k);
    if (Math.abs(diagonal[k]!) <= tolerance * Math.abs(diagonal[0]!)) break;
    rank = k + 1;
    for (let j = k + 1; j < cols; j++) norms[j] = squaredNorm(work[j]!, k + 1);
  }
  return { order, rank, r: upperTriangle(work, diagonal, rank) };
}

function transposed(a: Float64Array, rows: number, cols: number): Float64Array[] {
  return Array.from({ length: cols }, (_, j) => Float64Array.from({ length: rows }, (__, i) => a[i * cols + j]!));
}

function squaredNorm(column: Float64Array, from: number): number {
  let sum = 0;
  for (let i = from; i < column.length; i++) sum += column[i]! * column[i]!;
  return sum;
}

function swapLargestTo(k: number, norms: Float64Array, work: Float64Array[], order: Int32Array): void {
  let best = k;
  for (let j = k + 1; j < norms.length; j++) if (norms[j]! > norms[best]!) best = j;
  [work[k], work[best]] = [work[best]!, work[k]!];
  [norms[k], norms[best]] = [norms[best]!, norms[k]!];
  [order[k], order[best]] = [order[best]!, order[k]!];
}

function reflect(work: Float64Array[], k: number): number {
  const v = work[k]!;
  const norm = Math.sqrt(squaredNorm(v, k));
  if (norm === 0) return 0;
  const alpha = v[k]! > 0 ? -norm : norm;
  v[k]! -= alpha;
  const scale = 2 / squaredNorm(v, k);
  for (let j = k + 1; j < work.length; j++) {
    const column = work[j]!;
    let dot = 0;
    for (let i = k; i < v.length; i++) dot += v[i]! * column[i]!;
    const factor = dot * scale;
    for (let i = k; i < v.length; i++) column[i]! -= factor * v[i]!;
  }
  return alpha;
}

function upperTriangle(work: Float64Array[], diagonal: Float64Array, rank: number): Float64Array {
  const cols = work.length;
  const r = new Float64Array(cols * cols);
  for (let i = 0; i < rank; i++) {
    r[i * cols + i] = diagonal[i]!;
    for (let j = i + 1; j < cols; j++) r[i * cols + j] = work[j]![i]!;
  }
  return r;
}
