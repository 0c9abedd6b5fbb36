/** What a parametric family gives: its unrotated, exchangeable copula. Rotations and arrays are made of it elsewhere. */
import type { Rotation } from './pairCopula.ts';

/** Arguments of functions that are not finite on the edge are kept this far from 0 and 1. */
export const EDGE = 1e-10;

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

export type FamilyId =
  | 'independence'
  | 'gaussian'
  | 'student'
  | 'clayton'
  | 'gumbel'
  | 'frank'
  | 'joe'
  | 'bb1'
  | 'bb6'
  | 'bb7'
  | 'bb8';

export interface PairFamily {
  readonly name: FamilyId;
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
