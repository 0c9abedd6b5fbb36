/** Sums of products of sparse design rows: what least squares needs to know of the data. */
import { pivotedQr } from '../../../numerics/linalg/pivotedQr.ts';
import type { DesignRow } from './design.ts';

/** Cross products over n rows. p = width of the design. */
export interface Gram {
  n: number;
  p: number;
  /** XᵀX, p × p, both triangles. */
  xx: Float64Array;
  /** Xᵀy, p. */
  xy: Float64Array;
  /** yᵀy. */
  yy: number;
}

/** Over `rows`; `y[i]` belongs to `rows[i]`. */
export function gramOf(rowAt: (row: number) => DesignRow, rows: Int32Array, y: Float64Array, p: number): Gram {
  const xx = new Float64Array(p * p);
  const xy = new Float64Array(p);
  let yy = 0;
  for (let i = 0; i < rows.length; i++) {
    const { at, values, count } = rowAt(rows[i]!);
    const response = y[i]!;
    yy += response * response;
    for (let a = 0; a < count; a++) {
      const value = values[a]!;
      const base = at[a]! * p;
      xy[at[a]!]! += value * response;
      for (let b = 0; b <= a; b++) xx[base + at[b]!]! += value * values[b]!;
    }
  }
  mirror(xx, p);
  return { n: rows.length, p, xx, xy, yy };
}

/** A row's entries come in ascending order of columns, so the sums stand in the lower triangle. */
function mirror(xx: Float64Array, p: number): void {
  for (let i = 0; i < p; i++) for (let j = 0; j < i; j++) xx[j * p + i] = xx[i * p + j]!;
}

/** Least pivot of the scaled XᵀX: a column within √ of this of the others' span counts as aliased. */
const ALIAS_TOLERANCE = 1e-10;

/** Columns that are neither zero nor combinations of the others, ascending, by pivoted QR of XᵀX scaled to unit diagonal. */
export function independentColumns(gram: Gram): Int32Array {
  const { p, xx } = gram;
  const scale = Float64Array.from({ length: p }, (_, j) => (xx[j * p + j]! > 0 ? 1 / Math.sqrt(xx[j * p + j]!) : 0));
  const scaled = Float64Array.from(xx, (value, k) => value * scale[Math.floor(k / p)]! * scale[k % p]!);
  const { order, rank } = pivotedQr(scaled, p, p, ALIAS_TOLERANCE);
  return order.slice(0, rank).sort();
}
