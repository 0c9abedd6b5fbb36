/** A design whose columns have mean square 1 and are uncorrelated, so that a first-order optimiser needs few steps. */
import { cholesky } from '../../linalg/cholesky.ts';

/** Added to the unit diagonal: columns that others already say become short instead of unbounded. */
const RIDGE = 1e-6;

/**
 * An intercept, then `columns` (each of length n, finite) centred, scaled and combined: n × p row-major, p at most one
 * more than there are columns. Columns that do not vary are left out.
 */
export function whiten(columns: readonly Float64Array[], n: number): { design: Float64Array; cols: number } {
  const scaled = columns.map(standardised).filter((column) => column !== undefined);
  const p = scaled.length;
  const gram = new Float64Array(p * p);
  for (let a = 0; a < p; a++) for (let b = 0; b <= a; b++) gram[a * p + b] = meanProduct(scaled[a]!, scaled[b]!);
  for (let a = 0; a < p; a++) gram[a * p + a]! += RIDGE;
  const factor = cholesky(gram, p);
  const cols = factor ? p + 1 : 1;
  const design = new Float64Array(n * cols);
  for (let i = 0; i < n; i++) {
    const row = i * cols;
    design[row] = 1;
    if (!factor) continue;
    // Solves L q = x for the row x: q has the identity as its covariance.
    for (let a = 0; a < p; a++) {
      let sum = scaled[a]![i]!;
      for (let b = 0; b < a; b++) sum -= factor[a * p + b]! * design[row + 1 + b]!;
      design[row + 1 + a] = sum / factor[a * p + a]!;
    }
  }
  return { design, cols };
}

/** Of the largest value, the standard deviation below which a column is constant but for rounding. */
const LEAST_SPREAD = 1e-10;

/** Undefined where the column does not vary. */
function standardised(column: Float64Array): Float64Array | undefined {
  const n = column.length;
  let most = 0;
  for (const value of column) most = Math.max(most, Math.abs(value));
  if (!(most > 0)) return undefined;
  let mean = 0;
  for (const value of column) mean += value / most / n;
  let square = 0;
  for (const value of column) square += (value / most - mean) ** 2 / n;
  const sd = Math.sqrt(square);
  return sd > LEAST_SPREAD ? column.map((value) => (value / most - mean) / sd) : undefined;
}

function meanProduct(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!;
  return sum / a.length;
}
