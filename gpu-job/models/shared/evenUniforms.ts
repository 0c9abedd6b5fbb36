/** Uniform numbers that are even within groups: of m rows of a group each m-th part of [0, 1) has one (stratified sampling). */
import type { RandomStream } from '../../../numerics/random/stream.ts';

/** Rows of a group from which on its numbers are even: with few, all of them together would repeat what the group was learnt from. */
const LEAST_ROWS = 100;

/** n numbers in [0, 1), each uniform; `groupOf` (n) says to which of `groups` a row belongs. */
export function evenUniforms(groupOf: Int32Array, groups: number, random: RandomStream): Float64Array {
  const sizes = new Int32Array(groups);
  for (const group of groupOf) sizes[group]!++;
  const strata = Array.from(sizes, (size) => (size < LEAST_ROWS ? null : shuffled(size, random)));
  const next = new Int32Array(groups);
  return Float64Array.from(groupOf, (group) => {
    const own = strata[group];
    return own ? (own[next[group]!++]! + random.uniform()) / own.length : random.uniform();
  });
}

function shuffled(size: number, random: RandomStream): Int32Array {
  const order = Int32Array.from({ length: size }, (_, i) => i);
  for (let i = size - 1; i > 0; i--) {
    const j = random.integer(i + 1);
    [order[i], order[j]] = [order[j]!, order[i]!];
  }
  return order;
}
