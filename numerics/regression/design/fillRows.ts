/** Builds a matrix row by row from what each part of a design puts into it. n rows, p columns. */
import type { DenseMatrix, Matrix, SparseMatrix } from '../spec.ts';

export type Put = (place: number, value: number) => void;

export interface RowFiller {
  /** Entries that `fill` puts into a row. */
  size(row: number): number;
  fill(row: number, put: Put): void;
}

/** Above this share of entries a dense matrix is smaller and faster. */
const DENSE_SHARE = 0.5;

/** The first column is the intercept; fillers put the others, in ascending order of places. */
export function fillRows(fillers: readonly RowFiller[], n: number, p: number): Matrix {
  const offsets = new Int32Array(n + 1);
  for (let row = 0; row < n; row++) {
    let size = 1;
    for (const filler of fillers) size += filler.size(row);
    offsets[row + 1] = offsets[row]! + size;
  }
  return offsets[n]! > DENSE_SHARE * n * p ? fillDense(fillers, n, p) : fillSparse(fillers, p, offsets);
}

function fillDense(fillers: readonly RowFiller[], n: number, p: number): DenseMatrix {
  const values = new Float64Array(n * p);
  let base = 0;
  const put: Put = (place, value) => {
    values[base + place] = value;
  };
  for (let row = 0; row < n; row++) {
    base = row * p;
    put(0, 1);
    for (const filler of fillers) filler.fill(row, put);
  }
  return { kind: 'dense', rows: n, cols: p, values };
}

function fillSparse(fillers: readonly RowFiller[], p: number, offsets: Int32Array): SparseMatrix {
  const n = offsets.length - 1;
  const at = new Int32Array(offsets[n]!);
  const values = new Float64Array(offsets[n]!);
  let next = 0;
  const put: Put = (place, value) => {
    at[next] = place;
    values[next++] = value;
  };
  for (let row = 0; row < n; row++) {
    put(0, 1);
    for (const filler of fillers) filler.fill(row, put);
  }
  return { kind: 'sparse', rows: n, cols: p, offsets, at, values };
}
