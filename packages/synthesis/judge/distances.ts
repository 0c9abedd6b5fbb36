/** Kolmogorov-Smirnov statistic D = sup |F(x) − G(x)| (Smirnov, 1939), exact with ties, 0 to 1. */
import { dot } from '../../numerics/linalg/dense.ts';

/** Takes finite numbers. Throws RangeError if either sample is empty. */
export function kolmogorovSmirnov(a: Float64Array, b: Float64Array): number {
  if (a.length === 0 || b.length === 0) throw new RangeError('a sample is empty');
  const left = a.toSorted();
  const right = b.toSorted();
  let i = 0;
  let j = 0;
  let largest = 0;
  while (i < left.length && j < right.length) {
    const at = Math.min(left[i]!, right[j]!);
    while (i < left.length && left[i]! <= at) i++;
    while (j < right.length && right[j]! <= at) j++;
    largest = Math.max(largest, Math.abs(i / left.length - j / right.length));
  }
  return largest;
}

/** Distance exceeded with probability at most `p` under one distribution; ties only lower it (Massart, 1990). */
export const kolmogorovBound = (n: number, m: number, p: number): number =>
  Math.sqrt((Math.log(2 / p) / 2) * (1 / n + 1 / m));

// Wasserstein-1 distance ∫ |F(x) − G(x)| dx (Vallender, 1974) in standard deviations (n − 1) of the real sample.

/**
 * Takes finite numbers. Returns Infinity on overflow. Throws RangeError if `real` has no spread or `other` is empty.
 */
export function wasserstein(real: Float64Array, other: Float64Array): number {
  if (other.length === 0) throw new RangeError('a sample is empty');
  const scale = magnitude(real);
  const deviation = scaledDeviation(real, scale);
  if (!(deviation > 0)) throw new RangeError('the real sample has no spread');
  return areaBetween(real.map((x) => x / scale).sort(), other.map((x) => x / scale).sort()) / deviation;
}

function areaBetween(left: Float64Array, right: Float64Array): number {
  let i = 0;
  let j = 0;
  let previous = Math.min(left[0]!, right[0]!);
  let area = 0;
  while (i < left.length || j < right.length) {
    const at = Math.min(left[i] ?? Number.POSITIVE_INFINITY, right[j] ?? Number.POSITIVE_INFINITY);
    if (at > previous) area += Math.abs(i / left.length - j / right.length) * (at - previous);
    previous = at;
    while (i < left.length && left[i]! <= at) i++;
    while (j < right.length && right[j]! <= at) j++;
  }
  return area;
}

// Total variation distance ½ Σ |p − q| of shares, 0 to 1 (1 − sdmetrics' TVComplement).

/** Takes counts of the same cells. Undefined if either is empty. */
export function totalVariation(a: ArrayLike<number>, b: ArrayLike<number>): number | undefined {
  const [m, n] = [total(a), total(b)];
  if (m === 0 || n === 0) return undefined;
  let sum = 0;
  for (let cell = 0; cell < a.length; cell++) sum += Math.abs(a[cell]! / m - b[cell]! / n);
  return sum / 2;
}

function total(counts: ArrayLike<number>): number {
  let sum = 0;
  for (let cell = 0; cell < counts.length; cell++) sum += counts[cell]!;
  return sum;
}

/** Largest absolute value, else 1; scaling by it keeps squares finite. */
export function magnitude(values: Float64Array): number {
  let largest = 0;
  for (const value of values) largest = Math.max(largest, Math.abs(value));
  return largest || 1;
}

export function isConstant(values: Float64Array): boolean {
  for (let row = 1; row < values.length; row++) if (values[row] !== values[0]) return false;
  return values.length === 0 || !Number.isNaN(values[0]!);
}

export function scaledMean(values: Float64Array, scale: number): number {
  let sum = 0;
  for (const value of values) sum += value / scale;
  return sum / values.length;
}

/** Standard deviation (n − 1); NaN below two values, 0 for constants. */
export function scaledDeviation(values: Float64Array, scale: number): number {
  if (values.length < 2) return Number.NaN;
  if (isConstant(values)) return 0;
  const mean = scaledMean(values, scale);
  let squares = 0;
  for (const value of values) squares += (value / scale - mean) ** 2;
  return Math.sqrt(squares / (values.length - 1));
}

// Difference of linear dependence: ‖R − S‖_F of pairwise complete Pearson matrices.

/** Pearson's r over rows finite in both; undefined below two or for constants. */
export function pearson(x: Float64Array, y: Float64Array, room = roomFor(x.length)): number | undefined {
  const [a, b] = bothThere(x, y, room);
  if (a.length < 2 || isConstant(a) || isConstant(b)) return undefined;
  const aScale = magnitude(a);
  const bScale = magnitude(b);
  const aMean = scaledMean(a, aScale);
  const bMean = scaledMean(b, bScale);
  let aa = 0;
  let bb = 0;
  let ab = 0;
  for (let row = 0; row < a.length; row++) {
    const u = a[row]! / aScale - aMean;
    const v = b[row]! / bScale - bMean;
    aa += u * u;
    bb += v * v;
    ab += u * v;
  }
  const product = Math.sqrt(aa) * Math.sqrt(bb);
  return product > 0 ? Math.min(1, Math.max(-1, ab / product)) : undefined;
}

/** Reused buffers. */
type Room = readonly [Float64Array, Float64Array];

const roomFor = (rows: number): Room => [new Float64Array(rows), new Float64Array(rows)];

function bothThere(x: Float64Array, y: Float64Array, [a, b]: Room): [Float64Array, Float64Array] {
  let n = 0;
  for (let row = 0; row < x.length; row++) {
    if (!Number.isFinite(x[row]!) || !Number.isFinite(y[row]!)) continue;
    a[n] = x[row]!;
    b[n++] = y[row]!;
  }
  return [a.subarray(0, n), b.subarray(0, n)];
}

interface CorrelationDifference {
  /** Undefined without pairs. */
  norm: number | undefined;
  /** All pairs, and those without a correlation. */
  pairs: number;
  undefinedPairs: number;
}

/** Centred to length 1; undefined if constant. */
interface CompleteColumn {
  unit: Float64Array | undefined;
}

/** Undefined if cells are missing, as means then depend on the pair. */
function completeColumn(values: Float64Array): CompleteColumn | undefined {
  if (values.length < 2 || isConstant(values)) return { unit: undefined };
  if (!values.every(Number.isFinite)) return undefined;
  const scale = magnitude(values);
  const mean = scaledMean(values, scale);
  const centred = values.map((value) => value / scale - mean);
  const length = Math.sqrt(dot(centred, centred));
  return { unit: length > 0 ? centred.map((value) => value / length) : undefined };
}

export function correlationOf(columns: readonly Float64Array[]): (i: number, j: number) => number | undefined {
  const complete = columns.map(completeColumn);
  const room = roomFor(columns[0]?.length ?? 0);
  return (i, j) => {
    const a = complete[i];
    const b = complete[j];
    if (!a || !b) return pearson(columns[i]!, columns[j]!, room);
    return a.unit && b.unit ? Math.min(1, Math.max(-1, dot(a.unit, b.unit))) : undefined;
  };
}

export function correlationDifference(
  real: readonly Float64Array[],
  other: readonly Float64Array[],
): CorrelationDifference {
  const inReal = correlationOf(real);
  const inOther = correlationOf(other);
  let pairs = 0;
  let undefinedPairs = 0;
  let squares = 0;
  for (let i = 0; i < real.length; i++) {
    for (let j = i + 1; j < real.length; j++) {
      pairs++;
      const r = inReal(i, j);
      const s = r === undefined ? undefined : inOther(i, j);
      if (r === undefined || s === undefined) undefinedPairs++;
      else squares += 2 * (r - s) ** 2;
    }
  }
  return { norm: pairs > undefinedPairs ? Math.sqrt(squares) : undefined, pairs, undefinedPairs };
}
