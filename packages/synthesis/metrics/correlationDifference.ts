/**
 * How far two tables' linear dependence is apart: ‖R − S‖_F, the Frobenius norm of the difference of their Pearson
 * correlation matrices, each entry from the rows where both of its columns have a value (pairwise complete).
 */
import { dot } from '../../numerics/linalg/dot.ts';
import { isConstant, magnitude, scaledMean } from './distances.ts';

/**
 * Pearson's r over the rows where both are finite; undefined below two such rows or where one of the two columns is
 * constant on them.
 */
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

/** Two arrays that are written over, so that many pairs need no more. */
type Room = readonly [Float64Array, Float64Array];

const roomFor = (rows: number): Room => [new Float64Array(rows), new Float64Array(rows)];

/** The rows in which both are finite. */
function bothThere(x: Float64Array, y: Float64Array, [a, b]: Room): [Float64Array, Float64Array] {
  let n = 0;
  for (let row = 0; row < x.length; row++) {
    if (!Number.isFinite(x[row]!) || !Number.isFinite(y[row]!)) continue;
    a[n] = x[row]!;
    b[n++] = y[row]!;
  }
  return [a.subarray(0, n), b.subarray(0, n)];
}

export interface CorrelationDifference {
  /** ‖R − S‖_F over the pairs that are defined in both tables; undefined where none is. */
  norm: number | undefined;
  /** Pairs i < j in all, and those left out since a correlation is undefined in one of the tables. */
  pairs: number;
  undefinedPairs: number;
}

/** A column with a value in every row: centred and of length 1, or undefined where it is constant. */
interface CompleteColumn {
  unit: Float64Array | undefined;
}

/** Undefined where a cell is missing: such a column's means depend on the column it is paired with. */
function completeColumn(values: Float64Array): CompleteColumn | undefined {
  if (values.length < 2 || isConstant(values)) return { unit: undefined };
  if (!values.every(Number.isFinite)) return undefined;
  const scale = magnitude(values);
  const mean = scaledMean(values, scale);
  const centred = values.map((value) => value / scale - mean);
  const length = Math.sqrt(dot(centred, centred));
  return { unit: length > 0 ? centred.map((value) => value / length) : undefined };
}

/** Pearson's r of columns i and j, from what was worked out once a column where both are complete. */
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

/** @param real, other the same columns of two tables; NaN is missing. */
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
