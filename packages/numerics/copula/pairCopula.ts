/** Arguments lie in [0, 1]; results are finite, cdf and h in [0, 1]. */
export interface PairCopula {
  readonly family: 'tll' | 'independence';
  /** Effective number of parameters. */
  readonly parameterCount: number;
  logDensity(u: number, v: number): number;
  cdf(u: number, v: number): number;
  /** h₁(u, v) = ∂C/∂u = P(V ≤ v | U = u). */
  h1(u: number, v: number): number;
  /** h₂(u, v) = ∂C/∂v = P(U ≤ u | V = v). */
  h2(u: number, v: number): number;
  /** Solves h₁(u, v) = p for v. */
  inverseH1(u: number, p: number): number;
  /** Solves h₂(u, v) = p for u. */
  inverseH2(p: number, v: number): number;
  /** `out` may alias an argument. */
  logDensityInto(u: Float64Array, v: Float64Array, out: Float64Array): void;
  h1Into(u: Float64Array, v: Float64Array, out: Float64Array): void;
  h2Into(u: Float64Array, v: Float64Array, out: Float64Array): void;
  inverseH2Into(p: Float64Array, v: Float64Array, out: Float64Array): void;
  tau(): number;
  save(): SavedPair;
}

/** Row-major, u down the rows. */
export type SavedGrid = { size: number; values: number[]; parameterCount: number };

/** Plain JSON. */
export type SavedPair = {
  family: PairCopula['family'];
  /** This and `parameters` are always so: the format has room for parametric families. */
  rotation: 0;
  parameters: [];
  /** Absent for independence. */
  grid?: SavedGrid;
};

/** `uBelow` and `vBelow`: F(x⁻), or null if continuous. */
export interface PairData {
  u: Float64Array;
  v: Float64Array;
  uBelow: Float64Array | null;
  vBelow: Float64Array | null;
}

const EDGE = 1e-10;

export const offEdge = (u: number): number => (u < EDGE ? EDGE : Math.min(u, 1 - EDGE));

/** Keeps 0 and 1. */
const settled = (p: number): number => (p <= 0 ? 0 : p >= 1 ? 1 : offEdge(p));

function settleInto(p: Float64Array, out: Float64Array): void {
  for (let i = 0; i < out.length; i++) out[i] = settled(p[i]!);
}

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
