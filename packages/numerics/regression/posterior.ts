import type { Link, ResponseFamily } from '../distributions/family.ts';
import type { LogDensity } from '../mcmc/hamiltonian.ts';
import type { Factor } from './blockProducts.ts';
import type { PredictorSpec, Prior } from './spec.ts';

export interface Posterior extends LogDensity {
  /** One per coordinate: coefficients, constants, then `sd(pool)`. */
  readonly names: readonly string[];
  /** Where to search for the mode (d). */
  readonly start: Float64Array;
  /** Values on the natural scale, one per name. */
  constrain(position: Float64Array): Float64Array;
  /** Negative Hessian of the log density, d × d, row-major. */
  hessian(position: Float64Array): Float64Array;
  /** Number of log scales of pools, the last coordinates. */
  readonly scales: number;
  /**
   * Slope and estimated negative curvature of each log scale's marginal density, given the mode `position` and
   * `variances` (d) of the other coordinates.
   */
  scaleSlopes(position: Float64Array, variances: Float64Array): { slope: number; curvature: number }[];
}

/** Likelihood of θ: coefficients and constants, on link scales. */
export interface Likelihood {
  /** Length m of θ: in the family's order, p entries for a linear predictor, one for a constant. */
  readonly size: number;
  /** Returns Σ w log p(y | θ), normalised; overwrites its gradient (m). */
  evaluate(theta: Float64Array, gradient: Float64Array): number;
  /** Subtracts second derivatives at θ from the leading m × m part of `hessian` (row-major, rows of `stride`). */
  subtractCurvature(theta: Float64Array, hessian: Float64Array, stride: number): void;
}

// A position contains θ, then log scales of pools.

export interface PredictorLayout {
  parameter: string;
  link: Link;
  at: number;
  /** Entries in θ: p, or 1. */
  size: number;
  /** Null for a constant. */
  design: Factor | null;
}

type PredictorShape = Extract<PredictorSpec, { kind: 'constant' }> | Omit<LinearSpec, 'design'>;
type LinearSpec = Extract<PredictorSpec, { kind: 'linear' }>;

export interface PoolLayout {
  name: string;
  /** Indices in θ. */
  members: Int32Array;
  sds: Float64Array;
  scale: Prior;
}

export interface Layout {
  size: number;
  names: string[];
  /** Natural-scale prior of each entry of θ; null for pooled entries. */
  priors: (Prior | null)[];
  /** Identity for coefficients. */
  links: Link[];
  pools: PoolLayout[];
}

/** Prefixes coefficients of later predictors with the parameter's name, as brms does: `sigma_age`. */
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
