/** Cholesky factors of symmetric matrices. Matrices are row-major: entry (i, j) of n × n is `a[i * n + j]`. */

/**
 * The lower triangular L (n × n, zeros above) with L Lᵀ = A. Reads the lower triangle of `a` (n × n) only.
 * Undefined where A is not positive definite: a pivot is not above `tolerance` times its diagonal entry.
 */
export function cholesky(a: Float64Array, n: number, tolerance = 1e-14): Float64Array | undefined {
  const l = new Float64Array(n * n);
  for (let i = 0; i < n; i++) {
    const rowI = i * n;
    for (let j = 0; j < i; j++) {
      const rowJ = j * n;
      let sum = a[rowI + j]!;
      for (let k = 0; k < j; k++) sum -= l[rowI + k]! * l[rowJ + k]!;
      l[rowI + j] = sum / l[rowJ + j]!;
    }
    const diagonal = a[rowI + i]!;
    let pivot = diagonal;
    for (let k = 0; k < i; k++) pivot -= l[rowI + k]! * l[rowI + k]!;
    if (!(pivot > tolerance * diagonal)) return undefined;
    l[rowI + i] = Math.sqrt(pivot);
  }
  return l;
}

/** Solves A x = b (n) given the factor L (n × n) of A. */
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
