/**
 * A stand-in for the posterior of a Gaussian regression: coefficients at their conditional posterior mean, the scales of
 * pools and noise by the evidence (MacKay, 1992): τ² = Σ (β_j / sd_j)² / γ, γ the parameters that the data determine.
 */
import { cholesky, solveCholesky, solveLower } from '../../../../packages/numerics/linalg/dense.ts';
import { forEachEntry } from '../../../../packages/numerics/regression/design/findAliased.ts';
import type { DesignPriors } from '../../../../packages/numerics/regression/planRegression.ts';
import type { Matrix } from '../../../../packages/numerics/regression/spec.ts';

export interface EvidenceRidge {
  coefficients: Float64Array;
  /** Noise variance of each group of rows. */
  variances: Float64Array;
  /** Cholesky factor of the posterior precision, p × p. */
  factor: Float64Array;
  /** Learnt scale of each pool. */
  scales: number[];
  /** Parameters that the data determine. */
  determined: number;
}

interface GroupGram {
  n: number;
  xx: Float64Array;
  xy: Float64Array;
  yy: number;
}

/** @param groups a code a row: rows of one code share a noise variance. */
export function evidenceRidge(
  x: Matrix,
  y: Float64Array,
  { priors, pools }: DesignPriors,
  groups: Int32Array = new Int32Array(y.length),
  iterations = 15,
): EvidenceRidge {
  const p = x.cols;
  const grams = gramsOf(x, y, groups);
  const poolSds = pools.map(({ sds }) => sds);
  const means = Float64Array.from(priors, (prior) => (prior.kind === 'normal' ? prior.mean : 0));
  const precision = Float64Array.from(priors, (prior) => (prior.kind === 'normal' ? 1 / prior.sd ** 2 : 0));
  for (const { columns } of pools) for (const j of columns) means[j] = 0;
  const mean = y.reduce((sum, value) => sum + value, 0) / y.length;
  const spread = y.reduce((sum, value) => sum + (value - mean) ** 2, 0) / y.length;
  let variances = Float64Array.from(grams, () => Math.max(spread / 2, 1e-12));
  let scales = pools.map((pool) => (pool.scale.kind === 'student_t' ? pool.scale.scale : 1) / 4);
  for (let iteration = 0; ; iteration++) {
    pools.forEach(({ columns }, k) => {
      columns.forEach((j, i) => {
        precision[j] = 1 / (scales[k]! * poolSds[k]![i]!) ** 2;
      });
    });
    const a = new Float64Array(p * p);
    const b = precision.map((value, j) => value * means[j]!);
    grams.forEach(({ xx, xy }, g) => {
      const weight = 1 / variances[g]!;
      for (let k = 0; k < a.length; k++) a[k]! += weight * xx[k]!;
      for (let j = 0; j < p; j++) b[j]! += weight * xy[j]!;
    });
    for (let j = 0; j < p; j++) a[j * p + j]! += precision[j]!;
    const factor = cholesky(a, p);
    if (!factor) throw new Error('the posterior precision is not positive definite');
    const coefficients = solveCholesky(factor, p, b);
    const inverse = invert(factor, p);
    const determined = precision.reduce((sum, value, j) => sum + 1 - value * inverse[j * p + j]!, 0);
    if (iteration === iterations) return { coefficients, variances, factor, scales, determined };
    scales = pools.map(({ columns }, k) => {
      let squares = 1e-12;
      let gamma = 1e-6;
      columns.forEach((j, i) => {
        squares += (coefficients[j]! / poolSds[k]![i]!) ** 2;
        gamma += 1 - precision[j]! * inverse[j * p + j]!;
      });
      return Math.max(Math.sqrt(squares / gamma), 1e-4 * scales[k]!);
    });
    variances = Float64Array.from(grams, ({ n, xx, xy, yy }, g) => {
      let fitted = 0;
      let used = 0;
      for (let i = 0; i < p; i++) {
        let row = 0;
        for (let j = 0; j < p; j++) {
          row += xx[i * p + j]! * coefficients[j]!;
          used += xx[i * p + j]! * inverse[i * p + j]!;
        }
        fitted += coefficients[i]! * (row - 2 * xy[i]!);
      }
      const rss = Math.max(yy + fitted, 0);
      return Math.max(rss / n / Math.max(1 - used / variances[g]! / n, 0.05), 1e-12 * spread + 1e-300);
    });
  }
}

/** Means at the rows of a matrix. */
export function predictRidge({ coefficients }: EvidenceRidge, x: Matrix): Float64Array {
  const out = new Float64Array(x.rows);
  forEachEntry(x, (row, column, value) => {
    out[row]! += value * coefficients[column]!;
  });
  return out;
}

/** Variances of the means at the rows of a matrix. */
export function meanVariances({ factor }: EvidenceRidge, x: Matrix): Float64Array {
  const p = x.cols;
  const rows = Array.from({ length: x.rows }, () => new Map<number, number>());
  forEachEntry(x, (row, column, value) => rows[row]!.set(column, value));
  return Float64Array.from(rows, (entries) => {
    const dense = new Float64Array(p);
    for (const [column, value] of entries) dense[column] = value;
    return solveLower(factor, p, dense).reduce((sum, value) => sum + value * value, 0);
  });
}

function gramsOf(x: Matrix, y: Float64Array, groups: Int32Array): GroupGram[] {
  const count = groups.reduce((most, group) => Math.max(most, group), 0) + 1;
  const p = x.cols;
  const grams = Array.from({ length: count }, () => ({
    n: 0,
    xx: new Float64Array(p * p),
    xy: new Float64Array(p),
    yy: 0,
  }));
  const columns: number[] = [];
  const values: number[] = [];
  let open = 0;
  const close = () => {
    const gram = grams[groups[open]!]!;
    gram.n++;
    gram.yy += y[open]! ** 2;
    for (let a = 0; a < columns.length; a++) {
      gram.xy[columns[a]!]! += values[a]! * y[open]!;
      for (let b = 0; b < columns.length; b++) gram.xx[columns[a]! * p + columns[b]!]! += values[a]! * values[b]!;
    }
    columns.length = 0;
    values.length = 0;
  };
  forEachEntry(x, (row, column, value) => {
    if (row !== open) close();
    open = row;
    columns.push(column);
    values.push(value);
  });
  close();
  return grams;
}

/** (L Lᵀ)⁻¹. */
function invert(factor: Float64Array, p: number): Float64Array {
  const lower = new Float64Array(p * p);
  for (let j = 0; j < p; j++) {
    lower[j * p + j] = 1 / factor[j * p + j]!;
    for (let i = j + 1; i < p; i++) {
      let sum = 0;
      for (let k = j; k < i; k++) sum -= factor[i * p + k]! * lower[k * p + j]!;
      lower[i * p + j] = sum / factor[i * p + i]!;
    }
  }
  const inverse = new Float64Array(p * p);
  for (let k = 0; k < p; k++) {
    for (let i = 0; i <= k; i++) {
      const value = lower[k * p + i]!;
      if (value !== 0) for (let j = 0; j <= i; j++) inverse[i * p + j]! += value * lower[k * p + j]!;
    }
  }
  for (let i = 0; i < p; i++) for (let j = 0; j < i; j++) inverse[j * p + i] = inverse[i * p + j]!;
  return inverse;
}
