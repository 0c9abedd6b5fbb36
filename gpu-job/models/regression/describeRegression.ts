/** What a job says of its regression: diagnostics, coefficients and checks, as `metrics.regression` has them. */
import type { RegressionMetrics } from '../../../domain/schema/regressionMetrics.ts';
import type { RegressionSpec } from '../../../numerics/regression/spec.ts';
import type { PredictivePValues } from './checkPredictive.ts';
import { shortcomings } from './drawPosterior.ts';
import type { RegressionPlan } from './planRegression.ts';
import { CHAINS, type PosteriorDraws } from './posteriorTask.ts';
import { priorsInWords } from './priorsInWords.ts';

/** Coefficients that are listed, at most. */
const MOST_COEFFICIENTS = 100;

export interface Described {
  target: string;
  plan: RegressionPlan;
  sample: PosteriorDraws;
  draws: number;
  checks: PredictivePValues;
}

export function describeRegression({ target, plan, sample, draws, checks }: Described): RegressionMetrics {
  const { spec } = plan;
  return {
    target,
    family: spec.family,
    rows: spec.y.length,
    method: sample.paretoShape === null ? `${CHAINS} chains of the no-U-turn sampler` : IMPORTANCE,
    chains: CHAINS,
    draws,
    tune: sample.tune,
    worst_r_hat: finite(sample.worstRHat),
    least_bulk_ess: finite(sample.leastBulkEss),
    least_tail_ess: finite(sample.leastTailEss),
    divergences: sample.divergences,
    depth_exceeded: sample.depthExceeded,
    least_e_bfmi: finite(sample.leastEnergyFraction),
    pareto_k: sample.paretoShape === null ? null : finite(sample.paretoShape),
    converged: sample.converged,
    summary: summaryOf(sample),
    parameters: sample.posterior.dimension,
    left_out: plan.predictors.flatMap(({ design }) => design?.dropped ?? []).slice(0, MOST_COEFFICIENTS),
    coefficients: coefficientsOf(spec, sample),
    predictive_p_values: checks,
  };
}

const IMPORTANCE =
  'importance draws from the Laplace approximation, weighted by all rows: four chains would have taken too long';

function summaryOf(sample: PosteriorDraws): string {
  const { converged, paretoShape } = sample;
  if (paretoShape !== null) {
    return converged
      ? `The draws stand for the posterior of all rows (Pareto k ${paretoShape.toFixed(2)}, below 0.7 is good).`
      : `The draws stand for the posterior only roughly (Pareto k ${paretoShape.toFixed(2)}, above 0.7): take the intervals as a guess. Ask for fewer draws, or leave out columns, to have chains run.`;
  }
  return converged
    ? 'The chains agree: the posterior can be relied on.'
    : `The chains do not agree (${shortcomings(sample)}): take the coefficients as a guess. Ask for more draws, or leave out columns that say the same.`;
}

const finite = (value: number): number | null => (Number.isFinite(value) ? value : null);

function coefficientsOf(
  spec: RegressionSpec,
  { posterior, chains }: PosteriorDraws,
): RegressionMetrics['coefficients'] {
  const d = posterior.dimension;
  const priors = priorsInWords(spec);
  return posterior.names.slice(0, MOST_COEFFICIENTS).flatMap((name, at) => {
    const values = Float64Array.from(
      chains.flatMap((chain) => Array.from({ length: chain.length / d }, (_, i) => chain[i * d + at]!)),
    ).sort();
    const mean = values.reduce((sum, value) => sum + value / values.length, 0);
    const sd = Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2 / values.length, 0));
    const [q05, q95] = [0.05, 0.95].map((share) => values[Math.round(share * (values.length - 1))]!);
    const figures = [mean, sd, q05!, q95!];
    if (!figures.every(Number.isFinite)) return [];
    return [{ name, prior: priors[at] ?? '', mean, sd, q05: q05!, q95: q95! }];
  });
}
