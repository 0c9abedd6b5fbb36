/** Householder QR with column pivoting (Businger and Golub, 1965): which columns of a matrix add nothing to the others. */

/** The factors that say which columns add nothing to the others. */
export interface PivotedQr {
  /** Columns in pivoting order: the first `rank` are independent, the others combinations of them. */
  order: Int32Array;
  rank: number;
  /** Upper triangle of R for the permuted columns, cols × cols row-major: A P = Q R. */
  r: Float64Array;
}

/**
 * Householder QR with column pivoting (Businger and Golub, 1965) of `a` (rows × cols, row-major; left unchanged). The rank counts pivots above `tolerance` times the first.
 * Columns should be on one scale, or the tolerance has no meaning.
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

/** Columns as arrays of their own. */
function transposed(a: Float64Array, rows: number, cols: number): Float64Array[] {
  return Array.from({ length: cols }, (_, j) => Float64Array.from({ length: rows }, (__, i) => a[i * cols + j]!));
}

function squaredNorm(column: Float64Array, from: number): number {
  let sum = 0;
  for (let i = from; i < column.length; i++) sum += column[i]! * column[i]!;
  return sum;
}

/** Brings the column of the largest remaining norm to place k; the first of equals, so that the order is stable. */
function swapLargestTo(k: number, norms: Float64Array, work: Float64Array[], order: Int32Array): void {
  let best = k;
  for (let j = k + 1; j < norms.length; j++) if (norms[j]! > norms[best]!) best = j;
  [work[k], work[best]] = [work[best]!, work[k]!];
  [norms[k], norms[best]] = [norms[best]!, norms[k]!];
  [order[k], order[best]] = [order[best]!, order[k]!];
}

/** Reflects column k onto its axis and applies the reflection to the columns right of it. Returns R's entry (k, k). */
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

/** Rows of R below the rank are zero to the tolerance, and set to zero. */
function upperTriangle(work: Float64Array[], diagonal: Float64Array, rank: number): Float64Array {
  const cols = work.length;
  const r = new Float64Array(cols * cols);
  for (let i = 0; i < rank; i++) {
    r[i * cols + i] = diagonal[i]!;
    for (let j = i + 1; j < cols; j++) r[i * cols + j] = work[j]![i]!;
  }
  return r;
}
