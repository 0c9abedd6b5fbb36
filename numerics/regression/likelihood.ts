/** The part of a posterior that sees the data. θ: coefficients of all linear predictors and constants, on link scales. */
export interface Likelihood {
  /** Length m of θ: predictors in the family's order, p entries for a linear one, one for a constant. */
  readonly size: number;
  /** Σ w log p(y | θ), normalised; writes its gradient (m, overwritten). */
  evaluate(theta: Float64Array, gradient: Float64Array): number;
  /** Subtracts the second derivatives at θ from the leading m × m part of `hessian` (row-major, rows of `stride`). */
  subtractCurvature(theta: Float64Array, hessian: Float64Array, stride: number): void;
}
