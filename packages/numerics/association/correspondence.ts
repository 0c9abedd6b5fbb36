/** Correspondence analysis of bins × K classes by singular vectors (Greenacre 1984). */

export interface Axis {
  /** Scores with mean 0 and variance 1 over rows, shrunk if rare. */
  u: Float64Array;
  v: Float64Array;
  /** Contribution to χ². */
  weight: number;
}

const AXES = 2;
/** Shrinkage of scores, in rows. */
const WORTH_ROWS = 10;
/** Minimum expected rows; chance leaves fewer than one in 100,000 such pairs empty. */
const NEVER_OF = 12;
/** Relative to the largest chance axis (Marchenko and Pastur 1967). */
const BEYOND_CHANCE = 1.3;

export interface Residuals {
  /** (Counts - expected) / √expected, bins × K. */
  cells: Float64Array;
  counts: Float64Array;
  rows: Float64Array;
  columns: Float64Array;
}

export function axesOf({ cells, rows, columns }: Residuals): Axis[] {
  const [bins, kinds] = [rows.length, columns.length];
  const [b, k] = [rows, columns].map((counts) => counts.filter((count) => count > 0).length) as [number, number];
  if (b < 2 || k < 2) return [];
  const chance = BEYOND_CHANCE * (Math.sqrt(b - 1) + Math.sqrt(k - 1)) ** 2;
  const n = rows.reduce((sum, count) => sum + count, 0);
  const scores = (side: Float64Array, counts: Float64Array) =>
    side.map((own, i) => (own * Math.sqrt(n * counts[i]!)) / (counts[i]! + WORTH_ROWS));
  const left = Float64Array.from(cells);
  const axes: Axis[] = [];
  for (let axis = 0; axis < AXES; axis++) {
    const pair = leadingPair(left, bins, kinds);
    if (pair.square < chance) break;
    axes.push({ u: scores(pair.left, rows), v: scores(pair.right, columns), weight: pair.square });
    const size = Math.sqrt(pair.square);
    for (let i = 0; i < bins; i++)
      for (let j = 0; j < kinds; j++) left[i * kinds + j]! -= size * pair.left[i]! * pair.right[j]!;
  }
  return axes;
}

export function neverIn({ counts, rows, columns }: Residuals): { bin: number; one: number }[] {
  const kinds = columns.length;
  const n = rows.reduce((sum, count) => sum + count, 0);
  return [...counts.keys()].flatMap((cell) => {
    const [bin, one] = [Math.floor(cell / kinds), cell % kinds];
    return counts[cell] === 0 && rows[bin]! * columns[one]! >= NEVER_OF * n ? [{ bin, one }] : [];
  });
}

/** @param column 0 … bins - 1 by row. */
export function residualsOf(column: Uint8Array, bins: number, classes: Int32Array, kinds: number): Residuals {
  const counts = new Float64Array(bins * kinds);
  const rows = new Float64Array(bins);
  const columns = new Float64Array(kinds);
  for (let row = 0; row < column.length; row++) {
    counts[column[row]! * kinds + classes[row]!]!++;
    rows[column[row]!]!++;
    columns[classes[row]!]!++;
  }
  const cells = new Float64Array(counts.length);
  for (let i = 0; i < bins; i++) {
    for (let k = 0; k < kinds; k++) {
      const expected = (rows[i]! * columns[k]!) / classes.length;
      const cell = i * kinds + k;
      cells[cell] = expected > 0 ? (counts[cell]! - expected) / Math.sqrt(expected) : 0;
    }
  }
  return { cells, counts, rows, columns };
}

const POWERS = 100;

/** Finds leading singular vectors of a matrix (b × k) by power iteration. */
function leadingPair(a: Float64Array, b: number, k: number) {
  const squares = Array.from({ length: b }, (_, i) => sumOfSquares(a.subarray(i * k, (i + 1) * k)));
  const largest = squares.indexOf(Math.max(...squares));
  const right = a.slice(largest * k, (largest + 1) * k);
  const left = new Float64Array(b);
  let square = 0;
  for (let power = 0; power < POWERS; power++) {
    toUnit(right);
    for (let i = 0; i < b; i++) {
      let sum = 0;
      for (let j = 0; j < k; j++) sum += a[i * k + j]! * right[j]!;
      left[i] = sum;
    }
    square = toUnit(left) ** 2;
    right.fill(0);
    for (let i = 0; i < b; i++) for (let j = 0; j < k; j++) right[j]! += left[i]! * a[i * k + j]!;
  }
  toUnit(right);
  return { left, right, square };
}

function sumOfSquares(vector: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < vector.length; i++) sum += vector[i]! * vector[i]!;
  return sum;
}

function toUnit(vector: Float64Array): number {
  const length = Math.sqrt(sumOfSquares(vector));
  if (length > 0) for (let i = 0; i < vector.length; i++) vector[i]! /= length;
  return length;
}
