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
  const out = new Float64Array(groupOf.length);
  for (let row = 0; row < out.length; row++) {
    const group = groupOf[row]!;
    const own = strata[group];
    out[row] = own ? (own[next[group]!++]! + random.uniform()) / own.length : random.uniform();
  }
  return out;
}

function shuffled(size: number, random: RandomStream): Int32Array {
  const order = new Int32Array(size);
  for (let i = 0; i < size; i++) order[i] = i;
  for (let i = size - 1; i > 0; i--) {
    const j = random.integer(i + 1);
    const own = order[i]!;
    order[i] = order[j]!;
    order[j] = own;
  }
  return order;
}
