/** Streams depend on seed and names alone. xoshiro128** (Blackman and Vigna 2018), seeded by SplitMix32. */

export interface RandomStream {
  /** Uniform on (0, 1): 52 bits, centred; with 53 the last cell would round to 1. */
  uniform(): number;
  /** Standard normal by inversion: one uniform each keeps streams aligned. */
  normal(): number;
  /** Uniform on 0 … n-1, n up to 2^32. */
  integer(n: number): number;
  /** Gamma with scale 1 (Marsaglia and Tsang 2000). */
  gamma(shape: number): number;
  /** Independent of previous draws. */
  child(name: string): RandomStream;
  /** For `streamAt` on threads. */
  readonly origin: StreamOrigin;
}

export interface StreamOrigin {
  /** 0 … 2^53-1. */
  readonly seed: number;
  readonly path: readonly string[];
}
