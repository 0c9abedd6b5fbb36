/** The nodes of a TLL copula: equally spaced on the normal scale, with the outermost moved to 0 and 1. */
import { normalCdf } from '../../special/normal.ts';

export const GRID_SIZE = 30;
/** Normal score of the last node before it is moved to 1. */
const GRID_REACH = 3.25;

/** Normal scores of the nodes. */
export function gridScores(size: number): Float64Array {
  return Float64Array.from({ length: size }, (_, i) => -GRID_REACH + (2 * GRID_REACH * i) / (size - 1));
}

/** The nodes on the unit interval. */
function gridNodes(size: number): Float64Array {
  const nodes = gridScores(size).map(normalCdf);
  nodes[0] = 0;
  nodes[size - 1] = 1;
  return nodes;
}

/** Weights of the trapezoid rule on these nodes: exact for functions linear between them. */
export function trapezoidWeights(nodes: Float64Array): Float64Array {
  return nodes.map((node, i) => 0.5 * ((nodes[i + 1] ?? node) - (nodes[i - 1] ?? node)));
}

const TABLE_SIZE = 4096;

export interface Grid {
  nodes: Float64Array;
  /** The i with nodes[i] ≤ u ≤ nodes[i + 1], i from 0 to size - 2. */
  find(u: number): number;
}

const known = new Map<number, Grid>();

/** Nodes and cells of a size: one for all copulas, so that drawing from a vine keeps one table at hand. Not to be written to. */
export function gridOf(size: number): Grid {
  const found = known.get(size);
  if (found) return found;
  const nodes = gridNodes(size);
  const grid = { nodes, find: cellFinder(nodes) };
  known.set(size, grid);
  return grid;
}

/** Finds cells: the i with nodes[i] ≤ u ≤ nodes[i + 1], i from 0 to size - 2, through a table over the unit interval. */
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
