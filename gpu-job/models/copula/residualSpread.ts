/** Spread and correlation of residual scores, each pair over the rows where both are there. d = columns. */
import { repairCorrelation } from '../../../numerics/linalg/repairCorrelation.ts';

export interface ResidualSpread {
  /** Factor L (d × d, lower, row-major) with L Lᵀ = covariance of the residuals. */
  factor: Float64Array;
  shrinkage: number;
}

/** Products that are summed, at most: with more columns, fewer rows are looked at. */
const MAX_PRODUCTS = 1e9;
/** Pairs of cells that a correlation needs. */
const LEAST_PAIRS = 4;

export function residualSpread(residuals: readonly Float64Array[]): ResidualSpread {
  const d = residuals.length;
  const sd = residuals.map(spreadOf);
  const stride = Math.max(1, Math.ceil(((residuals[0]?.length ?? 0) * d * d) / 2 / MAX_PRODUCTS));
  const correlation = new Float64Array(d * d);
  residuals.forEach((left, i) => {
    correlation[i * d + i] = 1;
    for (let j = 0; j < i; j++) {
      const r = correlationOf(left, residuals[j]!, stride);
      correlation[i * d + j] = r;
      correlation[j * d + i] = r;
    }
  });
  const { factor, shrinkage } = repairCorrelation(correlation, d);
  return { factor: factor.map((value, k) => value * sd[Math.floor(k / d)]!), shrinkage };
}

/** Root mean square of the numbers; residuals have mean zero by their making. 0 where there is none. */
function spreadOf(column: Float64Array): number {
  let squares = 0;
  let count = 0;
  for (const value of column) {
    if (Number.isNaN(value)) continue;
    squares += value * value;
    count++;
  }
  return count > 0 ? Math.sqrt(squares / count) : 0;
}

/** 0 where too few pairs are there or one of the two is constant on them. */
function correlationOf(left: Float64Array, right: Float64Array, stride: number): number {
  let ll = 0;
  let rr = 0;
  let lr = 0;
  let pairs = 0;
  for (let i = 0; i < left.length; i += stride) {
    const a = left[i]!;
    const b = right[i]!;
    if (Number.isNaN(a) || Number.isNaN(b)) continue;
    ll += a * a;
    rr += b * b;
    lr += a * b;
    pairs++;
  }
  const scale = Math.sqrt(ll * rr);
  return pairs >= LEAST_PAIRS && scale > 0 ? Math.max(-1, Math.min(1, lr / scale)) : 0;
}
