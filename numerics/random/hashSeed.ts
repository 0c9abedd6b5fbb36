/** Turns a seed and a path of names into the state of a generator. */

/** SplitMix32's step: a bijection of 32-bit words that mixes every bit into every other. */
function mix(word: number): number {
  let z = (word + 0x9e3779b9) | 0;
  z = Math.imul(z ^ (z >>> 16), 0x85ebca6b);
  z = Math.imul(z ^ (z >>> 13), 0xc2b2ae35);
  return z ^ (z >>> 16);
}

/** Arbitrary distinct starts, one a lane (hexadecimal digits of π). */
const LANES = [0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344] as const;

/**
 * Four words that depend on all 53 bits of `seed` and on every name of `path`. Names go in after their length, so that
 * no two paths read alike. Throws RangeError where the seed is not a whole number from 0 to 2^53 - 1.
 */
export function hashSeed(seed: number, path: readonly string[]): Uint32Array {
  if (!Number.isSafeInteger(seed) || seed < 0) {
    throw new RangeError(`a seed is a whole number from 0 to ${Number.MAX_SAFE_INTEGER}, not ${seed}`);
  }
  const state = new Uint32Array(4);
  LANES.forEach((start, lane) => {
    let hash = mix(mix(start ^ (seed | 0)) ^ Math.floor(seed / 2 ** 32));
    for (const name of path) {
      hash = mix(hash ^ name.length);
      for (let i = 0; i < name.length; i++) hash = mix(hash ^ name.charCodeAt(i));
    }
    state[lane] = hash;
  });
  if (state.every((word) => word === 0)) state[0] = 1;
  return state;
}
