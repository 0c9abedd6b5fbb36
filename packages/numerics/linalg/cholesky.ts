/** Cholesky factors of symmetric matrices. Matrices are row-major: entry (i, j) of n × n is `a[i * n + j]`. */

/**
 * The lower triangular L (n × n, zeros above) with L Lᵀ = A. Reads the lower triangle of `a` (n × n) only.
 * Undefined where A is not positive definite: a pivot is not above `tolerance` times its diagonal entry.
 */
export function cholesky(a: Float64Array, n: number, tolerance = 1e-14): Float64Array | undefined {
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

/** Entries j … j + 3 of a row of L: four products at a time over the columns before them, then what is among them. */
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

function dotRows(l: Float64Array, rowA: number, rowB: number, from: number, to: number): number {
  let sum = 0;
  for (let k = from; k < to; k++) sum += l[rowA + k]! * l[rowB + k]!;
  return sum;
}

/** Solves A x = b (n) given the factor L (n × n) of A that `cholesky` returns. `b` is left unchanged. */
export function solveCholesky(l: Float64Array, n: number, b: Float64Array): Float64Array {
  return solveLowerTransposed(l, n, solveLower(l, n, b));
}

/** Solves L x = b (n) for lower triangular L (n × n). */
export function solveLower(l: Float64Array, n: number, b: Float64Array): Float64Array {
  const x = Float64Array.from(b);
  for (let i = 0; i < n; i++) {
    let sum = x[i]!;
    for (let k = 0; k < i; k++) sum -= l[i * n + k]! * x[k]!;
    x[i] = sum / l[i * n + i]!;
  }
  return x;
}

/** Solves Lᵀ x = b (n) for lower triangular L (n × n). */
export function solveLowerTransposed(l: Float64Array, n: number, b: Float64Array): Float64Array {
  const x = Float64Array.from(b);
  for (let i = n - 1; i >= 0; i--) {
    const value = x[i]! / l[i * n + i]!;
    x[i] = value;
    for (let k = 0; k < i; k++) x[k]! -= l[i * n + k]! * value;
  }
  return x;
}
