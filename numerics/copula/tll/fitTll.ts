/**
 * TLL: a copula density by local likelihood on the normal scale (Geenens, Charpentier and Paindaveine, 2017; Nagler,
 * 2018), on a grid of 30 × 30, its margins made uniform to rounding.
 */
import { normalPdf, normalQuantile } from '../../special/normal.ts';
import type { PairCopula } from '../pairCopula.ts';
import { offEdge } from '../pairFamily.ts';
import { selectBandwidth, type TllDegree } from './bandwidth.ts';
import { GRID_SIZE, type Grid, gridOf, gridScores, trapezoidWeights } from './grid.ts';
import { bilinear, gridCopula } from './gridCopula.ts';
import { kernelMoments } from './kernelMoments.ts';
import { localLikelihood } from './localLikelihood.ts';
import { maximalCorrelationOf } from './maximalCorrelation.ts';

/** Densities below this are raised to it, so that every row and column can be scaled to mass 1. */
const LEAST_DENSITY = 1e-10;
const MOST_SCALINGS = 2000;

/** Fits continuous pseudo-observations in (0, 1). Weights are positive; null: all equal. n ≥ 1. */
export function fitTll(u: Float64Array, v: Float64Array, weights: Float64Array | null, degree: TllDegree): PairCopula {
  const x = normalScores(u);
  const y = normalScores(v);
  const { total, effective } = weightSums(u.length, weights);
  const { rho, size } = selectBandwidth(x, y, maximalCorrelationOf(x, y), weights, degree, effective);
  const scores = gridScores(GRID_SIZE);
  const constant = 1 / (2 * Math.PI * size * size * Math.sqrt((1 - rho) * (1 + rho)));
  const fit = localLikelihood(kernelMoments(x, y, weights, rho, size, scores), degree, total, constant);
  const grid = gridOf(GRID_SIZE);
  const values = onCopulaScale(fit.density, scores);
  makeMarginsUniform(values, trapezoidWeights(grid.nodes));
  return gridCopula(GRID_SIZE, values, effectiveParameters(fit.leverage, grid, u, v, weights));
}

export const normalScores = (u: Float64Array): Float64Array => u.map((value) => normalQuantile(offEdge(value)));

/** Σ w and (Σ w)² / Σ w². */
function weightSums(n: number, weights: Float64Array | null): { total: number; effective: number } {
  if (weights === null) return { total: n, effective: n };
  let [total, squares] = [0, 0];
  for (const w of weights) {
    total += w;
    squares += w * w;
  }
  return { total, effective: (total * total) / squares };
}

/** Divides by the normal margins. */
function onCopulaScale(density: Float64Array, scores: Float64Array): Float64Array {
  const m = scores.length;
  const margin = scores.map(normalPdf);
  return density.map((value, at) => Math.max(value / (margin[Math.floor(at / m)]! * margin[at % m]!), LEAST_DENSITY));
}

/** Sinkhorn's scaling of rows and columns in turn until both integrate to 1 by the trapezoid rule. In place. */
export function makeMarginsUniform(values: Float64Array, weights: Float64Array): void {
  const m = weights.length;
  const columns = new Float64Array(m);
  for (let step = 0; step < MOST_SCALINGS; step++) {
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
 * Σ of the rows' leverages, interpolated between nodes. A node with less than one row's kernel mass would have a leverage
 * above 1: it counts as no node, since rows beside it get theirs from the nodes they feed. From 1 to n.
 */
function effectiveParameters(
  leverage: Float64Array,
  { nodes, find }: Grid,
  u: Float64Array,
  v: Float64Array,
  weights: Float64Array | null,
): number {
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
    const own = share > 0 ? sumAt(u[i]!, v[i]!) / share : 1;
    sum += weights === null ? own : Math.min(1, weights[i]! * own);
  }
  return Math.max(1, sum);
}
