/**
 * Sufficient statistics per group of equal σ. Least-squares residuals r avoid cancellation. n rows, p columns of X, q
 * of σ's design.
 */
import type { ResponseName } from '../distributions/families.ts';
import { cholesky, solveCholesky } from '../linalg/dense.ts';
import { gramOfRows } from './designGram.ts';
import { addTransposed, multiplyRows } from './designProducts.ts';
import type { Matrix, RegressionSpec } from './spec.ts';

export interface GaussianGroup {
  /** Σ w. */
  weight: number;
  /** XᵀWX, p × p. */
  gram: Float64Array;
  /** XᵀWr, p. */
  cross: Float64Array;
  /** rᵀWr. */
  rss: number;
  /** Row of σ's design (q); null if σ is constant. */
  sigmaRow: Float64Array | null;
}

export interface GaussianStatistics {
  /** Coefficients of the residuals (p). */
  centre: Float64Array;
  groups: GaussianGroup[];
  /** Added to the log likelihood: -Σ w log y for a lognormal. */
  constant: number;
}

/** Beyond this, or p² per group beyond n p, statistics cost more than rows. */
const MAX_GROUPS = 64;

/** Undefined for other families, or if statistics are not cheap. */
export function gaussianStatistics(spec: RegressionSpec): GaussianStatistics | undefined {
  const [mu, sigma] = spec.predictors;
  if (!(spec.family === 'gaussian' || spec.family === 'lognormal') || mu?.kind !== 'linear' || !sigma) return undefined;
  const members = sigma.kind === 'linear' ? groupRows(sigma.design, mu.design.cols) : [null];
  if (members === undefined || members.length === 0) return undefined;
  const isLog = spec.family === 'lognormal';
  const y = isLog ? spec.y.map(Math.log) : spec.y;
  const weights = spec.weights ?? new Float64Array(y.length).fill(1);
  const groups = members.map((rows): GaussianGroup => {
    const sigmaRow = sigma.kind === 'linear' ? denseRow(sigma.design, rows![0]!) : null;
    const gram = gramOfRows(mu.design, weights, rows);
    return { weight: 0, gram, cross: new Float64Array(mu.design.cols), rss: 0, sigmaRow };
  });
  const centre = leastSquares(mu.design, y, weights, groups);
  fillResiduals(mu.design, y, weights, centre, groups, members);
  return { centre, groups, constant: isLog ? -sumOfProducts(weights, y) : 0 };
}

const sumOfProducts = (w: Float64Array, x: Float64Array): number => w.reduce((sum, wi, i) => sum + wi * x[i]!, 0);

function groupRows(design: Matrix, p: number): Int32Array[] | undefined {
  const limit = Math.min(MAX_GROUPS, design.rows / (4 * p));
  const groups = new Map<string, number[]>();
  for (let i = 0; i < design.rows; i++) {
    const key = denseRow(design, i).join();
    const rows = groups.get(key);
    if (rows) rows.push(i);
    else if (groups.size + 1 > limit) return undefined;
    else groups.set(key, [i]);
  }
  return [...groups.values()].map((rows) => Int32Array.from(rows));
}

function denseRow(design: Matrix, i: number): Float64Array {
  if (design.kind === 'dense') return design.values.slice(i * design.cols, (i + 1) * design.cols);
  const row = new Float64Array(design.cols);
  for (let k = design.offsets[i]!; k < design.offsets[i + 1]!; k++) row[design.at[k]!] = design.values[k]!;
  return row;
}

/** Any solution will do, so a small ridge settles aliased columns. */
function leastSquares(x: Matrix, y: Float64Array, w: Float64Array, groups: readonly GaussianGroup[]): Float64Array {
  const p = x.cols;
  const gram = new Float64Array(p * p);
  for (const group of groups) for (let k = 0; k < p * p; k++) gram[k]! += group.gram[k]!;
  const scale = Float64Array.from({ length: p }, (_, j) => 1 / Math.sqrt(gram[j * p + j]! || 1));
  const scaled = gram.map((entry, k) => entry * scale[Math.floor(k / p)]! * scale[k % p]!);
  const right = new Float64Array(p);
  forEachBlock(x.rows, (from, count) => {
    const wy = new Float64Array(count);
    for (let i = 0; i < count; i++) wy[i] = w[from + i]! * y[from + i]!;
    addTransposed(x, from, count, wy, right, 0);
  });
  for (let ridge = 1e-12; ridge < 1; ridge *= 100) {
    const damped = scaled.slice();
    for (let j = 0; j < p; j++) damped[j * p + j] = 1 + ridge;
    const factor = cholesky(damped, p);
    if (!factor) continue;
    const solution = solveCholesky(
      factor,
      p,
      right.map((value, j) => value * scale[j]!),
    );
    if (solution.every(Number.isFinite)) return solution.map((value, j) => value * scale[j]!);
  }
  return new Float64Array(p);
}

function fillResiduals(
  x: Matrix,
  y: Float64Array,
  w: Float64Array,
  centre: Float64Array,
  groups: readonly GaussianGroup[],
  members: readonly (Int32Array | null)[],
): void {
  const groupOf = new Uint8Array(x.rows);
  members.forEach((rows, g) => {
    for (const row of rows ?? []) groupOf[row] = g;
  });
  const fitted = new Float64Array(BLOCK);
  const pull = new Float64Array(1);
  forEachBlock(x.rows, (from, count) => {
    multiplyRows(x, from, count, centre, 0, fitted);
    for (let i = 0; i < count; i++) {
      const group = groups[groupOf[from + i]!]!;
      const weight = w[from + i]!;
      const residual = y[from + i]! - fitted[i]!;
      pull[0] = weight * residual;
      group.rss += weight * residual * residual;
      group.weight += weight;
      addTransposed(x, from + i, 1, pull, group.cross, 0);
    }
  });
}

const BLOCK = 512;

function forEachBlock(rows: number, visit: (from: number, count: number) => void): void {
  for (let from = 0; from < rows; from += BLOCK) visit(from, Math.min(BLOCK, rows - from));
}

export const isSummed = (family: ResponseName): boolean => family === 'gaussian' || family === 'lognormal';
