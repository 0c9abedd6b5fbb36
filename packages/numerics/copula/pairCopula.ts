/** The contract of pair copulas, distributions of (u, v) on the unit square with uniform margins; and independence. */

/** A fitted pair copula. All arguments lie in [0, 1]; results are finite, and cdf and h lie in [0, 1]. */
export interface PairCopula {
  readonly family: 'tll' | 'independence';
  /** Effective number of parameters, at least 0: what AIC and BIC count. */
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
  inverseH2Into(p: Float64Array, v: Float64Array, out: Float64Array): void;
  /** Kendall's τ, -1 to 1. */
  tau(): number;
  /** Plain data from which `restorePair` makes an equal one. */
  save(): SavedPair;
}

/** Densities at size × size nodes, row by row, u down the rows; and the effective number of parameters. */
export type SavedGrid = { size: number; values: number[]; parameterCount: number };

/** Plain JSON, which types are and interfaces are not. */
export type SavedPair = {
  family: PairCopula['family'];
  /** This and `parameters` are always so: the format has room for parametric families. */
  rotation: 0;
  parameters: [];
  /** Left out for independence. */
  grid?: SavedGrid;
};

/** Pseudo-observations of one pair. For discrete or mixed margins, `uBelow` and `vBelow` are F(x⁻); null: continuous. */
export interface PairData {
  u: Float64Array;
  v: Float64Array;
  uBelow: Float64Array | null;
  vBelow: Float64Array | null;
}

/** Where functions are not finite on the edge, arguments are kept this far from 0 and 1. */
const EDGE = 1e-10;

/** The number next to u in [1e-10, 1 - 1e-10]. */
export const offEdge = (u: number): number => (u < EDGE ? EDGE : Math.min(u, 1 - EDGE));

/** 0 and 1 stay where they are; what is nearer to them than `EDGE` is moved to it. */
const settled = (p: number): number => (p <= 0 ? 0 : p >= 1 ? 1 : offEdge(p));

function settleInto(p: Float64Array, out: Float64Array): void {
  for (let i = 0; i < out.length; i++) out[i] = settled(p[i]!);
}

/** C(u, v) = u v. */
export const independence: PairCopula = {
  family: 'independence',
  parameterCount: 0,
  logDensity: () => 0,
  cdf: (u, v) => u * v,
  h1: (_u, v) => settled(v),
  h2: settled,
  inverseH1: (_u, p) => p,
  inverseH2: (p) => p,
  logDensityInto: (_u, _v, out) => void out.fill(0),
  h1Into: (_u, v, out) => settleInto(v, out),
  h2Into: (u, _v, out) => settleInto(u, out),
  inverseH2Into: (p, _v, out) => out.set(p),
  tau: () => 0,
  save: () => ({ family: 'independence', rotation: 0, parameters: [] }),
};
