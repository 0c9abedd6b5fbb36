/** The contract of all pair copulas: a distribution of (u, v) on the unit square with uniform margins. */

export type Rotation = 0 | 90 | 180 | 270;

/** A fitted pair copula. All arguments lie in [0, 1]; results are finite, and cdf and h lie in [0, 1]. */
export interface PairCopula {
  /** Name of the family: `gaussian`, `clayton`, …; `tll`; `independence`. */
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
  /** For `tll`: densities on a grid, row by row, and the effective number of parameters; left out for the others. */
  grid?: { size: number; values: number[]; parameterCount: number };
};

/** Pseudo-observations of one pair. For discrete or mixed margins, `uBelow` and `vBelow` are F(x⁻); null: continuous. */
export interface PairData {
  u: Float64Array;
  v: Float64Array;
  uBelow: Float64Array | null;
  vBelow: Float64Array | null;
}

// What a parametric family gives: its unrotated, exchangeable copula. Rotations and arrays are made of it elsewhere.

/** Arguments of functions that are not finite on the edge are kept this far from 0 and 1. */
const EDGE = 1e-10;

export const offEdge = (u: number): number => (u < EDGE ? EDGE : Math.min(u, 1 - EDGE));

/** C with C(u, v) = C(v, u). Arguments are at least `EDGE` off 0 and 1. */
export interface BaseCopula {
  logDensity(u: number, v: number): number;
  cdf(u: number, v: number): number;
  /** ∂C(u, v)/∂u. */
  h(u: number, v: number): number;
  /** The v with h(u, v) = p. */
  inverseH(u: number, p: number): number;
  tau(): number;
  /** [lower, upper]. */
  tailDependence(): [number, number];
}

export interface PairFamily {
  readonly name: string;
  /** [lowest, highest] of each parameter, both allowed. */
  readonly bounds: readonly (readonly [number, number])[];
  /** Those that give different copulas; [0] for a family that has both signs of dependence itself. */
  readonly rotations: readonly Rotation[];
  /** Which tails can depend: decides which rotations are worth trying. */
  readonly tail: 'none' | 'both' | 'lower' | 'upper';
  /** Parameters inside `bounds`. */
  make(parameters: readonly number[]): BaseCopula;
  /** Parameters with this τ, nearest there is within the bounds; a family of two takes the middle of its second one. */
  fromTau(tau: number): number[];
}

// Array forms of a pair copula's functions by plain loops: for copulas that have no quicker way.

type Scalar = 'logDensity' | 'h1' | 'h2' | 'inverseH1' | 'inverseH2';
type Batch = 'logDensityInto' | 'h1Into' | 'h2Into' | 'inverseH1Into' | 'inverseH2Into';
type ScalarFunction = (a: number, b: number) => number;
type BatchFunction = (a: Float64Array, b: Float64Array, out: Float64Array) => void;

function overArrays(f: ScalarFunction): BatchFunction {
  return (a, b, out) => {
    for (let i = 0; i < out.length; i++) out[i] = f(a[i]!, b[i]!);
  };
}

/** The array forms of `scalar`. */
export function batchOf(scalar: Pick<PairCopula, Scalar>): Pick<PairCopula, Batch> {
  return {
    logDensityInto: overArrays(scalar.logDensity),
    h1Into: overArrays(scalar.h1),
    h2Into: overArrays(scalar.h2),
    inverseH1Into: overArrays(scalar.inverseH1),
    inverseH2Into: overArrays(scalar.inverseH2),
  };
}
