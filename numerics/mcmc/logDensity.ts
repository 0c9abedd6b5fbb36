/** What a sampler needs to know of a distribution: its log density and gradient on unconstrained space. */
export interface LogDensity {
  /** Length of a position. */
  readonly dimension: number;
  /**
   * Log density at `position` up to a constant; writes its gradient into `gradient` (same length). -Infinity or NaN where
   * it has no value: a sampler takes that for a divergence. Must not keep or change `position`.
   */
  evaluate(position: Float64Array, gradient: Float64Array): number;
}
