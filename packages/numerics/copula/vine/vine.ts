/** Regular vines (Bedford and Cooke 2002). d columns, n rows, T ≤ d-1 trees; tree t (from 0) has d-1-t edges. */
import { field, list, number, type SavedNode, text, whole } from '../../savedNode.ts';
import type { PairCopula, SavedGrid, SavedPair } from '../pairCopula.ts';
import { restorePair } from '../restorePair.ts';

/** Edge e of tree t joins order[e] to order[array[t][e]] given order[array[0..t-1][e]]; positions exceed e. */
export interface VineStructure {
  order: readonly number[];
  array: readonly (readonly number[])[];
}

type VineFit = {
  rows: number;
  /** Maximum rows for choosing trees. */
  structureRows: number;
  logLikelihood: number;
  parameterCount: number;
  /** Minimum |τ| of fitted edges. */
  threshold: number;
};

/** A regular vine with up to d - 1 trees. */
export interface Vine {
  structure: VineStructure;
  /** First arguments belong to order[e]. */
  pairs: readonly (readonly PairCopula[])[];
  fit: VineFit;
}

/** A vine as plain JSON for `restoreVine`. */
export type SavedVine = {
  order: number[];
  array: number[][];
  pairs: SavedPair[][];
  fit: VineFit;
};

/** F(x) in [0, 1] (n each); NaN is missing. `uBelow`: F(x⁻), or null if continuous. */
export interface VineData {
  u: readonly Float64Array[];
  uBelow?: readonly (Float64Array | null)[];
}

export const columnsOf = (vine: { structure: VineStructure }): number => vine.structure.order.length;

/** Least position in array[0..t][e]. */
export function leastPlaces(array: VineStructure['array']): number[][] {
  const least: number[][] = [];
  array.forEach((row, t) => {
    least.push(row.map((position, e) => Math.min(position, least[t - 1]?.[e] ?? position)));
  });
  return least;
}

/** Throws a RangeError with the reason unless `structure` is a regular vine. */
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

function isProximate(array: VineStructure['array'], t: number, e: number, other: number): boolean {
  const own = array.slice(0, t + 1).map((row) => row[e]!);
  const theirs = new Set([other, ...array.slice(0, t).map((row) => row[other]!)]);
  return own.every((position) => theirs.has(position));
}

/** Serialises to JSON; restoring simulates identical bytes. */
export const saveVine = ({ structure, pairs, fit }: Vine): SavedVine => ({
  order: [...structure.order],
  array: structure.array.map((row) => [...row]),
  pairs: pairs.map((tree) => tree.map((pair) => pair.save())),
  fit: { ...fit },
});

/** Throws a RangeError with the invalid path or family. */
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
