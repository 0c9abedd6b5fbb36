/** Effects of the given columns' levels on a column of scores, by ridge regression. p = width of the design. */
import { cholesky, solveCholesky } from '../../../numerics/linalg/cholesky.ts';
import type { ModelTable } from '../model.ts';
import { type Design, rowsOf } from '../shared/design.ts';
import { gramOf } from '../shared/gram.ts';

/** Rows' worth of pull towards no effect. */
const RIDGE = 3;

/**
 * Coefficients (p), the intercept first. `scores` are NaN where a cell is missing; those rows do not count, and of the
 * others every `stride`-th does.
 */
export function categoryEffects(design: Design, table: ModelTable, scores: Float64Array, stride: number): Float64Array {
  const rows = rowsWithScore(scores).filter((_, i) => i % stride === 0);
  const p = design.width;
  const gram = gramOf(
    rowsOf(design, table),
    rows,
    Float64Array.from(rows, (row) => scores[row]!),
    p,
  );
  for (let j = 0; j < p; j++) gram.xx[j * p + j]! += RIDGE;
  const factor = cholesky(gram.xx, p);
  if (!factor) throw new RangeError('the ridge system is not positive definite');
  return solveCholesky(factor, p, gram.xy);
}

function rowsWithScore(scores: Float64Array): Int32Array {
  const rows: number[] = [];
  scores.forEach((score, row) => {
    if (!Number.isNaN(score)) rows.push(row);
  });
  return Int32Array.from(rows);
}

/** Σ effects over one row's levels. */
export function effectOf(effects: Float64Array, row: { at: Int32Array; values: Float64Array; count: number }): number {
  let sum = 0;
  for (let i = 0; i < row.count; i++) sum += effects[row.at[i]!]! * row.values[i]!;
  return sum;
}
