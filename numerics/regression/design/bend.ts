/**
 * How a numeric predictor bends: natural splines without their straight line, whose coefficients under one normal prior
 * N(0, τ²) are a smoothing prior, τ⁻² ∫ f''² (Wahba, 1990; as mixed models: Wood, 2017, section 5.8).
 * n rows, K knots, m = K - 2 columns.
 */
import { solveLower } from '../../linalg/cholesky.ts';
import { chooseKnots } from './chooseKnots.ts';
import { coordinateOf, type KnotCoordinate, knotCoordinate } from './knotCoordinate.ts';
import { naturalBasis, roughnessFactor } from './naturalSpline.ts';

/** Column k at z is (L⁻¹ (d(u(z)) - offset - slope z))_k / norm: orthogonal to 1 and z over the learning rows. */
export interface Bend extends KnotCoordinate {
  offset: number[];
  slope: number[];
  /** So that the columns' variances sum to 1. */
  norm: number;
}

export const columnsOf = (bend: Bend): number => bend.knots.length - 2;

/** @param z standardised values, present cells only. Undefined where they do not have three distinct values. */
export function learnBend(z: Float64Array, mostKnots: number): Bend | undefined {
  const coordinate = knotCoordinate(chooseKnots(Float64Array.from(z).sort(), mostKnots));
  const m = coordinate.knots.length - 2;
  if (m < 1) return undefined;
  const { offset, slope } = regressOnLine(coordinate, z, m);
  const bend: Bend = { ...coordinate, offset, slope, norm: 1 };
  const evaluate = bendEvaluator(bend);
  const out = new Float64Array(m);
  let squares = 0;
  for (const value of z) {
    evaluate(value, out, 0);
    for (const entry of out) squares += entry * entry;
  }
  const norm = Math.sqrt(squares / z.length);
  return norm > 1e-9 ? { ...bend, norm } : undefined;
}

/** A function that writes the m columns at z into `out`, from `at` on. */
export function bendEvaluator(bend: Bend): (z: number, out: Float64Array, at: number) => void {
  const knots = bend.knots.length;
  const m = knots - 2;
  const inverse = inverseLower(roughnessFactor(knots), m);
  const d = new Float64Array(m);
  return (z, out, at) => {
    naturalBasis(coordinateOf(bend, z), knots, d);
    for (let j = 0; j < m; j++) d[j]! -= bend.offset[j]! + bend.slope[j]! * z;
    for (let k = 0; k < m; k++) {
      let sum = 0;
      for (let j = 0; j <= k; j++) sum += inverse[k * m + j]! * d[j]!;
      out[at + k] = sum / bend.norm;
    }
  };
}

/** Least squares of each d_j on 1 and z. */
function regressOnLine(coordinate: KnotCoordinate, z: Float64Array, m: number) {
  const d = new Float64Array(m);
  const sums = new Float64Array(m);
  const products = new Float64Array(m);
  const mean = z.reduce((sum, value) => sum + value, 0) / z.length;
  let squares = 0;
  for (const value of z) {
    naturalBasis(coordinateOf(coordinate, value), m + 2, d);
    squares += (value - mean) ** 2;
    for (let j = 0; j < m; j++) {
      sums[j]! += d[j]!;
      products[j]! += d[j]! * (value - mean);
    }
  }
  const slope = Array.from(products, (product) => product / squares);
  const offset = slope.map((b, j) => sums[j]! / z.length - b * mean);
  return { offset, slope };
}

function inverseLower(factor: Float64Array, m: number): Float64Array {
  const inverse = new Float64Array(m * m);
  for (let j = 0; j < m; j++) {
    const unit = new Float64Array(m);
    unit[j] = 1;
    solveLower(factor, m, unit).forEach((value, k) => {
      inverse[k * m + j] = value;
    });
  }
  return inverse;
}
