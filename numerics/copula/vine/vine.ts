/**
 * Regular vines (Bedford and Cooke, 2002): a density of d uniforms as a product of d(d-1)/2 pair copulas, tree by tree.
 * Shapes: d columns, n rows, T ≤ d-1 trees; tree t (from 0) has d-1-t edges.
 */
import type { PairCopula, SavedPair } from '../pairCopula.ts';

/**
 * Columns in an order, each joined to later ones. Edge e of tree t joins column order[e] to column order[array[t][e]] given
 * the columns order[array[0..t-1][e]]: `array` holds places in the order, all above e. The last column in the order is
 * simulated first.
 */
export interface VineStructure {
  order: readonly number[];
  array: readonly (readonly number[])[];
}

/** How a vine came to be: plain JSON, which types are and interfaces are not. */
export type VineFit = {
  /** Rows that pair copulas were fitted to. */
  rows: number;
  /** Rows, among them, that trees were chosen by, at most: fewer where a tree had very many candidates. */
  structureRows: number;
  /** Over `rows`, by the fits of the edges. */
  logLikelihood: number;
  parameterCount: number;
  /** Least |τ| of an edge that was not set independent; 0: all were fitted. */
  threshold: number;
};

export interface Vine {
  structure: VineStructure;
  /** pairs[t][e]: the copula of edge e in tree t, its first argument that of column order[e]. */
  pairs: readonly (readonly PairCopula[])[];
  fit: VineFit;
}

export type SavedVine = {
  order: number[];
  array: number[][];
  pairs: SavedPair[][];
  fit: VineFit;
};

/** Columns of F(x) in [0, 1], n each; NaN where a cell is missing. `uBelow`: F(x⁻) of discrete columns, null of others. */
export interface VineData {
  u: readonly Float64Array[];
  uBelow?: readonly (Float64Array | null)[];
}

/** Columns of a vine. */
export const columnsOf = (vine: { structure: VineStructure }): number => vine.structure.order.length;

/** least[t][e]: the least place among array[0..t][e]: the column through which edge e of tree t meets tree t-1. */
export function leastPlaces(array: VineStructure['array']): number[][] {
  const least: number[][] = [];
  array.forEach((row, t) => {
    least.push(row.map((place, e) => Math.min(place, least[t - 1]?.[e] ?? place)));
  });
  return least;
}
