/** What dropping needs to know of each column of a matrix: moments, and a fingerprint that equal columns share. */
import type { Matrix } from '../spec.ts';

/** Calls `visit` for every entry that is not zero, row by row, columns ascending. */
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

/** Mean and standard deviation (divisor n) of each column. */
export function columnMoments(x: Matrix): { means: Float64Array; sds: Float64Array } {
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

/** The same text for columns that are equal entry by entry, and, but for a chance of 2⁻⁶⁴, for no others. */
export function fingerprints(x: Matrix): string[] {
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

/** The finaliser of MurmurHash3. */
function mix(word: number): number {
  let z = (word + 0x9e3779b9) | 0;
  z = Math.imul(z ^ (z >>> 16), 0x85ebca6b);
  z = Math.imul(z ^ (z >>> 13), 0xc2b2ae35);
  return z ^ (z >>> 16);
}
