/**
 * Regular vines (Bedford and Cooke, 2002): a density of d uniforms as a product of d(d-1)/2 pair copulas, tree by tree.
 * Shapes: d columns, n rows, T ≤ d-1 trees; tree t (from 0) has d-1-t edges.
 */
import { field, list, number, type SavedNode, text, whole } from '../../savedNode.ts';
import type { PairCopula, SavedGrid, SavedPair } from '../pairCopula.ts';
import { restorePair } from '../restorePair.ts';

/**
 * Columns in an order, each joined to later ones. Edge e of tree t joins column order[e] to column order[array[t][e]] given
 * the columns order[array[0..t-1][e]]: `array` holds positions in the order, all above e. The last column in the order is
 * simulated first.
 */
export interface VineStructure {
  order: readonly number[];
  array: readonly (readonly number[])[];
}

/** How a vine came to be: plain JSON, which types are and interfaces are not. */
type VineFit = {
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

/** A regular vine (Bedford and Cooke, 2002): d - 1 trees of pair copulas at most. */
export interface Vine {
  structure: VineStructure;
  /** pairs[t][e]: the copula of edge e in tree t, its first argument that of column order[e]. */
  pairs: readonly (readonly PairCopula[])[];
  fit: VineFit;
}

/** A vine as plain JSON, for `restoreVine`. */
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

/** least[t][e]: the least position among array[0..t][e]: the column through which edge e of tree t meets tree t-1. */
export function leastPlaces(array: VineStructure['array']): number[][] {
  const least: number[][] = [];
  array.forEach((row, t) => {
    least.push(row.map((position, e) => Math.min(position, least[t - 1]?.[e] ?? position)));
  });
  return least;
}

// Whether an order and an array describe a regular vine.

/** Throws RangeError, saying where, if `structure` is no regular vine of `columns` columns, truncated or not. */
export function checkStructure({ order, array }: VineStructure, columns: number): void {
  const sorted = [...order].sort((a, b) => a - b);
  if (order.length !== columns || sorted.some((column, k) => column !== k)) {
    throw new RangeError(`a vine's order holds each of the columns 0 … ${columns - 1} once, not ${order.join(', ')}`);
  }
  if (array.length > columns - 1) throw new RangeError(`${columns} columns have at most ${columns - 1} trees`);
  const least = leastPlaces(array);
  array.forEach((row, t) => {
    if (row.length !== columns - 1 - t) {
      throw new RangeError(`tree ${t + 1} of ${columns} columns has ${columns - 1 - t} edges, not ${row.length}`);
    }
    row.forEach((position, e) => {
      const seen = array.slice(0, t).some((before) => before[e] === position);
      if (!(Number.isInteger(position) && position > e && position < columns) || seen) {
        throw new RangeError(
          `edge ${e + 1} of tree ${t + 1} goes to position ${position}: a later position, and one not yet joined`,
        );
      }
      if (t > 0 && !isProximate(array, t, e, least[t]![e]!)) {
        throw new RangeError(
          `edge ${e + 1} of tree ${t + 1} joins nodes that share none of tree ${t}: no regular vine`,
        );
      }
    });
  });
}

/** Column `other` must have the same set in tree t-1 as edge e has besides it. */
function isProximate(array: VineStructure['array'], t: number, e: number, other: number): boolean {
  const own = array.slice(0, t + 1).map((row) => row[e]!);
  const theirs = new Set([other, ...array.slice(0, t).map((row) => row[other]!)]);
  return own.every((position) => theirs.has(position));
}

// A vine as plain JSON, and back.

/** The vine as plain JSON: `restoreVine` gives one that simulates the same bytes. */
export const saveVine = ({ structure, pairs, fit }: Vine): SavedVine => ({
  order: [...structure.order],
  array: structure.array.map((row) => [...row]),
  pairs: pairs.map((tree) => tree.map((pair) => pair.save())),
  fit: { ...fit },
});

/**
 * The vine that was saved: it simulates the same bytes. Throws RangeError for what is no vine, saying where, and for pairs of
 * other families than tll and independence.
 */
export function restoreVine(saved: unknown): Vine {
  const root = { value: saved, path: 'the saved vine' };
  const structure = {
    order: list(field(root, 'order'), whole),
    array: list(field(root, 'array'), (row) => list(row, whole)),
  };
  checkStructure(structure, structure.order.length);
  const pairs = list(field(root, 'pairs'), (tree) => list(tree, readPair));
  const sizes = structure.array.map((row) => row.length);
  if (pairs.length !== sizes.length || pairs.some((tree, t) => tree.length !== sizes[t])) {
    throw new RangeError(
      `the saved vine has ${pairs.flat().length} pair copulas, and its trees have ${sizes.join(' + ')} edges`,
    );
  }
  return { structure, pairs, fit: readFit(field(root, 'fit')) };
}

function readPair(node: SavedNode): PairCopula {
  const family = text(field(node, 'family'));
  return restorePair(family === 'tll' ? { family, grid: readGrid(field(node, 'grid')) } : { family });
}

const readGrid = (node: SavedNode): SavedGrid => ({
  size: whole(field(node, 'size')),
  values: list(field(node, 'values'), number),
  parameterCount: number(field(node, 'parameterCount')),
});

const readFit = (node: SavedNode): VineFit => ({
  rows: whole(field(node, 'rows')),
  structureRows: whole(field(node, 'structureRows')),
  logLikelihood: number(field(node, 'logLikelihood')),
  parameterCount: number(field(node, 'parameterCount')),
  threshold: number(field(node, 'threshold')),
});
