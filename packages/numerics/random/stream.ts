/**
 * Random streams: one seed, many named streams, each a function of seed and name alone.
 * Generator: xoshiro128** (Blackman and Vigna, 2018), seeded by a SplitMix32 hash of seed and names.
 */

export interface RandomStream {
  /** Uniform on (0, 1), both ends excluded: 52 random bits, centred in their cell (with 53 the last cell would round to 1). */
  uniform(): number;
  /** Standard normal, by the inverse of its cdf: one uniform each, so that streams stay aligned. */
  normal(): number;
  /** Uniform on 0 … n-1. `n` is a whole number from 1 to 2^32. */
  integer(n: number): number;
  /** Gamma of the given shape (> 0) and scale 1, by Marsaglia and Tsang (2000). */
  gamma(shape: number): number;
  /** A stream of its own, by name: the same name gives the same stream whatever has been drawn here. */
  child(name: string): RandomStream;
  /** What `streamAt` makes it from anew, as it was before anything was drawn: streams do not go into threads. */
  readonly origin: StreamOrigin;
}

/** Plain data. */
export interface StreamOrigin {
  /** 0 … 2^53-1. */
  readonly seed: number;
  /** Its name, after those of the streams whose child it is. */
  readonly path: readonly string[];
}
