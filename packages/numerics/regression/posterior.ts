import type { Link, ResponseFamily } from '../distributions/family.ts';
import type { LogDensity } from '../mcmc/hamiltonian.ts';
import type { Factor } from './blockProducts.ts';
import type { PredictorSpec, Prior } from './spec.ts';

export interface Posterior extends LogDensity {
  /** Coefficients, constants, then `sd(pool)`. */
  readonly names: readonly string[];
  /** Where to search for the mode. */
  readonly start: Float64Array;
  /** Natural-scale values. */
  constrain(position: Float64Array): Float64Array;
  /** d × d, row-major. */
  hessian(position: Float64Array): Float64Array;
  /** Number of log scales, the last coordinates. */
  readonly scales: number;
  /**
   * Slope and estimated negative curvature of each log scale's marginal density, given the others' mode `position` and
   * `variances` (d).
   */
  scaleSlopes(position: Float64Array, variances: Float64Array): { slope: number; curvature: number }[];
}

export interface Likelihood {
  /** Length m of θ: p per linear predictor, one per constant. */
  readonly size: number;
  /** Returns Σ w log p(y | θ), normalised; overwrites the gradient (m). */
  evaluate(theta: Float64Array, gradient: Float64Array): number;
  /** Subtracts second derivatives from the leading m × m part (row-major, rows of `stride`). */
  subtractCurvature(theta: Float64Array, hessian: Float64Array, stride: number): void;
}

// A position contains θ, then log scales of pools.

export interface PredictorLayout {
  parameter: string;
  link: Link;
  at: number;
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
  /** Null for pooled entries. */
  priors: (Prior | null)[];
  /** Identity for coefficients. */
  links: Link[];
  pools: PoolLayout[];
}

/** Later predictors' names have a prefix, as in brms: `sigma_age`. */
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
