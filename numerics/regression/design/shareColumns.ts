/** How many columns each part of a design may have: a stated rule in n rows and the widest design that is wanted. */
import type { LeafSettings } from './leafPart.ts';

export interface DesignOptions {
  /** Columns of the matrix, at most. */
  maxColumns: number;
  /** Rows that the design is learnt from, at most. */
  learningRows: number;
  /** Knots of a bend, at most. */
  maxKnots: number;
  /** Trees for interactions, at most; 0 for none. */
  trees: number;
  maxDepth: number;
  learningRate: number;
}

export const DESIGN_DEFAULTS: Readonly<DesignOptions> = {
  maxColumns: 700,
  learningRows: 100_000,
  maxKnots: 12,
  trees: 20,
  maxDepth: 5,
  learningRate: 0.2,
};

/** Slopes, indicators of missing numbers and levels: this share of all columns, at most. */
export const MAIN_SHARE = 0.6;
/** Bends: this share, and one for this many rows. */
const BEND_SHARE = 0.3;
const ROWS_A_BEND = 8;
/** A leaf's column for this many rows; with fewer leaves than this in all, trees are not worth their while. */
const ROWS_A_LEAF = 25;
const LEAST_LEAVES = 12;
/** Rows of a leaf, and one more for every 400 rows: the more noise there is to fit, the larger. */
const LEAST_LEAF_ROWS = 20;

/** Knots of each of `numbers` numeric predictors; below 3: no bends. A third root of n, as smoothing wants. */
export function knotsFor(n: number, numbers: number, { maxColumns, maxKnots }: DesignOptions): number {
  const room = Math.min(BEND_SHARE * maxColumns, n / ROWS_A_BEND);
  return Math.min(maxKnots, Math.floor(Math.cbrt(n)) + 2, 2 + Math.floor(room / Math.max(1, numbers)));
}

/** Undefined where there is no room for trees. `used`: columns that are taken. */
export function leavesFor(n: number, used: number, options: DesignOptions): LeafSettings | undefined {
  const room = Math.floor(Math.min(options.maxColumns - used, n / ROWS_A_LEAF));
  if (room < LEAST_LEAVES || options.trees < 1) return undefined;
  const trees = Math.min(options.trees, Math.floor(room / 3));
  const maxLeaves = Math.min(2 ** options.maxDepth, 1 + Math.floor(room / trees));
  const { maxDepth, learningRate } = options;
  return { trees, maxLeaves, maxDepth, learningRate, minLeafRows: LEAST_LEAF_ROWS + Math.floor(n / 400) };
}
