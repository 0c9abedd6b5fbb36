/**
 * Shrinkage scales by empirical Bayes: each pool's scale τ is put where its density is highest once all else is integrated
 * out (by Laplace), and held there. What is left is close to normal, so that chains mix in a few gradients a draw; with τ
 * among the coordinates the funnel between it and its coefficients cost a hundred times as many.
 */
import { createPosterior } from '../../../numerics/regression/createPosterior.ts';
import { findMode } from '../../../numerics/regression/findMode.ts';
import type { PredictorSpec, Prior, RegressionSpec } from '../../../numerics/regression/spec.ts';

/** A scale below this share of its prior's own is as good as none, and would only cost digits. */
const LEAST_SCALE = 1e-4;

export interface FixedPools {
  /** Without pools. */
  spec: RegressionSpec;
  /** At the mode, natural scale: coefficients of each linear predictor, constants. */
  theta: Float64Array;
}

export function fixPools(spec: RegressionSpec): FixedPools {
  const posterior = createPosterior(spec);
  const theta = posterior.constrain(findMode(posterior).position);
  let at = posterior.dimension - posterior.scales;
  const predictors = spec.predictors.map((predictor): PredictorSpec => {
    if (predictor.kind === 'constant' || predictor.pools.length === 0) return predictor;
    const priors = [...predictor.priors];
    for (const { columns, sds, scale } of predictor.pools) {
      const tau = Math.max(theta[at++]!, LEAST_SCALE * scaleOf(scale));
      columns.forEach((column, j) => {
        priors[column] = { kind: 'normal', mean: 0, sd: tau * sds[j]! };
      });
    }
    return { ...predictor, priors, pools: [] };
  });
  return { spec: { ...spec, predictors }, theta };
}

const scaleOf = (prior: Prior): number => {
  if (prior.kind === 'student_t' || prior.kind === 'cauchy') return prior.scale;
  return prior.kind === 'normal' ? prior.sd : 1;
};
