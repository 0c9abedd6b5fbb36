import { normalQuantile } from '../special/normal.ts';
import type { RandomStream, StreamOrigin } from './stream.ts';

const WORDS = 2 ** 32;

/** Random stream for `seed` (0 … 2^53-1) and `name`: xoshiro128** (Blackman and Vigna 2018). */
export function createStream(seed: number, name: string): RandomStream {
  return streamAt({ seed, path: [name] });
}

/** Throws a RangeError unless the seed is whole, from 0 to 2^53 - 1. */
export function streamAt(origin: StreamOrigin): RandomStream {
  const { seed, path } = origin;
  const next = xoshiro128(hashSeed(seed, path));
  const uniform = (): number => ((next() >>> 6) * 2 ** 26 + (next() >>> 6) + 0.5) * 2 ** -52;
  const normal = (): number => normalQuantile(uniform());
  return {
    uniform,
    normal,
    integer: (n) => boundedInteger(next, n),
    gamma: (shape) => gamma(shape, uniform, normal),
    child: (name) => streamAt({ seed, path: [...path, name] }),
    origin,
  };
}

/** Unbiased. */
function boundedInteger(next: () => number, n: number): number {
  if (!(Number.isInteger(n) && n >= 1 && n <= WORDS)) {
    throw new RangeError(`n is a whole number from 1 to 2^32, not ${n}`);
  }
  const limit = WORDS - (WORDS % n);
  let word = next();
  while (word >= limit) word = next();
  return word % n;
}

/** Marsaglia and Tsang (2000), boosted for shapes below 1. */
function gamma(shape: number, uniform: () => number, normal: () => number): number {
  if (!(shape > 0 && shape < Number.POSITIVE_INFINITY)) throw new RangeError(`a gamma shape is above 0, not ${shape}`);
  if (shape < 1) return gamma(shape + 1, uniform, normal) * uniform() ** (1 / shape);
  const d = shape - 1 / 3;
  const c = 1 / Math.sqrt(9 * d);
  for (;;) {
    const x = normal();
    const v = (1 + c * x) ** 3;
    if (v > 0 && Math.log(uniform()) < 0.5 * x * x + d - d * v + d * Math.log(v)) return d * v;
  }
}

/** SplitMix32. */
function mix(word: number): number {
  let z = (word + 0x9e3779b9) | 0;
  z = Math.imul(z ^ (z >>> 16), 0x85ebca6b);
  z = Math.imul(z ^ (z >>> 13), 0xc2b2ae35);
  return z ^ (z >>> 16);
}

/** Hexadecimal digits of π. */
const LANES = [0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344] as const;

/** Prefixes names with their length so that paths cannot collide. Throws a RangeError for invalid seeds. */
function hashSeed(seed: number, path: readonly string[]): Uint32Array {
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

/** xoshiro128** 1.1 (Blackman and Vigna 2018, "Scrambled linear pseudorandom number generators"), period 2^128 - 1. */

const rotateLeft = (x: number, k: number): number => (x << k) | (x >>> (32 - k));

/** `state`: four words, not all zero; updated. */
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
