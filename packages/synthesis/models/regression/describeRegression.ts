import type { ProgressEvent } from '../../../contract/events.ts';
import type { TargetFamily } from '../../../contract/families.ts';
import type { RegressionMetrics } from '../../../contract/regressionMetrics.ts';
import { rHatLimit } from '../../../numerics/mcmc/diagnostics.ts';
import type { DroppedColumn, Predictor } from '../../../numerics/regression/design/design.ts';
import { levelName } from '../../../numerics/regression/design/draftParts.ts';
import { chainsAgree } from '../../../numerics/regression/runChains.ts';
import type {
  Coefficient,
  CoefficientPrior,
  RegressionProgress,
  SampledRegression,
} from '../../../numerics/regression/sampleRegression.ts';
import type { Agreement, Diagnostics, SamplingMethod } from '../../../numerics/regression/samplingTask.ts';
import { decimal } from '../../../words/format.ts';
import { counted, withCommas } from '../../../words/wording.ts';
import type { FitSettings } from '../model.ts';

const MAX_LISTED = 100;

/** One regression, or several of one target together. */
export type DescribedRegression = Pick<
  SampledRegression,
  'rows' | 'chains' | 'fenced' | 'names' | 'checks' | 'loo' | 'dropped' | 'coefficients'
> & {
  model: { family: TargetFamily };
  diagnostics: Omit<Diagnostics, 'subsample' | 'gradients' | 'parameters'>;
};

/** @param unnamed design columns of rare levels, not listed. */
export function describeRegression(
  name: string,
  sampled: DescribedRegression,
  { draws, calibrate }: Pick<FitSettings, 'draws' | 'calibrate'>,
  unnamed: ReadonlySet<string> = new Set(),
): RegressionMetrics {
  const { model, rows, chains, diagnostics, fenced, names, checks, loo } = sampled;
  const { paretoShape } = diagnostics;
  return {
    target: name,
    family: model.family,
    rows,
    method: methodInWords(diagnostics.method, chains),
    chains,
    draws,
    tune: diagnostics.tune,
    worst_r_hat: finite(diagnostics.worstRHat),
    least_bulk_ess: finite(diagnostics.leastBulkEss),
    least_tail_ess: finite(diagnostics.leastTailEss),
    divergences: diagnostics.divergences,
    depth_exceeded: diagnostics.depthExceeded,
    least_e_bfmi: finite(diagnostics.leastEbfmi),
    pareto_k: paretoShape === null ? null : finite(paretoShape),
    converged: diagnostics.converged,
    summary: summaryOf(diagnostics, draws) + fencedInWords(fenced),
    parameters: names.length,
    left_out: sampled.dropped.slice(0, MAX_LISTED).filter((own) => !mentions(own, unnamed)),
    coefficients: sampled.coefficients(MAX_LISTED).flatMap((own) => {
      return unnamed.has(own.name) ? [] : [coefficientOf(own)];
    }),
    calibrated: calibrate,
    loo: loo && { elpd: loo.elpd, se: loo.se, parameters: loo.parameters, rows: loo.rows, bad_shapes: loo.badShapes },
    predictive_p_values: checks,
    label: null,
  };
}

const coefficientOf = ({ name, prior, mean, sd, q05, q95, rHat, bulkEss, tailEss }: Coefficient) => ({
  name,
  prior: inWords(prior),
  mean,
  sd,
  q05,
  q95,
  r_hat: finite(rHat),
  bulk_ess: finite(bulkEss),
  tail_ess: finite(tailEss),
});

/** The reason may name another column. */
const mentions = ({ name, reason }: DroppedColumn, unnamed: ReadonlySet<string>): boolean =>
  unnamed.has(name) || [...unnamed].some((other) => reason.endsWith(other));

/** Returns design columns of levels with fewer than `least` rows. */
export function rareColumns(predictors: readonly Predictor[], least: number): Set<string> {
  return new Set(
    predictors.flatMap((predictor) => {
      if (predictor.kind !== 'category') return [];
      const rows = new Int32Array(predictor.levels.length);
      for (const code of predictor.codes) if (code >= 0) rows[code]! += 1;
      return [...rows].flatMap((own, code) => (own < least ? [levelName(predictor, code)] : []));
    }),
  );
}

export const finite = (value: number): number | null => (Number.isFinite(value) ? value : null);

export function eventOf(column: string, family: TargetFamily, progress: RegressionProgress): ProgressEvent {
  if (progress.fact === 'planned') {
    const { columns, rows } = progress;
    return { stage: 'fit', fact: 'regression_planned', column, family, columns, rows };
  }
  if (progress.fact === 'approximation_rejected') {
    const { paretoShape, ...others } = progress;
    return { stage: 'fit', ...others, pareto_k: finite(paretoShape) };
  }
  if (progress.fact === 'rows_rejected') return { stage: 'fit', ...progress, error: finite(progress.error) };
  if (progress.fact !== 'chains_repeated') return { stage: 'fit', ...progress };
  return { stage: 'fit', fact: 'chains_repeated', parameter: progress.parameter, ...agreementOf(progress) };
}

/** @param draws per chain. */
export const fittedEvent = (
  column: string,
  { diagnostics, fenced }: Pick<DescribedRegression, 'diagnostics' | 'fenced'>,
  draws: number,
): ProgressEvent => ({
  stage: 'fit',
  fact: 'regression_fitted',
  column,
  converged: diagnostics.converged,
  ...agreementOf(diagnostics),
  r_hat_limit: rHatLimit(draws),
  method: diagnostics.method,
  pareto_k: diagnostics.paretoShape === null ? null : finite(diagnostics.paretoShape),
  fenced,
});

const agreementOf = ({ worstRHat, leastBulkEss, divergences }: Agreement) => ({
  worst_r_hat: finite(worstRHat),
  least_bulk_ess: finite(leastBulkEss),
  divergences,
});

function methodInWords(method: SamplingMethod, chains: number): string {
  switch (method) {
    case 'chains':
      return `${chains} chains of the no-U-turn sampler`;
    case 'subsample':
      return `${chains} chains of the no-U-turn sampler over a sample of the rows, corrected for the others`;
    case 'importance':
      return 'importance sampling from the Laplace approximation, weighted by all rows';
  }
}

/** A family with atoms may use both methods. */
function summaryOf(diagnostics: DescribedRegression['diagnostics'], draws: number): string {
  const { converged, paretoShape, worstRHat } = diagnostics;
  const weighted =
    paretoShape === null
      ? []
      : [`Importance sampling passed its check (Pareto k ${paretoShape.toFixed(2)}, below 0.7).`];
  const hasChains = paretoShape === null || !Number.isNaN(worstRHat);
  return [...weighted, ...(hasChains ? [chainsInWords(diagnostics, converged, draws)] : [])].join(' ');
}

function chainsInWords(agreement: Agreement, converged: boolean, draws: number): string {
  const said = agreementInWords(agreement);
  if (converged) return `The chains converged (${said}).${limitInWords(draws)}`;
  return chainsAgree(agreement, draws)
    ? `The chains agree, but too many of their steps diverged (${said}): where the posterior has a long tail, the coefficients are rough. Leave out columns that nearly decide the target by themselves.`
    : `The chains did not converge (${said}), even with a longer warm-up: the coefficients are rough.${limitInWords(draws)} Increase draws, or leave out columns that carry the same information.`;
}

function agreementInWords({ worstRHat, leastBulkEss, divergences }: Agreement): string {
  const ratio = Number.isFinite(worstRHat) ? worstRHat.toFixed(worstRHat < 100 ? 3 : 0) : 'not available';
  return `R-hat ${ratio}, smallest effective sample size ${withCommas(Number.isFinite(leastBulkEss) ? Math.round(leastBulkEss) : 0)}, ${counted(divergences, 'divergence')}`;
}

function limitInWords(draws: number): string {
  const [limit, usual] = [rHatLimit(draws), rHatLimit(Number.POSITIVE_INFINITY)];
  return limit === usual
    ? ''
    : ` With ${counted(draws, 'draw')} per chain, chance alone moves R-hat, and the limit is ${decimal(limit)} instead of ${decimal(usual)}.`;
}

const fencedInWords = (fenced: number): string =>
  fenced === 0
    ? ''
    : ` ${counted(fenced, 'value')} ${fenced === 1 ? 'is' : 'are'} further from the median than a hundred times the range of the middle 90 % of values; the fit treated ${fenced === 1 ? 'it' : 'them'} as being at that distance.`;

function inWords(prior: CoefficientPrior): string {
  switch (prior.kind) {
    case 'pooled':
      return `N(0, ${short(prior.sd)} sd(${prior.pool}))`;
    case 'flat':
      return 'flat';
    case 'normal':
      return `N(${short(prior.mean)}, ${short(prior.sd)})`;
    case 'student_t':
      return `t(${short(prior.df)}, ${short(prior.mean)}, ${short(prior.scale)})`;
    case 'cauchy':
      return `Cauchy(${short(prior.mean)}, ${short(prior.scale)})`;
    case 'exponential':
    case 'exponential_above':
      return `Exp(${short(prior.rate)})`;
    case 'gamma':
      return `Gamma(${short(prior.shape)}, ${short(prior.rate)})`;
    case 'beta':
      return `Beta(${short(prior.a)}, ${short(prior.b)})`;
    case 'uniform':
      return `U(${short(prior.lower)}, ${short(prior.upper)})`;
  }
}

const short = (value: number): string => String(Number(value.toPrecision(4)));
