/**
 * Named random streams determined by seed and name. xoshiro128** (Blackman and Vigna 2018), seeded by SplitMix32
 * hashes.
 */

export interface RandomStream {
  /** Uniform on (0, 1): 52 bits, centred; with 53 the last cell would round to 1. */
  uniform(): number;
  /** Standard normal by inversion: one uniform each keeps streams aligned. */
  normal(): number;
  /** Uniform on 0 … n-1, n whole from 1 to 2^32. */
  integer(n: number): number;
  /** Gamma, shape > 0, scale 1 (Marsaglia and Tsang 2000). */
  gamma(shape: number): number;
  /** Named child stream, independent of previous draws. */
  child(name: string): RandomStream;
  /** Recreates the initial stream by `streamAt`, for threads. */
  readonly origin: StreamOrigin;
}

export interface StreamOrigin {
  /** 0 … 2^53-1. */
  readonly seed: number;
  /** Names of ancestors, then its own. */
  readonly path: readonly string[];
}
