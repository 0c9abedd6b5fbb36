/** Rows of a regression that are equal in y and in all designs, as one row with their weights summed. */
import type { Matrix, RegressionSpec } from './spec.ts';

/** Rows looked at before it is judged whether there are enough equal ones. */
const TRIAL = 4_096;
/** Distinct rows, as a share, above which nothing is gained. */
const WORTHWHILE = 0.75;

/** The same regression with each distinct row once; `spec` itself where too few rows are equal. */
export function aggregateRows(spec: RegressionSpec): RegressionSpec {
  const n = spec.y.length;
  const designs = spec.predictors.flatMap((predictor) => (predictor.kind === 'linear' ? [predictor.design] : []));
  const table = new RowTable(
    n,
    (i) => hashRow(spec.y[i]!, designs, i),
    (i, j) => equalRows(spec.y, designs, i, j),
  );
  const trial = Math.min(n, TRIAL);
  const weights = new Float64Array(n);
  for (let i = 0; i < n; i++) {
    weights[table.place(i)]! += spec.weights?.[i] ?? 1;
    if (i + 1 === trial && table.rows.length > WORTHWHILE * trial) return spec;
  }
  const rows = Int32Array.from(table.rows);
  return {
    ...spec,
    y: Float64Array.from(rows, (row) => spec.y[row]!),
    weights: weights.slice(0, rows.length),
    predictors: spec.predictors.map((predictor) =>
      predictor.kind === 'linear' ? { ...predictor, design: takeRows(predictor.design, rows) } : predictor,
    ),
  };
}

/** Open addressing by hash; keeps the first of each set of equal rows. */
class RowTable {
  /** First rows, in their order. */
  readonly rows: number[] = [];
  readonly #slots: Int32Array;
  readonly #mask: number;
  readonly #hash: (row: number) => number;
  readonly #equal: (a: number, b: number) => boolean;

  constructor(n: number, hash: (row: number) => number, equal: (a: number, b: number) => boolean) {
    const size = 2 ** Math.ceil(Math.log2(2 * n + 2));
    this.#slots = new Int32Array(size).fill(-1);
    this.#mask = size - 1;
    this.#hash = hash;
    this.#equal = equal;
  }

  /** The place among `rows` of the one that `row` equals; a new place where there is none. */
  place(row: number): number {
    for (let slot = this.#hash(row) & this.#mask; ; slot = (slot + 1) & this.#mask) {
      const place = this.#slots[slot]!;
      if (place < 0) {
        this.#slots[slot] = this.rows.push(row) - 1;
        return this.rows.length - 1;
      }
      if (this.#equal(this.rows[place]!, row)) return place;
    }
  }
}

const double = new Float64Array(1);
const words = new Int32Array(double.buffer);

/** One round of FNV over the two words of a double; 0 and -0 alike. */
function mix(hash: number, value: number): number {
  double[0] = value + 0;
  const low = Math.imul(hash ^ words[0]!, 0x01000193);
  const high = Math.imul(low ^ words[1]!, 0x01000193);
  return high ^ (high >>> 15);
}

function hashRow(y: number, designs: readonly Matrix[], row: number): number {
  let hash = mix(0x811c9dc5 | 0, y);
  for (const x of designs) {
    if (x.kind === 'dense') {
      for (let j = row * x.cols; j < (row + 1) * x.cols; j++) hash = mix(hash, x.values[j]!);
    } else {
      for (let k = x.offsets[row]!; k < x.offsets[row + 1]!; k++) hash = mix(hash ^ x.at[k]!, x.values[k]!);
    }
  }
  return hash;
}

function equalRows(y: Float64Array, designs: readonly Matrix[], a: number, b: number): boolean {
  if (y[a] !== y[b]) return false;
  return designs.every((x) => {
    if (x.kind === 'dense') {
      for (let j = 0; j < x.cols; j++) if (x.values[a * x.cols + j] !== x.values[b * x.cols + j]) return false;
      return true;
    }
    const [fromA, fromB] = [x.offsets[a]!, x.offsets[b]!];
    const count = x.offsets[a + 1]! - fromA;
    if (x.offsets[b + 1]! - fromB !== count) return false;
    for (let k = 0; k < count; k++) {
      if (x.at[fromA + k] !== x.at[fromB + k] || x.values[fromA + k] !== x.values[fromB + k]) return false;
    }
    return true;
  });
}

/** The rows listed, in their order. */
export function takeRows(x: Matrix, rows: Int32Array): Matrix {
  if (x.kind === 'dense') {
    const values = new Float64Array(rows.length * x.cols);
    rows.forEach((row, i) => {
      values.set(x.values.subarray(row * x.cols, (row + 1) * x.cols), i * x.cols);
    });
    return { ...x, rows: rows.length, values };
  }
  const offsets = new Int32Array(rows.length + 1);
  rows.forEach((row, i) => {
    offsets[i + 1] = offsets[i]! + x.offsets[row + 1]! - x.offsets[row]!;
  });
  const at = new Int32Array(offsets.at(-1)!);
  const values = new Float64Array(at.length);
  rows.forEach((row, i) => {
    at.set(x.at.subarray(x.offsets[row]!, x.offsets[row + 1]!), offsets[i]!);
    values.set(x.values.subarray(x.offsets[row]!, x.offsets[row + 1]!), offsets[i]!);
  });
  return { kind: 'sparse', rows: rows.length, cols: x.cols, offsets, at, values };
}
