/**
 * Class probabilities log p(k | row) = αₖ + Σ θ u(bin) v(k). Correspondence analysis gives the scores u and v
 * (Goodman's RC model 1979; Greenacre 1984), maximum likelihood gives θ and α. n rows, K classes, P associations.
 */
import { lbfgs } from '../optimise/lbfgs.ts';
import {
  applyBinning,
  binFeature,
  type Feature,
  type FeatureBins,
  type FeatureTable,
  valueBins,
} from '../trees/features.ts';
import { minusLogDensity } from './associationDensity.ts';
import { type Axis, axesOf, neverIn, residualsOf } from './correspondence.ts';

export interface AssociationModel {
  classes: number;
  binning: FeatureBins[];
  features: number[];
  /** αₖ (K). */
  base: Float64Array;
  terms: Association[];
  /** Bins and classes that never co-occur although chance would make them frequent. */
  never: Never[];
}

export interface Never {
  /** Index into `binning`. */
  of: number;
  bin: number;
  one: number;
}

export interface Association {
  /** Index into `binning`. */
  of: number;
  /** Scores of bins (missing last) and K classes. */
  u: Float64Array;
  v: Float64Array;
  theta: number;
}

const NUMBER_BINS = 8;
const MAX_LEVELS = 60;
const MAX_TERMS = 30;
const SEARCH = {
  iterations: 60,
  memory: 8,
  firstScale: 1,
  lineSearch: 'wolfe',
  minCurvature: 1e-10,
  valueTolerance: 1e-7,
  slopeTolerance: 1e-10,
} as const;

/** @param classes 0 … K - 1 by row. */
export function fitAssociation(table: FeatureTable, classes: Int32Array, kinds: number): AssociationModel {
  const features = [...table.features.keys()].filter((f) => isLimited(table.features[f]!));
  const own = { rows: table.rows, features: features.map((f) => table.features[f]!) };
  const target = Float64Array.from(classes);
  const binning = own.features.map((one) => binFeature(one, target, one.kind === 'numeric' ? NUMBER_BINS : undefined));
  const columns = applyBinning(binning, own);
  const axes: PlacedAxis[] = [];
  const never: Never[] = [];
  for (const [of, column] of columns.entries()) {
    const residuals = residualsOf(column, valueBins(binning[of]!) + 1, classes, kinds);
    never.push(...neverIn(residuals).map((pair) => ({ of, ...pair })));
    axes.push(...axesOf(residuals).map((axis) => ({ of, ...axis })));
  }
  const terms = axes.sort((a, b) => b.weight - a.weight || a.of - b.of).slice(0, MAX_TERMS);
  return { classes: kinds, binning, features, ...fitWeights(terms, columns, classes, kinds), never };
}

const isLimited = (feature: Feature): boolean => feature.kind === 'numeric' || feature.levels <= MAX_LEVELS;

/** Calls `each` per row with class probabilities (K, overwritten). */
export function eachAssociated(
  { classes, binning, features, base, terms, never }: AssociationModel,
  table: FeatureTable,
  each: (row: number, p: Float64Array) => void,
): void {
  const own = { rows: table.rows, features: features.map((f) => table.features[f]!) };
  const columns = applyBinning(binning, own);
  const p = new Float64Array(classes);
  for (let row = 0; row < table.rows; row++) {
    p.set(base);
    for (const { of, u, v, theta } of terms) {
      const by = theta * u[columns[of]![row]!]!;
      for (let k = 0; k < classes; k++) p[k]! += by * v[k]!;
    }
    for (const { of, bin, one } of never) if (columns[of]![row] === bin) p[one]! -= NEVER;
    softmax(p);
    each(row, p);
  }
}

/** Excludes a class unless no other remains. */
const NEVER = 1e3;

function softmax(p: Float64Array): void {
  let most = Number.NEGATIVE_INFINITY;
  for (const own of p) most = Math.max(most, own);
  let sum = 0;
  for (let k = 0; k < p.length; k++) {
    p[k] = Math.exp(p[k]! - most);
    sum += p[k]!;
  }
  for (let k = 0; k < p.length; k++) p[k]! /= sum;
}

// Uses standard normal priors on weights.

type PlacedAxis = Axis & { of: number };

function fitWeights(
  axes: readonly PlacedAxis[],
  columns: readonly Uint8Array[],
  classes: Int32Array,
  kinds: number,
): Pick<AssociationModel, 'base' | 'terms'> {
  const counts = new Float64Array(kinds);
  for (const one of classes) counts[one]!++;
  const start = new Float64Array(axes.length + kinds);
  start.set(
    counts.map((count) => Math.log((count + 0.5 / kinds) / (classes.length + 0.5))),
    axes.length,
  );
  const placed = axes.map(({ of, u, v }) => ({ u, v, column: columns[of]! }));
  const { at } = lbfgs(minusLogDensity(placed, classes, kinds), start, SEARCH);
  return {
    base: at.slice(axes.length),
    terms: axes.map(({ of, u, v }, c) => ({ of, u, v, theta: at[c]! })),
  };
}
