/** Repairs a matrix of pairwise correlations that is not positive definite. */
import { cholesky } from './cholesky.ts';

export interface RepairedCorrelation {
  /** Unit diagonal, positive definite, n × n row-major. */
  matrix: Float64Array;
  /** Its Cholesky factor, n × n, lower. */
  factor: Float64Array;
  /** How far it was drawn towards the identity: 0 where nothing had to be done, 1 where nothing is left. */
  shrinkage: number;
}

/** Least pivot of a repaired matrix: below it, a column counts as one that others determine. */
const LEAST_PIVOT = 1e-8;

/**
 * The least shrinkage λ of the series 0, 1e-6, 2e-6, 4e-6, … for which (1 - λ) R + λ I is positive definite.
 * `r`: symmetric with unit diagonal, n × n. Entries that are not finite count as 0.
 */
export function repairCorrelation(r: Float64Array, n: number): RepairedCorrelation {
  for (let shrinkage = 0; ; shrinkage = shrinkage === 0 ? 1e-6 : Math.min(1, shrinkage * 2)) {
    const matrix = shrink(r, n, shrinkage);
    const factor = cholesky(matrix, n, LEAST_PIVOT);
    if (factor) return { matrix, factor, shrinkage };
  }
}

function shrink(r: Float64Array, n: number, shrinkage: number): Float64Array {
  const matrix = new Float64Array(n * n);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) {
      const value = r[i * n + j]!;
      matrix[i * n + j] = i === j ? 1 : Number.isFinite(value) ? (1 - shrinkage) * value : 0;
    }
  }
  return matrix;
}
