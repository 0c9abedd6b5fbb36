/** Weighted products XᵀWZ in L1 cache blocks, added to row-major targets with rows of `stride`. */
import { type Factor, productsOf } from './blockProducts.ts';
import { BLOCK } from './packed/designKernels.ts';
import type { DenseMatrix, Matrix } from './spec.ts';

/** Adds Xᵀ diag(w) Z at (atX, atZ), and its transpose unless both are the same. X: n × p, Z: n × q. */
export function addWeightedGram(
  x: Factor,
  z: Factor,
  w: Float64Array,
  target: Float64Array,
  stride: number,
  atX: number,
  atZ: number,
): void {
  if (x.kind === 'packed' && x === z && atX === atZ) x.addGram(w, target, stride, atX);
  else if (x.kind === 'packed' || z.kind === 'packed') addUnpacked(x, z, w, target, stride, atX, atZ);
  else if (x.kind === 'dense' && x === z && atX === atZ) addDenseGram(x, w, null, target, stride, atX);
  else addByRows(x, z, w, null, target, stride, atX, atZ);
}

function addUnpacked(
  x: Factor,
  z: Factor,
  w: Float64Array,
  target: Float64Array,
  stride: number,
  atX: number,
  atZ: number,
): void {
  for (let from = 0; from < x.rows; from += BLOCK) {
    const count = Math.min(BLOCK, x.rows - from);
    const own = w.subarray(from, from + count);
    addByRows(denseRows(x, from, count), denseRows(z, from, count), own, null, target, stride, atX, atZ);
  }
}

function denseRows(x: Factor, from: number, rows: number): DenseMatrix {
  const { cols } = x;
  const values = new Float64Array(rows * cols);
  if (x.kind === 'packed') x.unpack(from, rows, values);
  else if (x.kind === 'dense') values.set(x.values.subarray(from * cols, (from + rows) * cols));
  else
    for (let i = 0; i < rows; i++)
      for (let k = x.offsets[from + i]!; k < x.offsets[from + i + 1]!; k++) values[i * cols + x.at[k]!] = x.values[k]!;
  return { kind: 'dense', rows, cols, values };
}

/** Xᵀ diag(w) X (p × p) over `rows`, null for all. */
export function gramOfRows(x: Matrix, w: Float64Array, rows: Int32Array | null): Float64Array {
  const gram = new Float64Array(x.cols * x.cols);
  if (x.kind === 'dense') addDenseGram(x, w, rows, gram, x.cols, 0);
  else addByRows(x, x, w, rows, gram, x.cols, 0, 0);
  return gram;
}

/** Adds Xᵀw to target[at + j, to] and target[to, at + j]. */
export function addWeightedProduct(
  x: Factor,
  w: Float64Array,
  target: Float64Array,
  stride: number,
  at: number,
  to: number,
): void {
  const sums = new Float64Array(x.cols);
  const products = productsOf(x);
  products.begin(sums, 0);
  for (let from = 0; from < x.rows; from += BLOCK) {
    const count = Math.min(BLOCK, x.rows - from);
    for (let i = 0; i < count; i++) products.d[i] = w[from + i]!;
    products.addTransposed(from, count);
  }
  products.finish(sums, 0);
  for (let j = 0; j < x.cols; j++) {
    target[(at + j) * stride + to]! += sums[j]!;
    target[to * stride + at + j]! += sums[j]!;
  }
}

function rowsOf(x: Matrix) {
  if (x.kind === 'sparse') {
    const { offsets, at: columns, values } = x;
    const offset = (i: number) => offsets[i]!;
    return { values, columns, offset, columnOffset: offset, count: (i: number) => offsets[i + 1]! - offsets[i]! };
  }
  const { values, cols } = x;
  const columns = Int32Array.from({ length: cols }, (_, j) => j);
  return { values, columns, offset: (i: number) => i * cols, columnOffset: () => 0, count: () => cols };
}

function addByRows(
  x: Matrix,
  z: Matrix,
  w: Float64Array,
  rows: Int32Array | null,
  target: Float64Array,
  stride: number,
  atX: number,
  atZ: number,
): void {
  const same = atX === atZ;
  const [left, right] = [rowsOf(x), rowsOf(z)];
  const sums = new Float64Array(x.cols * z.cols);
  const total = rows?.length ?? x.rows;
  for (let r = 0; r < total; r++) {
    const i = rows?.[r] ?? r;
    if (w[i] === 0) continue;
    const [fromX, fromZ] = [left.offset(i), right.offset(i)];
    const [columnsX, columnsZ] = [left.columnOffset(i), right.columnOffset(i)];
    const [countX, countZ] = [left.count(i), right.count(i)];
    for (let a = 0; a < countX; a++) {
      const scaled = w[i]! * left.values[fromX + a]!;
      const row = left.columns[columnsX + a]! * z.cols;
      // Columns ascend, so the upper triangle suffices.
      for (let b = same ? a : 0; b < countZ; b++) {
        sums[row + right.columns[columnsZ + b]!]! += scaled * right.values[fromZ + b]!;
      }
    }
  }
  for (let j = 0; j < x.cols; j++) {
    for (let k = same ? j : 0; k < z.cols; k++) {
      const entry = sums[j * z.cols + k]!;
      target[(atX + j) * stride + atZ + k]! += entry;
      if (!same || k !== j) target[(atZ + k) * stride + atX + j]! += entry;
    }
  }
}

function addDenseGram(
  x: DenseMatrix,
  w: Float64Array,
  rows: Int32Array | null,
  target: Float64Array,
  stride: number,
  at: number,
): void {
  const { cols } = x;
  const total = rows?.length ?? x.rows;
  const padded = Math.ceil(cols / 4) * 4;
  const plain = new Float64Array(padded * BLOCK);
  const weighted = new Float64Array(padded * BLOCK);
  const sums = new Float64Array(padded * padded);
  for (let from = 0; from < total; from += BLOCK) {
    pack(x, w, rows, from, Math.min(BLOCK, total - from), plain, weighted);
    for (let a = 0; a < padded; a += 4)
      for (let b = a; b < padded; b += 4) addTile(plain, weighted, a, b, sums, padded);
  }
  for (let j = 0; j < cols; j++) {
    for (let k = j; k < cols; k++) {
      const entry = sums[j * padded + k]!;
      target[(at + j) * stride + at + k]! += entry;
      if (k !== j) target[(at + k) * stride + at + j]! += entry;
    }
  }
}

function pack(
  { values, cols }: DenseMatrix,
  w: Float64Array,
  rows: Int32Array | null,
  from: number,
  count: number,
  plain: Float64Array,
  weighted: Float64Array,
): void {
  for (let j = 0; j < cols; j++) {
    const column = j * BLOCK;
    for (let i = 0; i < count; i++) {
      const row = rows?.[from + i] ?? from + i;
      const value = values[row * cols + j]!;
      plain[column + i] = value;
      weighted[column + i] = value * w[row]!;
    }
    for (let i = count; i < BLOCK; i++) {
      plain[column + i] = 0;
      weighted[column + i] = 0;
    }
  }
}

/** Keeps sixteen sums in registers. */
function addTile(
  plain: Float64Array,
  weighted: Float64Array,
  a: number,
  b: number,
  sums: Float64Array,
  stride: number,
): void {
  let s00 = 0;
  let s01 = 0;
  let s02 = 0;
  let s03 = 0;
  let s10 = 0;
  let s11 = 0;
  let s12 = 0;
  let s13 = 0;
  let s20 = 0;
  let s21 = 0;
  let s22 = 0;
  let s23 = 0;
  let s30 = 0;
  let s31 = 0;
  let s32 = 0;
  let s33 = 0;
  const left = a * BLOCK;
  const right = b * BLOCK;
  for (let i = 0; i < BLOCK; i++) {
    const x0 = weighted[left + i]!;
    const x1 = weighted[left + BLOCK + i]!;
    const x2 = weighted[left + 2 * BLOCK + i]!;
    const x3 = weighted[left + 3 * BLOCK + i]!;
    const z0 = plain[right + i]!;
    const z1 = plain[right + BLOCK + i]!;
    const z2 = plain[right + 2 * BLOCK + i]!;
    const z3 = plain[right + 3 * BLOCK + i]!;
    s00 += x0 * z0;
    s01 += x0 * z1;
    s02 += x0 * z2;
    s03 += x0 * z3;
    s10 += x1 * z0;
    s11 += x1 * z1;
    s12 += x1 * z2;
    s13 += x1 * z3;
    s20 += x2 * z0;
    s21 += x2 * z1;
    s22 += x2 * z2;
    s23 += x2 * z3;
    s30 += x3 * z0;
    s31 += x3 * z1;
    s32 += x3 * z2;
    s33 += x3 * z3;
  }
  const at = a * stride + b;
  sums[at]! += s00;
  sums[at + 1]! += s01;
  sums[at + 2]! += s02;
  sums[at + 3]! += s03;
  sums[at + stride]! += s10;
  sums[at + stride + 1]! += s11;
  sums[at + stride + 2]! += s12;
  sums[at + stride + 3]! += s13;
  sums[at + 2 * stride]! += s20;
  sums[at + 2 * stride + 1]! += s21;
  sums[at + 2 * stride + 2]! += s22;
  sums[at + 2 * stride + 3]! += s23;
  sums[at + 3 * stride]! += s30;
  sums[at + 3 * stride + 1]! += s31;
  sums[at + 3 * stride + 2]! += s32;
  sums[at + 3 * stride + 3]! += s33;
}
