/**
 * Plain JSON that restores the same columns exactly. `places` are column indices: -1 for none, -2 for unseen levels.
 */
import type { BoostedTrees } from '../../trees/boostedTrees.ts';
import type { Half } from './crossFit.ts';
import type { SplineBasis } from './splineBasis.ts';

export interface NumberScale {
  unit: number;
  /** Fences, and moments between them, in units. */
  low: number;
  high: number;
  mean: number;
  sd: number;
}

export interface NumberPart {
  kind: 'number';
  name: string;
  /** Null with fewer than two distinct values. */
  scale: NumberScale | null;
  /** Missing cells are 0 here and in the spline. */
  slope: number;
  missing: number;
  spline: SplineBasis | null;
  splineColumns: number[];
}

export interface LevelPart {
  kind: 'levels';
  name: string;
  levels: string[];
  /** -1 for the baseline. */
  places: number[];
  missing: number;
  /** Empty if pooled, else shares of the levels. */
  unseen: { places: number[]; shares: number[] };
}

/** Levels are null for numbers. */
export interface TreeFeature {
  name: string;
  levels: string[] | null;
}

export interface LeafPart {
  kind: 'leaves';
  /** Half that the trees were grown on; null for all rows. */
  half: Half | null;
  features: TreeFeature[];
  trees: BoostedTrees;
  /** Column of each leaf by tree; -1 for the largest, the baseline. */
  places: number[][];
}

/** `cuts`: ascending values at even ranks. */
export interface RankedInput {
  name: string;
  cuts: number[];
}

export interface PairPart {
  kind: 'pairs';
  inputs: RankedInput[];
  /** A column for each of `PAIR_WAVES`. */
  pairs: { first: number; second: number; places: number[] }[];
}

export type Part = NumberPart | LevelPart | LeafPart | PairPart;

interface DesignColumn {
  /** Display name, such as `carat spline 2`, `cut = Ideal` or `tree 3 leaf 7`. */
  name: string;
  sd: number;
  /** Column units per predictor unit if linear, else null. */
  perUnit: number | null;
}

interface DesignPool {
  name: string;
  columns: number[];
  /** Relative to the pool's scale. */
  sds: number[];
}

export interface DroppedColumn {
  name: string;
  reason: string;
}

export interface Design {
  columns: DesignColumn[];
  pools: DesignPool[];
  parts: Part[];
  dropped: DroppedColumn[];
}

export const namesOf = (design: Design): string[] => design.columns.map(({ name }) => name);

/** Nonfinite cells are missing. */
export interface NumericPredictor {
  kind: 'numeric';
  name: string;
  values: Float64Array;
}

/** Codes outside `levels` are missing. */
export interface CategoryPredictor {
  kind: 'category';
  name: string;
  codes: Int32Array;
  levels: readonly string[];
}

/** A predictor column of n numbers or levels. */
export type Predictor = NumericPredictor | CategoryPredictor;

interface DraftColumn {
  name: string;
  perUnit: number | null;
}

export class Draft {
  readonly columns: DraftColumn[] = [{ name: 'intercept', perUnit: null }];
  readonly pools: DesignPool[] = [];
  readonly parts: Part[] = [];
  readonly dropped: DroppedColumn[] = [];

  addColumn(name: string, perUnit: number | null): number {
    return this.columns.push({ name, perUnit }) - 1;
  }

  addPool(name: string, columns: readonly number[], sd: number): void {
    const pool = this.pools.find((own) => own.name === name) ?? { name, columns: [], sds: [] };
    if (!this.pools.includes(pool)) this.pools.push(pool);
    pool.columns.push(...columns);
    pool.sds.push(...columns.map(() => sd));
  }

  drop(name: string, reason: string): void {
    this.dropped.push({ name, reason });
  }
}

/** Levels without training rows. */
export const UNSEEN = -2;

export const isLevel = (code: number, levels: number): boolean => code >= 0 && code < levels;
