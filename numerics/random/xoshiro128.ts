/** xoshiro128** 1.1 (Blackman and Vigna, 2018, "Scrambled linear pseudorandom number generators"): 2^128 - 1 period. */

const rotateLeft = (x: number, k: number): number => (x << k) | (x >>> (32 - k));

/** A generator of uniform 32-bit words (0 … 2^32-1). `state`: four words, not all zero; it is advanced in place. */
export function xoshiro128(state: Uint32Array): () => number {
  return () => {
    const s1 = state[1]!;
    const word = Math.imul(rotateLeft(Math.imul(s1, 5), 7), 9) >>> 0;
    state[2]! ^= state[0]!;
    state[3]! ^= s1;
    state[1]! ^= state[2]!;
    state[0]! ^= state[3]!;
    state[2]! ^= s1 << 9;
    state[3] = rotateLeft(state[3]!, 11);
    return word;
  };
}
