/** Quadratic polynomial by least trimmed squares (Rousseeuw and Van Driessen 2006). n rows, d inputs. */
import { cholesky, solveCholesky } from '../linalg/dense.ts';
import { mean, variance } from '../moments.ts';
import { takeNumbers } from '../rows.ts';

export interface Polynomial {
  /** Inputs enter as (x - centre) / scale. */
  centres: Float64Array;
  scales: Float64Array;
  /** Of 1, inputs, and products of each with itself and later ones. */
  weights: Float64Array;
}

export interface TrimmedFit {
  polynomial: Polynomial;
  /** Residuals (n). */
  left: Float64Array;
  /** Robust standard deviations: 1.4826 median absolute deviations. */
  spread: number;
  spreadOfY: number;
}

/** Limits in standard deviations, from the median, then from the polynomial. */
const FAR = 6;
const NEAR = 4;
const STEPS = 6;
/** Minimum rows per weight. */
const ROWS_A_WEIGHT = 20;
/** Relative ridge, since inputs may be dependent. */
const RIDGE = 1e-10;
const MAD = 1 / 1.4826;

const widthOf = (d: number): number => 1 + d + (d * (d + 1)) / 2;

/**
 * @param inputs d arrays of n finite numbers.
 * @param y n finite numbers.
 * @returns null with too few rows, or if most values are equal.
 */
export function fitTrimmedPolynomial(
  inputs: readonly Float64Array[],
  y: Float64Array,
  steps = STEPS,
): TrimmedFit | null {
  const least = ROWS_A_WEIGHT * widthOf(inputs.length);
  const spreadOfY = middleOf(y).spread;
  let rows = rowsNear([y, ...inputs]);
  if (rows.length < least || !(spreadOfY > 0)) return null;
  const scaled = scalesOf(inputs, rows);
  if (!scaled.scales.every((scale) => scale > 0)) return null;
  let fit: TrimmedFit | null = null;
  for (let step = 0; step < steps && rows.length >= least; step++) {
    const weights = leastSquares(scaled, inputs, y, rows);
    if (!weights) break;
    const polynomial = { ...scaled, weights };
    const at = polynomialAt(polynomial, inputs);
    const left = y.map((value, row) => value - at[row]!);
    const { median, spread } = middleOf(left);
    fit = { polynomial, left, spread, spreadOfY };
    rows = [...y.keys()].filter((row) => Math.abs(left[row]! - median) <= NEAR * spread);
  }
  return fit;
}

function rowsNear(columns: readonly Float64Array[]): number[] {
  const middles = columns.map(middleOf);
  const isNear = (row: number): boolean =>
    columns.every((values, k) => Math.abs(values[row]! - middles[k]!.median) <= FAR * middles[k]!.spread);
  return [...columns[0]!.keys()].filter(isNear);
}

function scalesOf(inputs: readonly Float64Array[], rows: readonly number[]): Pick<Polynomial, 'centres' | 'scales'> {
  const own = inputs.map((input) => takeNumbers(input, rows));
  return { centres: Float64Array.from(own, mean), scales: Float64Array.from(own, (x) => Math.sqrt(variance(x))) };
}

/** Fitted values (n). */
export function polynomialAt(polynomial: Polynomial, inputs: readonly Float64Array[]): Float64Array {
  const { weights } = polynomial;
  const terms = new Float64Array(weights.length);
  return Float64Array.from({ length: inputs[0]?.length ?? 0 }, (_, row) => {
    termsAt(polynomial, inputs, row, terms);
    let sum = 0;
    for (let t = 0; t < terms.length; t++) sum += weights[t]! * terms[t]!;
    return sum;
  });
}

function termsAt(
  { centres, scales }: Pick<Polynomial, 'centres' | 'scales'>,
  inputs: readonly Float64Array[],
  row: number,
  out: Float64Array,
): void {
  const d = inputs.length;
  out[0] = 1;
  for (let k = 0; k < d; k++) out[1 + k] = (inputs[k]![row]! - centres[k]!) / scales[k]!;
  let at = 1 + d;
  for (let k = 0; k < d; k++) for (let l = k; l < d; l++) out[at++] = out[1 + k]! * out[1 + l]!;
}

function leastSquares(
  scaled: Pick<Polynomial, 'centres' | 'scales'>,
  inputs: readonly Float64Array[],
  y: Float64Array,
  rows: readonly number[],
): Float64Array | undefined {
  const p = widthOf(inputs.length);
  const [products, moments, terms] = [new Float64Array(p * p), new Float64Array(p), new Float64Array(p)];
  for (const row of rows) {
    termsAt(scaled, inputs, row, terms);
    for (let i = 0; i < p; i++) {
      moments[i]! += terms[i]! * y[row]!;
      for (let j = 0; j <= i; j++) products[i * p + j]! += terms[i]! * terms[j]!;
    }
  }
  for (let i = 0; i < p; i++) products[i * p + i]! += RIDGE * rows.length;
  const factor = cholesky(products, p);
  return factor && solveCholesky(factor, p, moments);
}

interface Middle {
  median: number;
  spread: number;
}

function middleOf(values: Float64Array): Middle {
  const median = medianOf(values);
  return { median, spread: medianOf(values.map((value) => Math.abs(value - median))) / MAD };
}

const medianOf = (values: Float64Array): number => values.slice().sort()[values.length >> 1] ?? Number.NaN;
