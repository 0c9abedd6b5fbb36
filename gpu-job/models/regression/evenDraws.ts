/**
 * Predictive draws that are even among like rows: each row has a few draws of its own, and takes the one whose rank among
 * them a uniform number says. Where that number is uniform, so is the rank, and what is taken is a draw of the same
 * distribution; where numbers are even among neighbours, means of neighbours lie nearer to what is expected of them
 * (stratified sampling).
 */
import type { RandomStream } from '../../../numerics/random/stream.ts';

/** Draws that a row has to choose from. */
export const CANDIDATES = 16;
/** Rows of like means that share the parts of [0, 1). */
const NEIGHBOURS = 16;

/** n numbers in [0, 1), each uniform: in the order of their means, of every few rows each part of [0, 1) has one. */
export function evenAmongLike(means: Float64Array, random: RandomStream): Float64Array {
  const order = Int32Array.from(means.keys()).sort((a, b) => means[a]! - means[b]! || a - b);
  const shares = new Float64Array(means.length);
  for (let from = 0; from < order.length; from += NEIGHBOURS) {
    const rows = order.slice(from, from + NEIGHBOURS);
    for (let part = rows.length - 1; part >= 0; part--) {
      const k = random.integer(part + 1);
      shares[rows[k]!] = (part + random.uniform()) / rows.length;
      rows[k] = rows[part]!;
    }
  }
  return shares;
}

/** Of n `CANDIDATES` draws, row by row, the one of each row that stands at its share of their order. Sorts them. */
export function drawsAt(candidates: Float64Array, shares: Float64Array): Float64Array {
  return shares.map((share, row) => {
    const own = candidates.subarray(row * CANDIDATES, (row + 1) * CANDIDATES).sort();
    return own[Math.floor(share * CANDIDATES)]!;
  });
}
