/** Writes grown trees as an order of columns and an array (Morales-Nápoles, 2010), by peeling off one column at a time. */
import type { PairCopula } from '../pairCopula.ts';
import type { GrownEdge } from './growVine.ts';
import { transposePair } from './transposePair.ts';
import type { VineStructure } from './vine.ts';

/**
 * `preferred`: the columns in the order in which they leave, as far as the trees let them. A column can leave whose only
 * edge in each tree is its own; of every tree of a regular vine, truncated or not, two can.
 */
export function arrangeVine(
  trees: readonly (readonly GrownEdge[])[],
  preferred: readonly number[],
): { structure: VineStructure; pairs: PairCopula[][] } {
  const left = trees.map((edges) => new Set(edges));
  const counts = left.map((edges) => countColumns(edges, preferred.length));
  const waiting = [...preferred];
  const order: number[] = [];
  const rows: { other: number; pair: PairCopula }[][] = trees.map(() => []);
  while (waiting.length > 0) {
    const depth = Math.min(trees.length, waiting.length - 1);
    const at = waiting.findIndex((column) => counts.slice(0, depth).every((count) => count[column] === 1));
    if (at < 0) throw new RangeError('these trees are no regular vine: no column can be taken off them');
    const column = waiting.splice(at, 1)[0]!;
    order.push(column);
    for (let t = 0; t < depth; t++) {
      const edge = [...left[t]!].find(({ columns }) => columns.includes(column))!;
      left[t]!.delete(edge);
      for (const member of edge.columns) counts[t]![member]!--;
      const first = edge.a === column;
      rows[t]!.push({ other: first ? edge.b : edge.a, pair: first ? edge.pair : transposePair(edge.pair) });
    }
  }
  const place = new Map(order.map((column, at) => [column, at]));
  return {
    structure: { order, array: rows.map((row) => row.map(({ other }) => place.get(other)!)) },
    pairs: rows.map((row) => row.map(({ pair }) => pair)),
  };
}

function countColumns(edges: Iterable<GrownEdge>, columns: number): Int32Array {
  const counts = new Int32Array(columns);
  for (const edge of edges) for (const column of edge.columns) counts[column]!++;
  return counts;
}
