/**
 * A learnt design: how predictors become the columns of a linear predictor. JSON as it is (plain objects, arrays, finite
 * numbers), so that what is saved and read back gives the same columns to the last bit.
 * A place is the index of a column of the matrix; -1 where the column was dropped or there is none, -2 for a level
 * that no learning row has.
 */
import type { BoostedTrees } from '../../trees/boostedTrees.ts';
import type { Bend } from './bend.ts';
import type { NumberScale } from './numberScale.ts';

export interface NumberPart {
  kind: 'number';
  name: string;
  /** Null where the column has no two distinct values; then only its missing cells can matter. */
  scale: NumberScale | null;
  /** Place of z; a missing cell has 0 there and in the bends, which is their mean. */
  slope: number;
  /** Place of the indicator of a missing cell. */
  missing: number;
  bend: Bend | null;
  /** One a column of the bend. */
  bends: number[];
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
  features: TreeFeature[];
  trees: BoostedTrees;
  /** A place for each leaf of each tree; -1 for the largest of a tree, which others are measured against. */
  places: number[][];
}

export type Part = NumberPart | LevelPart | LeafPart;

export interface DesignColumn {
  /** For people: `carat`, `carat bend 2`, `carat is missing`, `cut = Ideal`, `tree 3 leaf 7`. */
  name: string;
  /** Standard deviation over the learning rows. */
  sd: number;
  /** What one unit of the column is in the predictor's own units, where it is a straight line in it; else null. */
  perUnit: number | null;
}

export interface DesignPool {
  name: string;
  columns: number[];
  /** Prior standard deviation of each coefficient, in units of the scale that the pool learns. */
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
