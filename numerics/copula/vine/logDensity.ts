/** The density of a vine. Shapes: d columns, n rows. */
import { type Conditioned, rowLogDensity } from '../discrete.ts';
import type { PairCopula } from '../pairCopula.ts';
import { DensityRecursion } from './recursion.ts';
import type { Vine, VineData } from './vine.ts';

const BLOCK_ROWS = 512;

/**
 * Log density of each row, relative to independent margins where columns are discrete. Edges of missing cells count as
 * independent, which is the density of the cells that are there if they are all in edges without them.
 */
export function vineLogDensity(vine: Vine, data: VineData): Float64Array {
  const { order } = vine.structure;
  if (data.u.length !== order.length) {
    throw new RangeError(`this vine has ${order.length} columns, and there are ${data.u.length}`);
  }
  const n = data.u[0]!.length;
  const out = new Float64Array(n);
  for (let from = 0; from < n; from += BLOCK_ROWS) {
    const to = Math.min(from + BLOCK_ROWS, n);
    const recursion = new DensityRecursion(vine);
    const block = out.subarray(from, to);
    for (let e = order.length - 1; e >= 0; e--) {
      const below = data.uBelow?.[order[e]!]?.subarray(from, to) ?? null;
      recursion.add(e, { at: data.u[order[e]!]!.subarray(from, to), below }, (pair, a, b) =>
        addEdge(pair, a, b, block),
      );
    }
  }
  return out;
}

function addEdge(pair: PairCopula, a: Conditioned, b: Conditioned, out: Float64Array): void {
  if (pair.family === 'independence') return;
  for (let i = 0; i < out.length; i++) {
    const [u, v] = [a.at[i]!, b.at[i]!];
    if (Number.isNaN(u) || Number.isNaN(v)) continue;
    out[i]! += rowLogDensity(pair, u, v, a.below?.[i] ?? u, b.below?.[i] ?? v);
  }
}
