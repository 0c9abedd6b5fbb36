/**
 * Kernel moments at grid nodes for bandwidth size² [[1, ρ], [ρ, 1]]. The Gaussian kernel factorises in w₁ = z₁, w₂ =
 * (z₂ - ρ z₁) / √(1 - ρ²), where nodes of a row share w₁. Cubic binning preserves moments up to the third and makes
 * sums independent of n. m nodes per axis, G₁ × G₂ bins.
 */

/** Bins per kernel deviation, and reach in deviations. */
const BINS_PER_SD = 8;
const REACH = 8;
const MAX_BINS = 6000;

/** Sums of kernel × powers of displacement in kernel deviations; m × m each. */
export interface KernelMoments {
  sum: Float64Array;
  first1: Float64Array;
  first2: Float64Array;
  second11: Float64Array;
  second12: Float64Array;
  second22: Float64Array;
}

interface Axis {
  low: number;
  step: number;
  bins: number;
}

export function kernelMoments(
  x: Float64Array,
  y: Float64Array,
  rho: number,
  size: number,
  scores: Float64Array,
): KernelMoments {
  const root = Math.sqrt((1 - rho) * (1 + rho));
  const white = new Float64Array(x.length);
  for (let i = 0; i < x.length; i++) white[i] = (y[i]! - rho * x[i]!) / root;
  const axis1 = makeAxis(x, size / BINS_PER_SD);
  const axis2 = makeAxis(white, size / BINS_PER_SD);
  const bins = spread(x, white, axis1, axis2);
  return sumKernels(bins, axis1, axis2, size, scores, rho, root);
}

function makeAxis(values: Float64Array, wanted: number): Axis {
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (const value of values) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  const step = Math.max(wanted, (high - low) / MAX_BINS);
  return { low: low - 2 * step, step, bins: Math.floor((high - low) / step) + 6 };
}

/** Lagrange's cubic weights on 4 × 4 bins. */
function spread(x: Float64Array, y: Float64Array, axis1: Axis, axis2: Axis): Float64Array {
  const bins = new Float64Array(axis1.bins * axis2.bins);
  const across = new Float64Array(4);
  for (let i = 0; i < x.length; i++) {
    const s = (x[i]! - axis1.low) / axis1.step;
    const t = (y[i]! - axis2.low) / axis2.step;
    const [row, column] = [Math.floor(s), Math.floor(t)];
    cubicWeights(t - column, across);
    const [a0, a1, a2, a3] = [across[0]!, across[1]!, across[2]!, across[3]!];
    cubicWeights(s - row, across);
    for (let k = 0; k < 4; k++) {
      const at = (row + k - 1) * axis2.bins + column - 1;
      const w = across[k]!;
      bins[at]! += w * a0;
      bins[at + 1]! += w * a1;
      bins[at + 2]! += w * a2;
      bins[at + 3]! += w * a3;
    }
  }
  return bins;
}

function cubicWeights(f: number, out: Float64Array): void {
  out[0] = (-f * (f - 1) * (f - 2)) / 6;
  out[1] = ((f + 1) * (f - 1) * (f - 2)) / 2;
  out[2] = (-(f + 1) * f * (f - 2)) / 2;
  out[3] = ((f + 1) * f * (f - 1)) / 6;
}

function sumKernels(
  bins: Float64Array,
  axis1: Axis,
  axis2: Axis,
  size: number,
  scores: Float64Array,
  rho: number,
  root: number,
): KernelMoments {
  const m = scores.length;
  const make = () => new Float64Array(m * m);
  const moments = {
    sum: make(),
    first1: make(),
    first2: make(),
    second11: make(),
    second12: make(),
    second22: make(),
  };
  const rows = [0, 1, 2].map(() => new Float64Array(axis2.bins));
  for (let i = 0; i < m; i++) {
    sumRows(bins, axis1, axis2.bins, scores[i]!, size, rows);
    for (let j = 0; j < m; j++) {
      sumColumns(rows, axis2, (scores[j]! - rho * scores[i]!) / root, size, moments, i * m + j);
    }
  }
  return moments;
}

function window(axis: Axis, centre: number, size: number): [number, number] {
  const first = Math.ceil((centre - REACH * size - axis.low) / axis.step);
  const last = Math.floor((centre + REACH * size - axis.low) / axis.step);
  return [Math.max(0, first), Math.min(axis.bins, last + 1)];
}

function sumRows(
  bins: Float64Array,
  axis: Axis,
  columns: number,
  centre: number,
  size: number,
  rows: Float64Array[],
): void {
  const [row0, row1, row2] = [rows[0]!, rows[1]!, rows[2]!];
  row0.fill(0);
  row1.fill(0);
  row2.fill(0);
  const [start, end] = window(axis, centre, size);
  for (let i = start; i < end; i++) {
    const d = (axis.low + i * axis.step - centre) / size;
    const kernel = Math.exp(-0.5 * d * d);
    const at = i * columns;
    for (let j = 0; j < columns; j++) {
      const mass = bins[at + j]!;
      if (mass === 0) continue;
      const k = kernel * mass;
      row0[j]! += k;
      row1[j]! += k * d;
      row2[j]! += k * d * d;
    }
  }
}

function sumColumns(
  rows: Float64Array[],
  axis: Axis,
  centre: number,
  size: number,
  out: KernelMoments,
  at: number,
): void {
  const [row0, row1, row2] = [rows[0]!, rows[1]!, rows[2]!];
  let [sum, first1, first2, second11, second12, second22] = [0, 0, 0, 0, 0, 0];
  const [start, end] = window(axis, centre, size);
  // Neighbouring kernel values have a ratio that falls by a constant factor.
  const delta = axis.step / size;
  const from = (axis.low + start * axis.step - centre) / size;
  const fall = Math.exp(-delta * delta);
  let kernel = Math.exp(-0.5 * from * from);
  let ratio = Math.exp(-delta * (from + 0.5 * delta));
  for (let j = start; j < end; j++) {
    const d = from + (j - start) * delta;
    const k = kernel * row0[j]!;
    const cross = kernel * row1[j]!;
    sum += k;
    first1 += cross;
    first2 += k * d;
    second11 += kernel * row2[j]!;
    second12 += cross * d;
    second22 += k * d * d;
    kernel *= ratio;
    ratio *= fall;
  }
  out.sum[at] = sum;
  out.first1[at] = first1;
  out.first2[at] = first2;
  out.second11[at] = second11;
  out.second12[at] = second12;
  out.second22[at] = second22;
}
