/** A posterior density that a sampler can move in. */

import type { Link, ResponseFamily } from '../distributions/family.ts';
import type { LogDensity } from '../mcmc/hamiltonian.ts';
import type { Factor } from './blockProducts.ts';
import type { PredictorSpec, Prior } from './spec.ts';

export interface Posterior extends LogDensity {
  /** One a coordinate: coefficients, constants, then `sd(pool)` for the estimated scales. */
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

/** The part of a posterior that sees the data. θ: coefficients of all linear predictors and constants, on link scales. */
export interface Likelihood {
  /** Length m of θ: predictors in the family's order, p entries for a linear one, one for a constant. */
  readonly size: number;
  /** Σ w log p(y | θ), normalised; writes its gradient (m, overwritten). */
  evaluate(theta: Float64Array, gradient: Float64Array): number;
  /** Subtracts the second derivatives at θ from the leading m × m part of `hessian` (row-major, rows of `stride`). */
  subtractCurvature(theta: Float64Array, hessian: Float64Array, stride: number): void;
}

// Where each number of a position belongs: θ (predictors in order), then the logarithms of the pools' scales.

export interface PredictorLayout {
  parameter: string;
  link: Link;
  /** First entry in θ. */
  at: number;
  /** Entries in θ: p, or 1. */
  size: number;
  /** Null for a constant. */
  design: Factor | null;
}

/** A predictor without its matrix. */
type PredictorShape = Extract<PredictorSpec, { kind: 'constant' }> | Omit<LinearSpec, 'design'>;
type LinearSpec = Extract<PredictorSpec, { kind: 'linear' }>;

export interface PoolLayout {
  name: string;
  /** Entries of θ. */
  members: Int32Array;
  sds: Float64Array;
  scale: Prior;
}

export interface Layout {
  /** Length of θ. */
  size: number;
  names: string[];
  /** Prior of each entry of θ on its natural scale; `null` where a pool gives it. */
  priors: (Prior | null)[];
  /** Link of each entry: identity for coefficients. */
  links: Link[];
  pools: PoolLayout[];
}

/** Entries of coefficients of other predictors than the first carry the parameter's name, as brms has it: `sigma_age`. */
export function layOut(family: ResponseFamily, predictors: readonly PredictorShape[]): Layout {
  const layout: Layout = { size: 0, names: [], priors: [], links: [], pools: [] };
  const scaleNames: string[] = [];
  predictors.forEach((predictor, k) => {
    const prefix = k === 0 ? '' : `${predictor.parameter}_`;
    if (predictor.kind === 'constant') {
      layout.names.push(predictor.parameter);
      layout.priors.push(predictor.prior);
      layout.links.push(family.parameters[k]!.link);
      layout.size += 1;
      return;
    }
    const at = layout.size;
    predictor.names.forEach((name, j) => {
      layout.names.push(prefix + name);
      layout.priors.push(predictor.priors[j]!);
      layout.links.push('identity');
    });
    for (const pool of predictor.pools) {
      const members = pool.columns.map((j) => at + j);
      for (const member of members) layout.priors[member] = null;
      layout.pools.push({ name: prefix + pool.name, members, sds: pool.sds, scale: pool.scale });
      scaleNames.push(`sd(${prefix}${pool.name})`);
    }
    layout.size += predictor.names.length;
  });
  layout.names.push(...scaleNames);
  return layout;
}

/** Where predictors lie in θ. */
export function layOutPredictors(
  family: ResponseFamily,
  predictors: readonly Pick<PredictorLayout, 'parameter' | 'design'>[],
): PredictorLayout[] {
  let at = 0;
  return predictors.map(({ parameter, design }, k) => {
    const layout = { parameter, link: family.parameters[k]!.link, at, size: design?.cols ?? 1, design };
    at += layout.size;
    return layout;
  });
}
