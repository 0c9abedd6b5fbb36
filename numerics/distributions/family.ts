/** The contract of all response families: a distribution of y whose parameters each have a linear predictor. */
import type { RandomStream } from '../random/stream.ts';

export const FAMILY_NAMES = [
  'gaussian',
  'student_t',
  'lognormal',
  'gamma',
  'beta',
  'bernoulli',
  'poisson',
  'negative_binomial',
  'zero_inflated_poisson',
  'zero_inflated_negative_binomial',
  'zero_inflated_beta',
  'one_inflated_beta',
  'zero_one_inflated_beta',
  'hurdle_gamma',
  'hurdle_lognormal',
  'hurdle_poisson',
  'hurdle_negative_binomial',
] as const;
export type FamilyName = (typeof FAMILY_NAMES)[number];

/** What is left of a count behind a hurdle where it is not 0: a part of a family, and none that a target is given. */
export const TRUNCATED_NAMES = ['truncated_poisson', 'truncated_negative_binomial'] as const;

/** Families and the parts that they fall into. */
export type ResponseName = FamilyName | (typeof TRUNCATED_NAMES)[number];

/** From parameter to linear predictor; `log_above_one` is η = log(parameter - 1), for degrees of freedom above 1. */
export type Link = 'identity' | 'log' | 'logit' | 'log_above_one';

export interface FamilyParameter {
  /** `mu`, `sigma`, `nu`, `phi`, `shape`, `zero` (share of zeros), `one` (share of ones among what is not zero). */
  name: string;
  link: Link;
}

/** Parameters that say of a row whether it is an atom: a share of zeros, or of ones. */
export const isAtom = ({ name }: FamilyParameter): boolean => name === 'zero' || name === 'one';

/** Families of counts whose own zeros stand beside those of the share `zero`: the two are told apart by how many there are. */
export const hasExtraZeros = (family: ResponseName): boolean =>
  family === 'zero_inflated_poisson' || family === 'zero_inflated_negative_binomial';

export interface ResponseFamily {
  readonly name: ResponseName;
  /** Location first. */
  readonly parameters: readonly FamilyParameter[];
  /** Where the distribution has mass at single points: nowhere, everywhere, or at the ends only. */
  readonly measure: 'continuous' | 'counts' | 'mixed';
  /** What y can be, in words that a message can end with, and as a test. */
  readonly support: { words: string; holds(y: number): boolean };
  /**
   * Log density of `y` in its support, normalised, on its own measure (mass at atoms, density elsewhere; a lognormal has
   * its Jacobian). `eta` has one linear predictor a parameter, in their order.
   */
  logDensity(y: number, eta: Float64Array): number;
  /** The same, and writes its derivatives by `eta` into `gradient`. Finite wherever the density is. */
  gradient(y: number, eta: Float64Array, gradient: Float64Array): number;
  /** P(Y ≤ y) for any real y. */
  cdf(y: number, eta: Float64Array): number;
  /** P(Y < y): differs from `cdf` at atoms only. */
  cdfBelow(y: number, eta: Float64Array): number;
  mean(eta: Float64Array): number;
  draw(eta: Float64Array, random: RandomStream): number;
}
