/** WebAssembly kernels whose sums keep the order of a plain loop, so results are identical. */
import {
  advance,
  assemble,
  type Code,
  type FunctionCode,
  f64x2,
  get,
  i32,
  repeatWhileBelow,
  set,
  tee,
  whileBelow,
} from '../wasm/assemble.ts';
import { doubles, placeArrays } from '../wasm/placeArrays.ts';

const DOUBLE = 8;
const PAIR = 16;
const PANEL = 4;
const COLUMNS = 8;

/** out[i, m] = Σ_k l[i, k] panel[k, m], m < 4, over rows `stride` bytes apart. Needs a nonempty panel. */
function panelSums(): FunctionCode {
  const [row, last, stride, panel, panelEnd, out, other, x, y, p] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9] as const;
  const sums = [10, 11, 12, 13] as const;
  const add = (sum: number, at: number, from: number): Code => [
    [get(sum), get(at), f64x2.loadSplat(), get(p), f64x2.load(from), f64x2.mul, f64x2.add, set(sum)],
  ];
  return {
    name: 'panelSums',
    parameters: 6,
    locals: ['i32', 'i32', 'i32', 'i32', 'v128', 'v128', 'v128', 'v128'],
    body: whileBelow(row, last, [
      [get(row), tee(x), get(stride), i32.add, tee(other), set(y)],
      [get(panel), set(p), sums.map((sum) => [f64x2.zero, set(sum)])],
      repeatWhileBelow(p, panelEnd, [
        [add(10, x, 0), add(11, x, PAIR), add(12, y, 0), add(13, y, PAIR)],
        [advance(p, PANEL * DOUBLE), advance(x, DOUBLE), advance(y, DOUBLE)],
      ]),
      sums.map((sum, i) => [get(out), get(sum), f64x2.store(i * PAIR)]),
      [advance(out, 2 * PANEL * DOUBLE), get(other), get(stride), i32.add, set(row)],
    ]),
  };
}

/**
 * Solves c[i, m] = -Σ_j l[i, j] c[j, m] / l[i, i] for eight columns. `column`: start of nonzeros; `end`: output row.
 */
function solveBelow(): FunctionCode {
  const [row, last, stride, column, end, x, c] = [0, 1, 2, 3, 4, 5, 6] as const;
  const sums = [7, 8, 9, 10] as const;
  return {
    name: 'solveBelow',
    parameters: 5,
    locals: ['i32', 'i32', 'v128', 'v128', 'v128', 'v128'],
    body: whileBelow(row, last, [
      [get(row), set(x), get(column), set(c), sums.map((sum) => [f64x2.zero, set(sum)])],
      repeatWhileBelow(c, end, [
        sums.map((sum, i) => [
          [get(sum), get(x), f64x2.loadSplat(), get(c), f64x2.load(i * PAIR), f64x2.mul, f64x2.sub, set(sum)],
        ]),
        [advance(c, COLUMNS * DOUBLE), advance(x, DOUBLE)],
      ]),
      sums.map((sum, i) => [get(end), get(sum), get(x), f64x2.loadSplat(), f64x2.div, f64x2.store(i * PAIR)]),
      [advance(end, COLUMNS * DOUBLE), get(row), get(stride), i32.add, set(row)],
    ]),
  };
}

const KERNELS = assemble([panelSums(), solveBelow()]);

export function choleskyByPanels(a: Float64Array, n: number, tolerance: number): Float64Array | undefined {
  // Rows are read in pairs, so one is spare.
  const { kernels, placed } = placeArrays(KERNELS, {
    l: doubles((n + 1) * n),
    panel: doubles(n * PANEL),
    sums: doubles((n + 1) * PANEL),
  });
  const [l, panel, sums] = [placed.l.values, placed.panel.values, placed.sums.values];
  const stride = n * DOUBLE;
  for (let j = 0; j < n; j += PANEL) {
    const width = Math.min(PANEL, n - j);
    if (!factorCorner(a, l, n, j, width, tolerance)) return undefined;
    const below = j + PANEL;
    if (below >= n) break;
    packPanel(l, n, j, panel);
    const [first, last] = [placed.l.at + below * stride, placed.l.at + n * stride];
    if (j === 0) sums.fill(0);
    else kernels.panelSums!(first, last, stride, placed.panel.at, placed.panel.at + j * PANEL * DOUBLE, placed.sums.at);
    finishRows(a, l, n, j, sums);
  }
  return l.slice(0, n * n);
}

/** Returns false for a pivot below tolerance. */
function factorCorner(
  a: Float64Array,
  l: Float64Array,
  n: number,
  j: number,
  width: number,
  tolerance: number,
): boolean {
  for (let i = j; i < j + width; i++) {
    for (let c = j; c < i; c++) l[i * n + c] = (a[i * n + c]! - dotRows(l, i * n, c * n, 0, c)) / l[c * n + c]!;
    const diagonal = a[i * n + i]!;
    const pivot = diagonal - dotRows(l, i * n, i * n, 0, i);
    if (!(pivot > tolerance * diagonal)) return false;
    l[i * n + i] = Math.sqrt(pivot);
  }
  return true;
}

function packPanel(l: Float64Array, n: number, j: number, panel: Float64Array): void {
  const [r0, r1, r2, r3] = [j * n, (j + 1) * n, (j + 2) * n, (j + 3) * n];
  for (let k = 0, to = 0; k < j; k++, to += PANEL) {
    panel[to] = l[r0 + k]!;
    panel[to + 1] = l[r1 + k]!;
    panel[to + 2] = l[r2 + k]!;
    panel[to + 3] = l[r3 + k]!;
  }
}

function finishRows(a: Float64Array, l: Float64Array, n: number, j: number, sums: Float64Array): void {
  const corner = (i: number, k: number): number => l[(j + i) * n + j + k]!;
  const [d0, d1, d2, d3] = [corner(0, 0), corner(1, 1), corner(2, 2), corner(3, 3)];
  const [l10, l20, l21, l30, l31, l32] = [
    corner(1, 0),
    corner(2, 0),
    corner(2, 1),
    corner(3, 0),
    corner(3, 1),
    corner(3, 2),
  ] as const;
  for (let i = j + PANEL, from = 0; i < n; i++, from += PANEL) {
    const at = i * n + j;
    const x0 = (a[at]! - sums[from]!) / d0;
    const x1 = (a[at + 1]! - sums[from + 1]! - x0 * l10!) / d1;
    const x2 = (a[at + 2]! - sums[from + 2]! - (x0 * l20! + x1 * l21!)) / d2;
    const x3 = (a[at + 3]! - sums[from + 3]! - (x0 * l30! + x1 * l31! + x2 * l32!)) / d3;
    l[at] = x0;
    l[at + 1] = x1;
    l[at + 2] = x2;
    l[at + 3] = x3;
  }
}

export function dotRows(l: Float64Array, rowA: number, rowB: number, from: number, to: number): number {
  let sum = 0;
  for (let k = from; k < to; k++) sum += l[rowA + k]! * l[rowB + k]!;
  return sum;
}

/** Diagonal (n) of (L Lᵀ)⁻¹ for lower triangular L. */
export function inverseDiagonal(l: Float64Array, n: number): Float64Array {
  const { kernels, placed } = placeArrays(KERNELS, { l: doubles(n * n), columns: doubles(n * COLUMNS) });
  placed.l.values.set(l.subarray(0, n * n));
  const columns = placed.columns.values;
  const diagonal = new Float64Array(n);
  const stride = n * DOUBLE;
  for (let k = 0; k < n; k += COLUMNS) {
    const below = Math.min(n, k + COLUMNS);
    columns.fill(0);
    for (let i = k; i < below; i++) solveRow(l, n, columns, i, k);
    const row = placed.l.at + below * stride + k * DOUBLE;
    const last = placed.l.at + n * stride;
    const end = placed.columns.at + (below - k) * COLUMNS * DOUBLE;
    kernels.solveBelow!(row, last, stride, placed.columns.at, end);
    for (let m = 0; k + m < below; m++) diagonal[k + m] = squares(columns, m, n - k);
  }
  return diagonal;
}

function solveRow(l: Float64Array, n: number, columns: Float64Array, i: number, k: number): void {
  const own = l[i * n + i]!;
  for (let m = 0; k + m < i; m++) {
    let sum = 0;
    for (let j = k + m; j < i; j++) sum -= l[i * n + j]! * columns[(j - k) * COLUMNS + m]!;
    columns[(i - k) * COLUMNS + m] = sum / own;
  }
  columns[(i - k) * COLUMNS + i - k] = 1 / own;
}

function squares(columns: Float64Array, m: number, rows: number): number {
  let sum = 0;
  for (let i = m; i < rows; i++) sum += columns[i * COLUMNS + m]! * columns[i * COLUMNS + m]!;
  return sum;
}
