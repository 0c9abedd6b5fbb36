/** A posterior density that a sampler can move in. */
import type { LogDensity } from '../mcmc/logDensity.ts';

export interface Posterior extends LogDensity {
  /** One a coordinate: coefficients, constants, then `sd(pool)` for the learnt scales. */
  readonly names: readonly string[];
  /** Where a search for the mode may begin, d. */
  readonly start: Float64Array;
  /** Natural scale, one a name. */
  constrain(position: Float64Array): Float64Array;
  /** Negative Hessian of the log density, d × d row-major. */
  hessian(position: Float64Array): Float64Array;
  /** How many of the last coordinates are log scales of pools. */
  readonly scales: number;
  /**
   * Slope and negative curvature, one a scale, of the log density of the scales with all else integrated out, given
   * the other coordinates' mode `position` and `variances` (d) at these scales. The curvature is an estimate.
   */
  scaleSlopes(position: Float64Array, variances: Float64Array): { slope: number; curvature: number }[];
}
