import { familyOf, type ResponseName } from '../distributions/families.ts';
import { takeNumbers } from '../rows.ts';
import type { Matrix, PredictorSpec, RegressionSpec } from './spec.ts';

/** Rows checked before deciding to go on. */
const TRIAL = 4_096;
/** Maximum share of distinct rows. */
const WORTHWHILE = 0.75;

/** Merges equal rows and sums weights. Returns `spec` itself if too few are equal. */
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
    weights[table.indexOf(i)]! += spec.weights?.[i] ?? 1;
    if (i + 1 === trial && table.rows.length > WORTHWHILE * trial) return spec;
  }
  const rows = Int32Array.from(table.rows);
  return {
    ...spec,
    y: takeNumbers(spec.y, rows),
    weights: weights.slice(0, rows.length),
    predictors: spec.predictors.map((predictor) =>
      predictor.kind === 'linear' ? { ...predictor, design: takeRows(predictor.design, rows) } : predictor,
    ),
  };
}

class RowTable {
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

  indexOf(row: number): number {
    for (let slot = this.#hash(row) & this.#mask; ; slot = (slot + 1) & this.#mask) {
      const index = this.#slots[slot]!;
      if (index < 0) {
        this.#slots[slot] = this.rows.push(row) - 1;
        return this.rows.length - 1;
      }
      if (this.#equal(this.rows[index]!, row)) return index;
    }
  }
}

const double = new Float64Array(1);
const words = new Int32Array(double.buffer);

/** 0 and -0 hash alike. */
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

// A family with atoms factorises into regressions without shared coefficients: whether y is an atom (Bernoulli), and y
// otherwise.

interface Atom {
  parameter: string;
  y: 0 | 1;
}

/** Atoms in the order in which they are tested. */
const SPLIT: Partial<Record<ResponseName, { base: ResponseName; atoms: readonly Atom[] }>> = {
  hurdle_poisson: { base: 'truncated_poisson', atoms: [{ parameter: 'zero', y: 0 }] },
  hurdle_negative_binomial: { base: 'truncated_negative_binomial', atoms: [{ parameter: 'zero', y: 0 }] },
  hurdle_gamma: { base: 'gamma', atoms: [{ parameter: 'zero', y: 0 }] },
  hurdle_lognormal: { base: 'lognormal', atoms: [{ parameter: 'zero', y: 0 }] },
  zero_inflated_beta: { base: 'beta', atoms: [{ parameter: 'zero', y: 0 }] },
  one_inflated_beta: { base: 'beta', atoms: [{ parameter: 'one', y: 1 }] },
  zero_one_inflated_beta: {
    base: 'beta',
    atoms: [
      { parameter: 'zero', y: 0 },
      { parameter: 'one', y: 1 },
    ],
  },
};

export interface SpecPart {
  spec: RegressionSpec;
  /** Indices in the whole θ. */
  entries: Int32Array;
}

/** Undefined without atoms. */
export function splitAtoms(spec: RegressionSpec): SpecPart[] | undefined {
  const split = SPLIT[spec.family];
  if (!split) return undefined;
  const entries = entriesOf(spec.predictors);
  const parts: SpecPart[] = [];
  let rows = Int32Array.from(spec.y, (_, i) => i);
  for (const atom of split.atoms) {
    const k = spec.predictors.findIndex(({ parameter }) => parameter === atom.parameter);
    const isAtom = Float64Array.from(rows, (row) => Number(spec.y[row] === atom.y));
    const part = restrict({ ...spec, predictors: [spec.predictors[k]!] }, rows);
    parts.push({ spec: { ...part, family: 'bernoulli', y: isAtom }, entries: entries[k]! });
    rows = rows.filter((row) => spec.y[row] !== atom.y);
  }
  const others = spec.predictors.map((_, k) => k).filter((k) => !isAtomic(spec.predictors[k]!, split.atoms));
  const base = restrict({ ...spec, family: split.base, predictors: others.map((k) => spec.predictors[k]!) }, rows);
  return [{ spec: base, entries: Int32Array.from(others.flatMap((k) => [...entries[k]!])) }, ...parts];
}

const isAtomic = (predictor: PredictorSpec, atoms: readonly Atom[]): boolean =>
  atoms.some(({ parameter }) => parameter === predictor.parameter);

function entriesOf(predictors: readonly PredictorSpec[]): Int32Array[] {
  let at = 0;
  return predictors.map((predictor) => {
    const size = predictor.kind === 'linear' ? predictor.design.cols : 1;
    at += size;
    return Int32Array.from({ length: size }, (_, j) => at - size + j);
  });
}

/** `rows` are ascending; returns `spec` itself for all rows. */
export function restrict(spec: RegressionSpec, rows: Int32Array): RegressionSpec {
  if (rows.length === spec.y.length) return spec;
  const { y, weights } = spec;
  return {
    ...spec,
    y: takeNumbers(y, rows),
    weights: weights && takeNumbers(weights, rows),
    predictors: spec.predictors.map((predictor) =>
      predictor.kind === 'linear' ? { ...predictor, design: takeRows(predictor.design, rows) } : predictor,
    ),
  };
}

/** Renames parameters as in the part's own family. */
export function ownNames(spec: RegressionSpec): RegressionSpec {
  const names = familyOf(spec.family).parameters.map(({ name }) => name);
  return {
    ...spec,
    predictors: spec.predictors.map((own, k): PredictorSpec => ({ ...own, parameter: names[k]! })),
  };
}
