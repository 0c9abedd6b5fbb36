/** TLL nodes: equally spaced normal scores, except the ends at 0 and 1. */
import { normalCdf } from '../../special/normal.ts';

export const GRID_SIZE = 30;
const GRID_REACH = 3.25;

export function gridScores(size: number): Float64Array {
  return Float64Array.from({ length: size }, (_, i) => -GRID_REACH + (2 * GRID_REACH * i) / (size - 1));
}

function gridNodes(size: number): Float64Array {
  const nodes = gridScores(size).map(normalCdf);
  nodes[0] = 0;
  nodes[size - 1] = 1;
  return nodes;
}

export function trapezoidWeights(nodes: Float64Array): Float64Array {
  return nodes.map((node, i) => 0.5 * ((nodes[i + 1] ?? node) - (nodes[i - 1] ?? node)));
}

const TABLE_SIZE = 4096;

export interface Grid {
  nodes: Float64Array;
  /** Returns i with nodes[i] ≤ u ≤ nodes[i + 1]. */
  find(u: number): number;
}

const known = new Map<number, Grid>();

/** Shared between copulas for cache locality. Do not modify. */
export function gridOf(size: number): Grid {
  const found = known.get(size);
  if (found) return found;
  const nodes = gridNodes(size);
  const grid = { nodes, find: cellFinder(nodes) };
  known.set(size, grid);
  return grid;
}

function cellFinder(nodes: Float64Array): (u: number) => number {
  const last = nodes.length - 2;
  const table = new Uint16Array(TABLE_SIZE + 1);
  let cell = 0;
  for (let k = 0; k <= TABLE_SIZE; k++) {
    while (cell < last && nodes[cell + 1]! <= k / TABLE_SIZE) cell++;
    table[k] = cell;
  }
  return (u) => {
    let at = table[Math.floor(u * TABLE_SIZE)]!;
    while (at < last && nodes[at + 1]! <= u) at++;
    return at;
  };
}
