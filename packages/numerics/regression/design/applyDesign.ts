import { takeNumbers } from '../../rows.ts';
import { applyLeaves } from '../../trees/boostedTrees.ts';
import type { Feature, FeatureTable } from '../../trees/features.ts';
import type { DenseMatrix, Matrix, SparseMatrix } from '../spec.ts';
import {
  type CategoryPredictor,
  type Design,
  isLevel,
  type LeafPart,
  type LevelPart,
  type NumberPart,
  type NumericPredictor,
  type PairPart,
  type Part,
  type Predictor,
  type TreeFeature,
  UNSEEN,
} from './design.ts';
import { standardise } from './numberScale.ts';
import { PAIR_WAVES, wavesOf } from './pairFunctions.ts';
import { splineEvaluator } from './splineBasis.ts';

/**
 * Applies a design: n × p, finite, sparse if most entries are zero. Predictors are found by name, levels by text. Pass
 * `halves` (n) for rows of the fit. Throws a RangeError if a predictor is missing or has another kind or length.
 */
export function applyDesign(
  design: Pick<Design, 'columns' | 'parts'>,
  predictors: readonly Predictor[],
  n: number,
  halves: Uint8Array | null = null,
): Matrix {
  requirePredictors(predictors, n);
  const fillers = design.parts.map((part) => fillerOf(part, { predictors, n, halves }));
  return fillRows(fillers, n, design.columns.length);
}

interface AppliedRows {
  predictors: readonly Predictor[];
  n: number;
  halves: Uint8Array | null;
}

function fillerOf(part: Part, rows: AppliedRows): RowFiller {
  const { predictors } = rows;
  if (part.kind === 'number') return numberFiller(part, numericNamed(predictors, part.name));
  if (part.kind === 'levels') return levelFiller(part, categoryNamed(predictors, part.name));
  return part.kind === 'pairs' ? pairFiller(part, predictors) : leafFiller(part, rows);
}

/** Dense matrices are smaller and faster above this. */
const DENSE_SHARE = 0.5;

/** Fillers write columns after the intercept in ascending order. */
function fillRows(fillers: readonly RowFiller[], n: number, p: number): Matrix {
  const offsets = new Int32Array(n + 1);
  for (let row = 0; row < n; row++) {
    let size = 1;
    for (const filler of fillers) size += filler.size(row);
    offsets[row + 1] = offsets[row]! + size;
  }
  return offsets[n]! > DENSE_SHARE * n * p ? fillDense(fillers, n, p) : fillSparse(fillers, p, offsets);
}

function fillDense(fillers: readonly RowFiller[], n: number, p: number): DenseMatrix {
  const values = new Float64Array(n * p);
  let base = 0;
  const put: Put = (column, value) => {
    values[base + column] = value;
  };
  for (let row = 0; row < n; row++) {
    base = row * p;
    put(0, 1);
    for (const filler of fillers) filler.fill(row, put);
  }
  return { kind: 'dense', rows: n, cols: p, values };
}

function fillSparse(fillers: readonly RowFiller[], p: number, offsets: Int32Array): SparseMatrix {
  const n = offsets.length - 1;
  const at = new Int32Array(offsets[n]!);
  const values = new Float64Array(offsets[n]!);
  let next = 0;
  const put: Put = (column, value) => {
    at[next] = column;
    values[next++] = value;
  };
  for (let row = 0; row < n; row++) {
    put(0, 1);
    for (const filler of fillers) filler.fill(row, put);
  }
  return { kind: 'sparse', rows: n, cols: p, offsets, at, values };
}

type Put = (column: number, value: number) => void;

interface RowFiller {
  size(row: number): number;
  fill(row: number, put: Put): void;
}

function numberFiller(part: NumberPart, { values }: NumericPredictor): RowFiller {
  const { scale, slope, missing, spline, splineColumns } = part;
  const evaluate = spline && splineColumns.some((column) => column >= 0) ? splineEvaluator(spline) : null;
  const buffer = new Float64Array(splineColumns.length);
  const present = (slope >= 0 ? 1 : 0) + splineColumns.filter((column) => column >= 0).length;
  const absent = missing >= 0 ? 1 : 0;
  return {
    size: (row) => (Number.isFinite(values[row]!) ? present : absent),
    fill: (row, put) => {
      const value = values[row]!;
      if (!Number.isFinite(value)) {
        if (missing >= 0) put(missing, 1);
        return;
      }
      if (!scale) return;
      const z = standardise(scale, value);
      if (slope >= 0) put(slope, z);
      if (!evaluate) return;
      evaluate(z, buffer, 0);
      for (let k = 0; k < splineColumns.length; k++) if (splineColumns[k]! >= 0) put(splineColumns[k]!, buffer[k]!);
    },
  };
}

function levelFiller(part: LevelPart, { codes, levels }: CategoryPredictor): RowFiller {
  const known = new Map(part.levels.map((level, code) => [level, part.places[code]!]));
  const places = Int32Array.from(levels, (level) => known.get(level) ?? UNSEEN);
  const { unseen } = part;
  const unseenSize = unseen.places.filter((column) => column >= 0).length;
  const columnOf = (row: number): number => {
    const code = codes[row]!;
    return isLevel(code, places.length) ? places[code]! : part.missing;
  };
  return {
    size: (row) => {
      const column = columnOf(row);
      return column >= 0 ? 1 : column === UNSEEN ? unseenSize : 0;
    },
    fill: (row, put) => {
      const column = columnOf(row);
      if (column >= 0) put(column, 1);
      else if (column === UNSEEN) {
        for (let k = 0; k < unseen.places.length; k++) {
          if (unseen.places[k]! >= 0) put(unseen.places[k]!, unseen.shares[k]!);
        }
      }
    },
  };
}

function pairFiller({ inputs, pairs }: PairPart, predictors: readonly Predictor[]): RowFiller {
  const waves = inputs.map((input) => wavesOf(input, numericNamed(predictors, input.name).values));
  const columns = pairs.flatMap(({ first, second, places }) =>
    PAIR_WAVES.map(([j, k], at) => ({ place: places[at]!, a: waves[first]![j - 1]!, b: waves[second]![k - 1]! })),
  );
  const kept = columns.filter(({ place }) => place >= 0);
  return {
    size: () => kept.length,
    fill: (row, put) => {
      for (const { place, a, b } of kept) put(place, a[row]! * b[row]!);
    },
  };
}

/** Rows of the fit use the other half's trees; new rows average both. */
function leafFiller(part: LeafPart, { predictors, n, halves }: AppliedRows): RowFiller {
  const { half } = part;
  const entry = half !== null && halves === null ? 0.5 : 1;
  const isOwn = (row: number): boolean => half !== null && halves?.[row] === half;
  const leaves = applyLeaves(part.trees, featureTable(part.features, predictors, n));
  const places = part.places.map((ofTree) => Int32Array.from(ofTree));
  return {
    size: (row) => {
      if (isOwn(row)) return 0;
      let size = 0;
      for (let t = 0; t < places.length; t++) if (places[t]![leaves[t]![row]!]! >= 0) size++;
      return size;
    },
    fill: (row, put) => {
      if (isOwn(row)) return;
      for (let t = 0; t < places.length; t++) {
        const column = places[t]![leaves[t]![row]!]!;
        if (column >= 0) put(column, entry);
      }
    },
  };
}

export function featureTable(
  features: readonly TreeFeature[],
  predictors: readonly Predictor[],
  n: number,
): FeatureTable {
  return {
    rows: n,
    features: features.map(({ name, levels }): Feature => {
      if (!levels) return { kind: 'numeric', values: numericNamed(predictors, name).values };
      const predictor = categoryNamed(predictors, name);
      const codeOf = new Map(levels.map((level, code) => [level, code]));
      const codes = predictor.levels.map((level) => codeOf.get(level) ?? -1);
      const missing = levels.length;
      return { kind: 'category', codes: predictor.codes.map((code) => codes[code] ?? missing), levels: missing + 1 };
    }),
  };
}

function numericNamed(predictors: readonly Predictor[], name: string): NumericPredictor {
  const found = predictors.find((predictor) => predictor.name === name);
  if (found?.kind === 'numeric') return found;
  throw new RangeError(mismatch(name, found, 'numeric'));
}

function categoryNamed(predictors: readonly Predictor[], name: string): CategoryPredictor {
  const found = predictors.find((predictor) => predictor.name === name);
  if (found?.kind === 'category') return found;
  throw new RangeError(mismatch(name, found, 'category'));
}

function mismatch(name: string, found: Predictor | undefined, kind: Predictor['kind']): string {
  const is = found ? `is ${found.kind}` : 'is not there';
  return `the design was fitted with a ${kind} predictor ${JSON.stringify(name)}, which ${is} now`;
}

/** Throws a RangeError for wrong lengths or repeated names. */
export function requirePredictors(predictors: readonly Predictor[], n: number): void {
  const names = new Set<string>();
  for (const predictor of predictors) {
    const length = predictor.kind === 'numeric' ? predictor.values.length : predictor.codes.length;
    if (length !== n) {
      throw new RangeError(`predictor ${JSON.stringify(predictor.name)} has ${length} rows, there are ${n}`);
    }
    if (names.has(predictor.name)) {
      throw new RangeError(`two predictors are named ${JSON.stringify(predictor.name)}: rename one of them`);
    }
    names.add(predictor.name);
  }
}

/** Does not copy. */
export const slicePredictors = (predictors: readonly Predictor[], from: number, to: number): Predictor[] =>
  predictors.map((predictor) =>
    predictor.kind === 'numeric'
      ? { ...predictor, values: predictor.values.subarray(from, to) }
      : { ...predictor, codes: predictor.codes.subarray(from, to) },
  );

export function takePredictors(predictors: readonly Predictor[], rows: Int32Array): Predictor[] {
  return predictors.map((predictor) =>
    predictor.kind === 'numeric'
      ? { ...predictor, values: takeNumbers(predictor.values, rows) }
      : { ...predictor, codes: Int32Array.from(rows, (row) => predictor.codes[row]!) },
  );
}
