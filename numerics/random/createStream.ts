/** Makes the random streams of `stream.ts`. */
import { normalQuantile } from '../special/normal.ts';
import { hashSeed } from './hashSeed.ts';
import type { RandomStream } from './stream.ts';
import { xoshiro128 } from './xoshiro128.ts';

const WORDS = 2 ** 32;

/** A stream that is a function of `seed` (0 … 2^53-1, all its bits) and `name` alone. */
export function createStream(seed: number, name: string): RandomStream {
  return streamAt(seed, [name]);
}

function streamAt(seed: number, path: readonly string[]): RandomStream {
  const next = xoshiro128(hashSeed(seed, path));
  const uniform = (): number => ((next() >>> 6) * 2 ** 26 + (next() >>> 6) + 0.5) * 2 ** -52;
  const normal = (): number => normalQuantile(uniform());
  return {
    uniform,
    normal,
    integer: (n) => boundedInteger(next, n),
    gamma: (shape) => gamma(shape, uniform, normal),
    child: (name) => streamAt(seed, [...path, name]),
  };
}

/** Without bias: words past the last whole multiple of n are drawn again. */
function boundedInteger(next: () => number, n: number): number {
  if (!(Number.isInteger(n) && n >= 1 && n <= WORDS)) {
    throw new RangeError(`n is a whole number from 1 to 2^32, not ${n}`);
  }
  const limit = WORDS - (WORDS % n);
  let word = next();
  while (word >= limit) word = next();
  return word % n;
}

/** Marsaglia and Tsang (2000), "A simple method for generating gamma variables"; shapes below 1 by their boost. */
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
