/**
 * A regression as plain data: what is sampled, written so that it can be sent to a worker thread.
 * Shapes: n rows; p columns of a design.
 */
import type { ResponseName } from '../distributions/families.ts';

/** Row-major. */
export interface DenseMatrix {
  kind: 'dense';
  rows: number;
  cols: number;
  values: Float64Array;
}

/** Compressed sparse rows: row i has the columns `at[offsets[i]] … at[offsets[i + 1] - 1]`, ascending. */
export interface SparseMatrix {
  kind: 'sparse';
  rows: number;
  cols: number;
  offsets: Int32Array;
  at: Int32Array;
  values: Float64Array;
}

export type Matrix = DenseMatrix | SparseMatrix;

/** Scales are standard deviations (or the t's and Cauchy's scale). On a positive parameter they are halves, renormalised or not. */
export type Prior =
  | { kind: 'flat' }
  | { kind: 'normal'; mean: number; sd: number }
  | { kind: 'student_t'; df: number; mean: number; scale: number }
  | { kind: 'cauchy'; mean: number; scale: number }
  | { kind: 'exponential'; rate: number }
  /**
   * Exponential, of the scale of `rows` numbers that are known to ± `error` only: exp(-rate x - rows (error / x)² / 2), which
   * is what rounding takes from a Gaussian log likelihood on average. A scale of an exact fit is then near `error`, not 0.
   */
  | { kind: 'exponential_above'; rate: number; error: number; rows: number }
  | { kind: 'gamma'; shape: number; rate: number }
  | { kind: 'beta'; a: number; b: number }
  | { kind: 'uniform'; lower: number; upper: number };

/** Columns whose coefficients share an estimated scale: β_j ~ N(0, τ · sd_j), τ ~ `scale` on its natural scale. */
export interface Pool {
  name: string;
  columns: Int32Array;
  /** sd_j, one a column of the pool. */
  sds: Float64Array;
  scale: Prior;
}

/** A parameter of the family: either a linear predictor Xβ on the link's scale, or one number for all rows. */
export type PredictorSpec =
  | {
      kind: 'linear';
      parameter: string;
      design: Matrix;
      /** Names of the columns, for people. */
      names: readonly string[];
      /** One a column, on the coefficient; those of pooled columns are not looked at. */
      priors: readonly Prior[];
      pools: readonly Pool[];
    }
  | {
      kind: 'constant';
      parameter: string;
      /** On the parameter's natural scale (σ, not log σ); the Jacobian of the link is added. */
      prior: Prior;
    };

export interface RegressionSpec {
  family: ResponseName;
  /** n. */
  y: Float64Array;
  /** How often each row counts; null: once. */
  weights: Float64Array | null;
  /** One for each parameter of the family, in the family's order. */
  predictors: readonly PredictorSpec[];
}
