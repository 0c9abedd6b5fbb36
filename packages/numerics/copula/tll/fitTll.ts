/** TLL copula density by local likelihood of normal scores (Geenens, Charpentier and Paindaveine 2017; Nagler 2018). */
import { ascendingRows } from '../../rows.ts';
import { normalPdf, normalQuantile } from '../../special/normal.ts';
import { sortedBy } from '../kendallTau.ts';
import { offEdge, type PairCopula } from '../pairCopula.ts';
import { GRID_SIZE, type Grid, gridOf, gridScores, trapezoidWeights } from './grid.ts';
import { bilinear, gridCopula } from './gridCopula.ts';
import { type KernelMoments, kernelMoments } from './kernelMoments.ts';

const MIN_DENSITY = 1e-10;
const MAX_SCALINGS = 2000;

/** Fits n ≥ 1 continuous pseudo-observations in [0, 1]. */
export function fitTll(u: Float64Array, v: Float64Array, degree: TllDegree): PairCopula {
  const x = normalScores(u);
  const y = normalScores(v);
  const { rho, size } = selectBandwidth(x, y, maximalCorrelationOf(x, y), degree);
  const scores = gridScores(GRID_SIZE);
  const constant = 1 / (2 * Math.PI * size * size * Math.sqrt((1 - rho) * (1 + rho)));
  const fit = localLikelihood(kernelMoments(x, y, rho, size, scores), degree, u.length, constant);
  const grid = gridOf(GRID_SIZE);
  const values = onCopulaScale(fit.density, scores);
  makeMarginsUniform(values, trapezoidWeights(grid.nodes));
  return gridCopula(GRID_SIZE, values, effectiveParameters(fit.leverage, grid, u, v));
}

export const normalScores = (u: Float64Array): Float64Array => u.map((value) => normalQuantile(offEdge(value)));

function onCopulaScale(density: Float64Array, scores: Float64Array): Float64Array {
  const m = scores.length;
  const margin = scores.map(normalPdf);
  return density.map((value, at) => Math.max(value / (margin[Math.floor(at / m)]! * margin[at % m]!), MIN_DENSITY));
}

/** Sinkhorn scaling of margins to 1 by the trapezoid rule. */
function makeMarginsUniform(values: Float64Array, weights: Float64Array): void {
  const m = weights.length;
  const columns = new Float64Array(m);
  for (let step = 0; step < MAX_SCALINGS; step++) {
    columns.fill(0);
    let worst = 0;
    for (let i = 0; i < m; i++) {
      let sum = 0;
      for (let j = 0; j < m; j++) sum += values[i * m + j]! * weights[j]!;
      worst = Math.max(worst, Math.abs(sum - 1));
      for (let j = 0; j < m; j++) {
        const value = values[i * m + j]! / sum;
        values[i * m + j] = value;
        columns[j]! += value * weights[i]!;
      }
    }
    for (let i = 0; i < m; i++) for (let j = 0; j < m; j++) values[i * m + j]! /= columns[j]!;
    if (worst < 1e-14) return;
  }
}

/**
 * Sums interpolated leverages (1 to n). Ignores nodes with less than one row's kernel mass, whose leverage exceeds 1.
 */
function effectiveParameters(leverage: Float64Array, { nodes, find }: Grid, u: Float64Array, v: Float64Array): number {
  const whole = leverage.map((value) => (value <= 1 ? 1 : 0));
  const sumAt = bilinear(
    nodes,
    leverage.map((value) => (value <= 1 ? value : 0)),
    find,
  );
  const shareAt = bilinear(nodes, whole, find);
  let sum = 0;
  for (let i = 0; i < u.length; i++) {
    const share = shareAt(u[i]!, v[i]!);
    sum += share > 0 ? sumAt(u[i]!, v[i]!) / share : 1;
  }
  return Math.max(1, sum);
}

// Log-polynomial density of degree 0, 1 or 2 (Hjort and Jones 1996; Loader 1996). A Gaussian kernel gives closed forms
// for kernel estimate f, local mean m and covariance S in kernel deviations: degree 0: f; degree 1: f exp(-½ m'm);
// degree 2: f |S|^-½ exp(-½ m'S⁻¹m).

/** Minimum data, in kernel masses. */
const MIN_MASS = 1e-12;

interface LocalFit {
  /** By node; 0 without nearby data. */
  density: Float64Array;
  /** K(0) [M⁻¹]₁₁ / n, where M is the local information. */
  leverage: Float64Array;
}

/**
 * `constant`: K(0) on the normal scale. By Hermite's reproducing kernel, [M⁻¹]₁₁ f = 1, 1 + r², 2 + r⁴/2 by degree, r²
 * = m'S⁻¹m.
 */
function localLikelihood(moments: KernelMoments, degree: TllDegree, rows: number, constant: number): LocalFit {
  const count = moments.sum.length;
  const density = new Float64Array(count);
  const leverage = new Float64Array(count).fill(Number.POSITIVE_INFINITY);
  for (let at = 0; at < count; at++) {
    const sum = moments.sum[at]!;
    if (!(sum > MIN_MASS)) continue;
    const shape: [number, number] = degree === 'constant' ? [1, 1] : localShape(moments, at, sum, degree);
    density[at] = (sum * constant * shape[0]) / rows;
    leverage[at] = shape[1] / sum;
  }
  return { density, leverage };
}

function localShape(moments: KernelMoments, at: number, sum: number, degree: TllDegree): [number, number] {
  const m1 = moments.first1[at]! / sum;
  const m2 = moments.first2[at]! / sum;
  if (degree === 'linear') {
    const r2 = m1 * m1 + m2 * m2;
    return [Math.exp(-0.5 * r2), 1 + r2];
  }
  const s11 = moments.second11[at]! / sum - m1 * m1;
  const s12 = moments.second12[at]! / sum - m1 * m2;
  const s22 = moments.second22[at]! / sum - m2 * m2;
  const determinant = s11 * s22 - s12 * s12;
  if (!(determinant > 1e-8 && s11 > 0)) return [0, Number.POSITIVE_INFINITY];
  const r2 = (s22 * m1 * m1 - 2 * s12 * m1 * m2 + s11 * m2 * m2) / determinant;
  return [Math.exp(-0.5 * r2) / Math.sqrt(determinant), 2 + 0.5 * r2 * r2];
}

// Maximal correlation of ranks (Breiman and Friedman 1985) shrinks the bandwidth if dependence is stronger than
// correlation.

const MAX_ITERATIONS = 60;
const TOLERANCE = 1e-7;

/** For n values each, in [0, 1]. Tries two orders of ties and returns the larger result. */
export function maximalCorrelationOf(x: Float64Array, y: Float64Array): number {
  const rows = ascendingRows(x.length);
  const [orderX, orderY] = [sortedBy(x, rows), sortedBy(y, rows)];
  const asTheyCome = maximalCorrelation(orderX, orderY);
  if (!hasTies(x, orderX) && !hasTies(y, orderY)) return asTheyCome;
  const against = maximalCorrelation(sortedBy(x, orderY.toReversed()), orderY);
  return Math.max(asTheyCome, against);
}

const hasTies = (values: Float64Array, order: Int32Array): boolean =>
  order.some((row, at) => at > 0 && values[row] === values[order[at - 1]!]);

/** `orderU`, `orderV`: sorted rows. In [0, 1]; 0 below 10 rows. */
export function maximalCorrelation(orderU: Int32Array, orderV: Int32Array): number {
  const n = orderU.length;
  if (n < 10) return 0;
  const half = Math.ceil(n / 5);
  const f = new Float64Array(n);
  const g = new Float64Array(n);
  const sums = new Float64Array(n + 1);
  for (let i = 0; i < n; i++) f[orderU[i]!] = i;
  standardise(f);
  let last = 0;
  for (let step = 0; step < MAX_ITERATIONS; step++) {
    smooth(f, orderV, half, sums, g);
    smooth(g, orderU, half, sums, f);
    let product = 0;
    for (let i = 0; i < n; i++) product += f[i]! * g[i]!;
    const correlation = product / n;
    // Signs may flip.
    if (Math.abs(correlation - last) < TOLERANCE) return Math.abs(correlation);
    last = correlation;
  }
  return Math.abs(last);
}

function smooth(from: Float64Array, order: Int32Array, half: number, sums: Float64Array, to: Float64Array): void {
  const n = order.length;
  for (let i = 0; i < n; i++) sums[i + 1] = sums[i]! + from[order[i]!]!;
  const width = 2 * half + 1;
  for (let i = 0; i < n; i++) {
    const centre = i < half ? half : Math.min(i, n - 1 - half);
    to[order[i]!] = (sums[centre + half + 1]! - sums[centre - half]!) / width;
  }
  standardise(to);
}

function standardise(x: Float64Array): void {
  const n = x.length;
  let sum = 0;
  let squares = 0;
  for (let i = 0; i < n; i++) sum += x[i]!;
  const mean = sum / n;
  for (let i = 0; i < n; i++) squares += (x[i]! - mean) ** 2;
  const scale = squares > 0 ? 1 / Math.sqrt(squares / n) : 0;
  for (let i = 0; i < n; i++) x[i] = (x[i]! - mean) * scale;
}

/** Rule-of-thumb bandwidth (Nagler 2014, 2018, "kdecopula", section 3.4): B = size² [[1, ρ], [ρ, 1]]. */
export type TllDegree = 'constant' | 'linear' | 'quadratic';

const MAX_CORRELATION = 0.99995;

interface Bandwidth {
  rho: number;
  size: number;
}

function selectBandwidth(x: Float64Array, y: Float64Array, maximal: number, degree: TllDegree): Bandwidth {
  const n = x.length;
  const correlation = correlationOf(x, y);
  const rho = Math.min(Math.max(correlation, -MAX_CORRELATION), MAX_CORRELATION);
  const shrink = maximal > 0 ? (Math.abs(rho) / maximal) ** (0.5 * maximal) : 1;
  const base = degree === 'constant' ? n ** (-1 / 3) : 1.5 * n ** (degree === 'linear' ? -1 / 3 : -1 / 5);
  return { rho, size: Math.sqrt(base * Math.min(Math.max(shrink, 0.05), 2)) };
}

function correlationOf(x: Float64Array, y: Float64Array): number {
  let [sumX, sumY] = [0, 0];
  for (let i = 0; i < x.length; i++) {
    sumX += x[i]!;
    sumY += y[i]!;
  }
  const [meanX, meanY] = [sumX / x.length, sumY / x.length];
  let [xx, xy, yy] = [0, 0, 0];
  for (let i = 0; i < x.length; i++) {
    const a = x[i]! - meanX;
    const b = y[i]! - meanY;
    xx += a * a;
    xy += a * b;
    yy += b * b;
  }
  return xx > 0 && yy > 0 ? xy / Math.sqrt(xx * yy) : 0;
}
