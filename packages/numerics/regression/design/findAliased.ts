/**
 * Shrinkage priors identify coefficients at any rank, so pooled columns are redundant only if constant or copies;
 * others also by pivoted QR of correlations.
 */
import { dot, pivotedQr } from '../../linalg/dense.ts';
import { mean } from '../../moments.ts';
import type { Matrix } from '../spec.ts';

/** Others explain all but 1e-10 of the variance. */
const ALIAS_TOLERANCE = 1e-10;

/** Maximum products; beyond, correlations use only the first rows. */
const MAX_PRODUCTS = 1e9;

export interface Aliased {
  dropped: Map<number, string>;
  sds: Float64Array;
}

/** @param pooled whether coefficients share a prior. Column 0 is the intercept. */
export function findAliased(x: Matrix, pooled: readonly boolean[], names: readonly string[]): Aliased {
  const { means, sds } = columnMoments(x);
  sds[0] = 0;
  const dropped = new Map<number, string>();
  const varies = (j: number) => sds[j]! > 1e-12 * Math.max(1, Math.abs(means[j]!));
  for (let j = 1; j < x.cols; j++) if (!varies(j)) dropped.set(j, 'it has the same value in every row');
  const free = Array.from(names.keys()).filter((j) => j > 0 && !pooled[j] && !dropped.has(j));
  for (const j of dependent(x, free, means)) dropped.set(j, 'other columns determine it');
  const firstOf = new Map<string, number>();
  fingerprints(x).forEach((print, j) => {
    if (!pooled[j] || dropped.has(j)) return;
    const first = firstOf.get(print);
    if (first === undefined) firstOf.set(print, j);
    else dropped.set(j, `it is equal to ${names[first]}`);
  });
  return { dropped: new Map([...dropped].sort(([a], [b]) => a - b)), sds };
}

function dependent(x: Matrix, columns: readonly number[], means: Float64Array): number[] {
  const p = columns.length;
  if (p < 2) return [];
  const rows = Math.min(x.rows, Math.max(2 * p, Math.floor(MAX_PRODUCTS / (p * p))));
  const centred = centredColumns(x, columns, means, rows);
  const scale = centred.map((column) => {
    const squares = dot(column, column);
    return squares > 0 ? 1 / Math.sqrt(squares) : 0;
  });
  const correlations = new Float64Array(p * p);
  for (let i = 0; i < p; i++) {
    for (let j = 0; j <= i; j++) {
      const value = i === j ? Math.sign(scale[i]!) : dot(centred[i]!, centred[j]!) * scale[i]! * scale[j]!;
      correlations[i * p + j] = value;
      correlations[j * p + i] = value;
    }
  }
  const { order, rank } = pivotedQr(correlations, p, p, ALIAS_TOLERANCE);
  // Columns constant here may vary in other rows.
  return Array.from(order.subarray(rank), (k) => k)
    .filter((k) => scale[k]! > 0)
    .map((k) => columns[k]!);
}

function centredColumns(x: Matrix, columns: readonly number[], means: Float64Array, rows: number): Float64Array[] {
  const at = new Map(columns.map((column, k) => [column, k]));
  const out = columns.map((column) => new Float64Array(rows).fill(-means[column]!));
  forEachEntry(x, (row, column, value) => {
    const k = at.get(column);
    if (k !== undefined && row < rows) out[k]![row]! += value;
  });
  if (rows < x.rows) for (const column of out) centre(column);
  return out;
}

function centre(column: Float64Array): void {
  const level = mean(column);
  let squares = 0;
  for (let i = 0; i < column.length; i++) {
    column[i]! -= level;
    squares += column[i]! ** 2;
  }
  if (squares < 1e-20 * column.length) column.fill(0);
}

/** Skips zeros; columns ascend. */
export function forEachEntry(x: Matrix, visit: (row: number, column: number, value: number) => void): void {
  if (x.kind === 'sparse') {
    for (let row = 0; row < x.rows; row++) {
      for (let k = x.offsets[row]!; k < x.offsets[row + 1]!; k++) {
        if (x.values[k] !== 0) visit(row, x.at[k]!, x.values[k]!);
      }
    }
    return;
  }
  for (let row = 0, k = 0; row < x.rows; row++) {
    for (let column = 0; column < x.cols; column++, k++) if (x.values[k] !== 0) visit(row, column, x.values[k]!);
  }
}

/** Divisor n. */
function columnMoments(x: Matrix): { means: Float64Array; sds: Float64Array } {
  const n = Math.max(1, x.rows);
  const means = new Float64Array(x.cols);
  const squares = new Float64Array(x.cols);
  const entries = new Float64Array(x.cols);
  forEachEntry(x, (_, column, value) => {
    means[column]! += value / n;
  });
  forEachEntry(x, (_, column, value) => {
    squares[column]! += (value - means[column]!) ** 2;
    entries[column]!++;
  });
  const sds = squares.map((sum, j) => Math.sqrt((sum + (x.rows - entries[j]!) * means[j]! ** 2) / n));
  return { means, sds };
}

/** Different columns collide with probability 2⁻⁶⁴. */
function fingerprints(x: Matrix): string[] {
  const first = new Uint32Array(x.cols);
  const second = new Uint32Array(x.cols);
  const bits = new Float64Array(1);
  const words = new Uint32Array(bits.buffer);
  forEachEntry(x, (row, column, value) => {
    bits[0] = value;
    const h = mix(mix(mix(row) ^ words[0]!) ^ words[1]!);
    first[column]! += h;
    second[column]! += mix(h ^ 0x5bd1e995);
  });
  return Array.from(first, (word, j) => `${word} ${second[j]}`);
}

/** MurmurHash3. */
function mix(word: number): number {
  let z = (word + 0x9e3779b9) | 0;
  z = Math.imul(z ^ (z >>> 16), 0x85ebca6b);
  z = Math.imul(z ^ (z >>> 13), 0xc2b2ae35);
  return z ^ (z >>> 16);
}
