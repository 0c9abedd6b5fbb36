/**
 * Predictive draws that are even among like rows: each row has a few draws of its own, and takes the one whose rank among
 * them a uniform number says. Where that number is uniform, so is the rank, and what is taken is a draw of the same
 * distribution; where numbers are even among neighbours, means of neighbours lie nearer to what is expected of them
 * (stratified sampling).
 */
import type { RandomStream } from '../../../numerics/random/stream.ts';

/** Halvings of [0, 1), and draws that a row has to choose from. */
const DEPTH = 6;
export const CANDIDATES = 2 ** DEPTH;

/**
 * n numbers in [0, 1), each uniform. In the order of their means, of any two rows from an even place on one is in each half,
 * of four from a fourth place on one in each quarter, and so on to 64: van der Corput's sequence, scrambled (Owen, 1995).
 */
export function evenAmongLike(means: Float64Array, random: RandomStream): Float64Array {
  const order = Int32Array.from(means.keys()).sort((a, b) => means[a]! - means[b]! || a - b);
  const shares = new Float64Array(means.length);
  const flips = new Uint8Array(CANDIDATES);
  order.forEach((row, at) => {
    if (at % CANDIDATES === 0) for (let node = 1; node < CANDIDATES; node++) flips[node] = random.integer(2);
    let part = 0;
    for (let level = 0, node = 1; level < DEPTH; level++) {
      const bit = ((at >> level) & 1) ^ flips[node]!;
      part = 2 * part + bit;
      node = 2 * node + bit;
    }
    shares[row] = (part + random.uniform()) / CANDIDATES;
  });
  return shares;
}

/** Of n `CANDIDATES` draws, row by row, the one of each row that stands at its share of their order. Sorts them. */
export function drawsAt(candidates: Float64Array, shares: Float64Array): Float64Array {
  return shares.map((share, row) => {
    const own = candidates.subarray(row * CANDIDATES, (row + 1) * CANDIDATES).sort();
    return own[Math.floor(share * CANDIDATES)]!;
  });
}
