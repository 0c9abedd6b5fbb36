/** The contract of all pair copulas: a distribution of (u, v) on the unit square with uniform margins. */

export type Rotation = 0 | 90 | 180 | 270;

/** A fitted pair copula. All arguments lie in [0, 1]; results are finite, and cdf and h lie in [0, 1]. */
export interface PairCopula {
  /** Of the parametric families: `gaussian`, `clayton`, …; `tll`; `independence`. */
  readonly family: string;
  /** Counterclockwise, in degrees. */
  readonly rotation: Rotation;
  /** Free parameters, or the effective number of a nonparametric one: what AIC and BIC count. */
  readonly parameterCount: number;
  logDensity(u: number, v: number): number;
  cdf(u: number, v: number): number;
  /** h₁(u, v) = ∂C/∂u = P(V ≤ v | U = u). */
  h1(u: number, v: number): number;
  /** h₂(u, v) = ∂C/∂v = P(U ≤ u | V = v). */
  h2(u: number, v: number): number;
  /** The v with h₁(u, v) = p. */
  inverseH1(u: number, p: number): number;
  /** The u with h₂(u, v) = p. */
  inverseH2(p: number, v: number): number;
  /** The same, element by element over arrays of one length; `out` may be one of the arguments. */
  logDensityInto(u: Float64Array, v: Float64Array, out: Float64Array): void;
  h1Into(u: Float64Array, v: Float64Array, out: Float64Array): void;
  h2Into(u: Float64Array, v: Float64Array, out: Float64Array): void;
  inverseH1Into(u: Float64Array, p: Float64Array, out: Float64Array): void;
  inverseH2Into(p: Float64Array, v: Float64Array, out: Float64Array): void;
  /** Kendall's τ, -1 to 1. */
  tau(): number;
  /** [lower, upper] tail dependence coefficients. */
  tailDependence(): [number, number];
  /** Plain data from which the registry's `restorePair` makes an equal one. */
  save(): SavedPair;
}

/** Plain JSON, which types are and interfaces are not. */
export type SavedPair = {
  family: string;
  rotation: Rotation;
  /** Parameters of a parametric family; empty for the others. */
  parameters: number[];
  /** Of `tll`: densities on a grid, row by row, and the effective number of parameters; left out for the others. */
  grid?: { size: number; values: number[]; parameterCount: number };
};

/** Pseudo-observations of one pair. For discrete or mixed margins, `uBelow` and `vBelow` are F(x⁻); null: continuous. */
export interface PairData {
  u: Float64Array;
  v: Float64Array;
  uBelow: Float64Array | null;
  vBelow: Float64Array | null;
}
