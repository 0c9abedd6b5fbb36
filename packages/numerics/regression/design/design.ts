/**
 * A fitted design: how predictors become the columns of a linear predictor. JSON as it is (plain objects, arrays, finite
 * numbers), so that what is saved and read back gives the same columns to the last bit.
 * Each of `places` is the index of a column of the matrix; -1 where the column was dropped or there is none, -2 for a
 * level that no training row has.
 */
import type { BoostedTrees } from '../../trees/boostedTrees.ts';
import type { Half } from './crossFit.ts';
import type { SplineBasis } from './splineBasis.ts';

/** How a column of numbers becomes a coordinate of mean 0 and standard deviation 1. */
export interface NumberScale {
  unit: number;
  /** Fences, and mean and sd of what is between them, in units. */
  low: number;
  high: number;
  mean: number;
  sd: number;
}

export interface NumberPart {
  kind: 'number';
  name: string;
  /** Null where the column has no two distinct values; then only its missing cells can matter. */
  scale: NumberScale | null;
  /** Column of z; a missing cell has 0 there and in the spline, which is their mean. */
  slope: number;
  /** Column of the indicator of a missing cell. */
  missing: number;
  spline: SplineBasis | null;
  /** One a column of the spline basis. */
  splineColumns: number[];
}

export interface LevelPart {
  kind: 'levels';
  name: string;
  levels: string[];
  /** One a level: of its own, of all rare levels, or -1 for the level that others are measured against. */
  places: number[];
  missing: number;
  /** What a level that was never seen has: nothing where effects are pooled, else the shares of the levels. */
  unseen: { places: number[]; shares: number[] };
}

/** A predictor as trees see it; levels for codes, null for numbers. */
export interface TreeFeature {
  name: string;
  levels: string[] | null;
}

export interface LeafPart {
  kind: 'leaves';
  /** Half of the training rows that the trees were grown on (see crossFit.ts); null if they were grown on all rows. */
  half: Half | null;
  features: TreeFeature[];
  trees: BoostedTrees;
  /** A column for each leaf of each tree; -1 for the largest of a tree, which others are measured against. */
  places: number[][];
}

/** A number as a share of rank: `cuts` are values at even shares of the training rows, ascending. */
export interface RankedInput {
  name: string;
  cuts: number[];
}

export interface PairPart {
  kind: 'pairs';
  inputs: RankedInput[];
  /** Two of the inputs by index, and a column for each of `PAIR_WAVES`. */
  pairs: { first: number; second: number; places: number[] }[];
}

export type Part = NumberPart | LevelPart | LeafPart | PairPart;

interface DesignColumn {
  /** For people: `carat`, `carat spline 2`, `carat is missing`, `cut = Ideal`, `carat with depth 1.2`, `tree 3 leaf 7`. */
  name: string;
  /** Standard deviation over the training rows. */
  sd: number;
  /** What one unit of the column is in the predictor's own units, where it is a straight line in it; else null. */
  perUnit: number | null;
}

interface DesignPool {
  name: string;
  columns: number[];
  /** Prior standard deviation of each coefficient, in units of the scale of the pool. */
  sds: number[];
}

export interface DroppedColumn {
  name: string;
  reason: string;
}

export interface Design {
  /** The first is the intercept. */
  columns: DesignColumn[];
  pools: DesignPool[];
  parts: Part[];
  dropped: DroppedColumn[];
}

export const namesOf = (design: Design): string[] => design.columns.map(({ name }) => name);

// What a design is fitted to and applied to: columns of numbers and of levels, of equal length. n = rows.

/** NaN is a missing cell, and so is an infinite one. */
export interface NumericPredictor {
  kind: 'numeric';
  name: string;
  values: Float64Array;
}

/** Codes point into `levels`; any code outside of them (-1) is a missing cell. */
export interface CategoryPredictor {
  kind: 'category';
  name: string;
  codes: Int32Array;
  levels: readonly string[];
}

/** A column of n rows that a response is explained by: numbers or levels. */
export type Predictor = NumericPredictor | CategoryPredictor;

// A design in the making: parts, the columns they ask for, and the pools these share.

interface DraftColumn {
  name: string;
  perUnit: number | null;
}

export class Draft {
  readonly columns: DraftColumn[] = [{ name: 'intercept', perUnit: null }];
  readonly pools: DesignPool[] = [];
  readonly parts: Part[] = [];
  readonly dropped: DroppedColumn[] = [];

  /** Returns its index. */
  addColumn(name: string, perUnit: number | null): number {
    return this.columns.push({ name, perUnit }) - 1;
  }

  /** Columns of a pool that is there already join it. */
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

/** -2 marks levels that are in the dictionary and in no training row: they are as unseen as others. */
export const UNSEEN = -2;

export const isLevel = (code: number, levels: number): boolean => code >= 0 && code < levels;
