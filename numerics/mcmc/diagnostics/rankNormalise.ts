/** Normal scores: each draw replaced by the normal quantile of its rank among all. */
import { normalQuantile } from '../../special/normal.ts';
import { type Chains, pooled } from './chains.ts';

/** Blom's offset (1958). */
const OFFSET = 3 / 8;

/** Ties have their mean rank. */
export function rankNormalise(chains: Chains): Float64Array[] {
  const sorted = pooled(chains).sort();
  const size = sorted.length;
  const scores = scoresOf(sorted);
  return chains.map((chain) => chain.map((x) => scores[lowerBound(sorted, x, size)]!));
}

/** By place of the first of its ties: the score of their mean rank. */
function scoresOf(sorted: Float64Array): Float64Array {
  const size = sorted.length;
  const scores = new Float64Array(size);
  for (let from = 0; from < size; ) {
    let to = from + 1;
    while (to < size && sorted[to] === sorted[from]) to++;
    const rank = (from + 1 + to) / 2;
    scores[from] = normalQuantile((rank - OFFSET) / (size - 2 * OFFSET + 1));
    from = to;
  }
  return scores;
}

function lowerBound(sorted: Float64Array, x: number, size: number): number {
  let low = 0;
  let high = size;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (sorted[middle]! < x) low = middle + 1;
    else high = middle;
  }
  return low;
}
