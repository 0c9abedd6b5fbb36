/**
 * Correspondence analysis of the table of a column (bins) with classes (K): scores of both by the singular vectors of what
 * independence leaves (Greenacre, 1984).
 */

export interface Axis {
  /** Scores of the bins and of the K classes: mean 0 and variance 1 over the rows, those of few rows nearer to 0. */
  u: Float64Array;
  v: Float64Array;
  /** Of χ², the part that is along it. */
  weight: number;
}

/** Axes of one table, at most. */
const AXES = 2;
/** Rows' worth of the mean that the score of a bin or a class is shrunk by. */
const WORTH_ROWS = 10;
/** Rows that chance would give a pair that never stands together: fewer than one in 100,000 pairs would have none by chance. */
const NEVER_OF = 12;
/** Of the largest axis that chance gives tables without association (Marchenko and Pastur, 1967). */
const BEYOND_CHANCE = 1.3;

export interface Residuals {
  /** Counts less those of independence, over the roots of the latter: bins × K. */
  cells: Float64Array;
  counts: Float64Array;
  /** Rows of each bin and of each class. */
  rows: Float64Array;
  columns: Float64Array;
}

/** The axes that are beyond what chance gives a table without association, the longest first. */
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

/** Pairs that never stand together, though chance would have them often. */
export function neverIn({ counts, rows, columns }: Residuals): { bin: number; one: number }[] {
  const kinds = columns.length;
  const n = rows.reduce((sum, count) => sum + count, 0);
  return [...counts.keys()].flatMap((cell) => {
    const [bin, one] = [Math.floor(cell / kinds), cell % kinds];
    return counts[cell] === 0 && rows[bin]! * columns[one]! >= NEVER_OF * n ? [{ bin, one }] : [];
  });
}

/** @param column 0 … bins - 1, one a row. */
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

/** The singular vectors of the largest singular value of a matrix (b × k), and its square, by powers from its largest row. */
function leadingPair(a: Float64Array, b: number, k: number) {
  const rowOf = (i: number) => a.subarray(i * k, (i + 1) * k);
  const squares = Array.from({ length: b }, (_, i) => rowOf(i).reduce((sum, x) => sum + x * x, 0));
  let right: Float64Array = Float64Array.from(rowOf(squares.indexOf(Math.max(...squares))));
  let left: Float64Array = new Float64Array(b);
  let square = 0;
  for (let power = 0; power < POWERS; power++) {
    right = unit(right).vector;
    left = Float64Array.from({ length: b }, (_, i) => rowOf(i).reduce((sum, x, j) => sum + x * right[j]!, 0));
    const { vector, length } = unit(left);
    left = vector;
    square = length ** 2;
    const next = new Float64Array(k);
    for (let i = 0; i < b; i++) for (let j = 0; j < k; j++) next[j]! += left[i]! * a[i * k + j]!;
    right = next;
  }
  return { left, right: unit(right).vector, square };
}

function unit(vector: Float64Array): { vector: Float64Array; length: number } {
  const length = Math.sqrt(vector.reduce((sum, x) => sum + x * x, 0));
  return { vector: length > 0 ? vector.map((x) => x / length) : vector, length };
}
