/** What a job says of its regression: diagnostics, coefficients and checks, as `metrics.regression` has them. */
import type { RegressionMetrics } from '../../../domain/schema/regressionMetrics.ts';
import type { PredictivePValues } from './checkPredictive.ts';
import { coefficientsOf, MOST_COEFFICIENTS } from './coefficientsOf.ts';
import { agreementInWords } from './drawPosterior.ts';
import type { RegressionPlan } from './planRegression.ts';
import { CHAINS, type PosteriorDraws } from './posteriorTask.ts';
import { fencedInWords, type Response } from './responseOf.ts';

export interface Described {
  target: string;
  response: Response;
  plan: RegressionPlan;
  sample: PosteriorDraws;
  draws: number;
  checks: PredictivePValues;
}

export function describeRegression({ target, response, plan, sample, draws, checks }: Described): RegressionMetrics {
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
    summary: summaryOf(sample) + fencedInWords(response.fenced),
    parameters: sample.posterior.dimension,
    left_out: plan.predictors.flatMap(({ design }) => design?.dropped ?? []).slice(0, MOST_COEFFICIENTS),
    coefficients: coefficientsOf(spec, sample, response.units),
    predictive_p_values: checks,
  };
}

const IMPORTANCE =
  'importance draws from the Laplace approximation, weighted by all rows: four chains would have taken too long';

function summaryOf(sample: PosteriorDraws): string {
  const { converged, paretoShape } = sample;
  if (paretoShape !== null) {
    const shape = Number.isFinite(paretoShape) ? paretoShape.toFixed(2) : 'not to be had';
    return converged
      ? `The draws stand for the posterior of all rows (Pareto k ${shape}, below 0.7 is good).`
      : `The draws stand for the posterior only roughly (Pareto k ${shape}, above 0.7): take the intervals as a guess. Ask for fewer draws, or leave out columns, to have chains run.`;
  }
  return converged
    ? `The chains agree (${agreementInWords(sample)}): the posterior can be relied on.`
    : `The chains do not agree (${agreementInWords(sample)}): take the coefficients as a guess. Ask for more draws, or leave out columns that say the same.`;
}

const finite = (value: number): number | null => (Number.isFinite(value) ? value : null);
