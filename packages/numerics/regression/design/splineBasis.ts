/**
 * Natural splines without their linear part. Prior N(0, τ²) penalises τ⁻² ∫ f''² (Wahba 1990; Wood 2017, section 5.8).
 * n rows, K knots, m = K - 2 columns.
 */
import { cholesky, solveLower } from '../../linalg/dense.ts';
import { mean } from '../../moments.ts';

/** Column k at z: (L⁻¹ (d(u(z)) - offset - slope z))_k / norm, orthogonal to 1 and z. */
export interface SplineBasis extends KnotCoordinate {
  offset: number[];
  slope: number[];
  /** Makes column variances sum to 1. */
  norm: number;
}

export const splineSize = (basis: SplineBasis): number => basis.knots.length - 2;

/** @param z present cells. Undefined with fewer than three distinct values. */
export function fitSplineBasis(z: Float64Array, mostKnots: number): SplineBasis | undefined {
  const coordinate = knotCoordinate(chooseKnots(Float64Array.from(z).sort(), mostKnots));
  const m = coordinate.knots.length - 2;
  if (m < 1) return undefined;
  const { offset, slope } = regressOnLine(coordinate, z, m);
  const basis: SplineBasis = { ...coordinate, offset, slope, norm: 1 };
  const evaluate = splineEvaluator(basis);
  const out = new Float64Array(m);
  let squares = 0;
  for (const value of z) {
    evaluate(value, out, 0);
    for (const entry of out) squares += entry * entry;
  }
  const norm = Math.sqrt(squares / z.length);
  return norm > 1e-9 ? { ...basis, norm } : undefined;
}

/** Writes m columns at z into `out`. */
export function splineEvaluator(basis: SplineBasis): (z: number, out: Float64Array, at: number) => void {
  const knots = basis.knots.length;
  const m = knots - 2;
  const inverse = inverseLower(roughnessFactor(knots), m);
  const d = new Float64Array(m);
  return (z, out, at) => {
    naturalBasis(coordinateOf(basis, z), knots, d);
    for (let j = 0; j < m; j++) d[j]! -= basis.offset[j]! + basis.slope[j]! * z;
    for (let k = 0; k < m; k++) {
      let sum = 0;
      for (let j = 0; j <= k; j++) sum += inverse[k * m + j]! * d[j]!;
      out[at + k] = sum / basis.norm;
    }
  };
}

function regressOnLine(coordinate: KnotCoordinate, z: Float64Array, m: number) {
  const d = new Float64Array(m);
  const sums = new Float64Array(m);
  const products = new Float64Array(m);
  const centre = mean(z);
  let squares = 0;
  for (const value of z) {
    naturalBasis(coordinateOf(coordinate, value), m + 2, d);
    squares += (value - centre) ** 2;
    for (let j = 0; j < m; j++) {
      sums[j]! += d[j]!;
      products[j]! += d[j]! * (value - centre);
    }
  }
  const slope = Array.from(products, (product) => product / squares);
  const offset = slope.map((b, j) => sums[j]! / z.length - b * centre);
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

// u(knot j) = j: monotone cubic between knots (Fritsch and Carlson 1980), linear beyond, so steps are quantiles.

interface KnotCoordinate {
  knots: readonly number[];
  slopes: readonly number[];
}

export function knotCoordinate(knots: Float64Array): KnotCoordinate {
  const last = knots.length - 1;
  const slopes = Array.from(knots, (_, j) => {
    const before = j > 0 ? knots[j]! - knots[j - 1]! : Number.NaN;
    const after = j < last ? knots[j + 1]! - knots[j]! : Number.NaN;
    if (j === 0) return 1 / after;
    if (j === last) return 1 / before;
    const w1 = 2 * after + before;
    const w2 = after + 2 * before;
    return (w1 + w2) / (w1 * before + w2 * after);
  });
  return { knots: [...knots], slopes };
}

export function coordinateOf({ knots, slopes }: KnotCoordinate, z: number): number {
  const last = knots.length - 1;
  if (z <= knots[0]!) return slopes[0]! * (z - knots[0]!);
  if (z >= knots[last]!) return last + slopes[last]! * (z - knots[last]!);
  let j = 0;
  while (z >= knots[j + 1]!) j++;
  const width = knots[j + 1]! - knots[j]!;
  const s = (z - knots[j]!) / width;
  const rise = s * s * (3 - 2 * s);
  return j + rise + width * (s * (1 - s) * (1 - s) * slopes[j]! - s * s * (1 - s) * slopes[j + 1]!);
}

// Natural cubic splines on 0, 1, …, K-1 (Hastie, Tibshirani and Friedman 2009, section 5.2.1) with roughness S_ij = ∫
// d_i'' d_j''.

const cubed = (x: number): number => (x > 0 ? x * x * x : 0);
const positive = (x: number): number => Math.max(x, 0);

/** d_0 … d_{K-3} at u, over (K-1)². */
export function naturalBasis(u: number, knots: number, out: Float64Array): void {
  const last = knots - 1;
  const end = cubed(u - last);
  const beforeEnd = cubed(u - last + 1);
  for (let j = 0; j < knots - 2; j++) {
    const reach = last - j;
    out[j] = (cubed(u - j) - reach * beforeEnd + (reach - 1) * end) / (last * last);
  }
}

/** Lower Cholesky factor of S. Simpson's rule is exact for linear d''. */
export function roughnessFactor(knots: number): Float64Array {
  const m = knots - 2;
  const last = knots - 1;
  const second = (j: number, u: number) =>
    (6 * (positive(u - j) - (last - j) * positive(u - last + 1))) / (last * last);
  const s = new Float64Array(m * m);
  for (let i = 0; i < m; i++) {
    for (let j = 0; j <= i; j++) {
      let sum = 0;
      for (let k = 0; k < last; k++) {
        const product = (u: number) => second(i, u) * second(j, u);
        sum += (product(k) + 4 * product(k + 0.5) + product(k + 1)) / 6;
      }
      s[i * m + j] = sum;
    }
  }
  const factor = cholesky(s, m);
  if (!factor) throw new RangeError(`the roughness of a natural spline on ${knots} knots is not positive definite`);
  return factor;
}

const NEAREST = 1e-6;

/**
 * Returns at most `most` (≥ 3) distinct ascending knots with both ends: quantiles in which each value counts for at
 * most 1/most.
 */
export function chooseKnots(sorted: Float64Array, most: number): Float64Array {
  const { values, counts } = distinct(sorted);
  if (values.length <= most) return apart(values);
  const weights = counts.map((count) => Math.min(count, sorted.length / most));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const knots = [values[0]!];
  let passed = 0;
  let at = 0;
  for (const share of shares(most)) {
    while (passed + weights[at]! < share * total && at < values.length - 1) passed += weights[at++]!;
    knots.push(values[at]!);
  }
  knots.push(values[values.length - 1]!);
  return apart(Float64Array.from(knots));
}

/** Splits end cells for long tails. */
function shares(most: number): number[] {
  const cells = most - 1;
  if (most < 7) return Array.from({ length: most - 2 }, (_, j) => (j + 1) / cells);
  const inner = most - 4;
  const steps = Array.from({ length: inner }, (_, j) => (j + 1) / (inner + 1));
  return [steps[0]! / 4, ...steps, 1 - steps[0]! / 4];
}

function distinct(sorted: Float64Array): { values: Float64Array; counts: Float64Array } {
  const values: number[] = [];
  const counts: number[] = [];
  for (const value of sorted) {
    if (values.length > 0 && values[values.length - 1] === value) counts[counts.length - 1]!++;
    else {
      values.push(value);
      counts.push(1);
    }
  }
  return { values: Float64Array.from(values), counts: Float64Array.from(counts) };
}

function apart(knots: Float64Array): Float64Array {
  const last = knots[knots.length - 1]!;
  const least = NEAREST * (last - knots[0]!);
  const kept: number[] = [];
  for (const knot of knots.subarray(0, -1)) {
    if (last - knot > least && (kept.length === 0 || knot - kept[kept.length - 1]! > least)) kept.push(knot);
  }
  return Float64Array.from([...kept, last]);
}
