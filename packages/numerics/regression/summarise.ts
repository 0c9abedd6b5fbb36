/** Parameters by name with prior and posterior, in the units of the response. */
import { ofStandard, type StandardUnits } from './responseScale.ts';
import type { PosteriorDraws } from './samplePosterior.ts';
import type { Prior, RegressionSpec } from './spec.ts';

/** Prior of a coefficient of a pool: normal about 0, its standard deviation `sd` times the scale of the pool. */
export type CoefficientPrior = Prior | { kind: 'pooled'; pool: string; sd: number };

export interface Coefficient {
  name: string;
  prior: CoefficientPrior;
  mean: number;
  sd: number;
  q05: number;
  q95: number;
}

/** The first `limit` parameters; one whose figures are no numbers in the response's own units is left out. */
export function summariseCoefficients(
  spec: RegressionSpec,
  { posterior, chains }: Pick<PosteriorDraws, 'posterior' | 'chains'>,
  units: StandardUnits | null,
  limit = Number.POSITIVE_INFINITY,
): Coefficient[] {
  const d = posterior.dimension;
  const scales = scalesOf(spec, units);
  const priors = priorsOf(inUnits(spec, scales));
  return posterior.names.slice(0, limit).flatMap((name, at) => {
    const { offset, factor } = scales[at] ?? SAME;
    const values = Float64Array.from(
      chains.flatMap((chain) => Array.from({ length: chain.length / d }, (_, i) => chain[i * d + at]!)),
    ).sort();
    const mean = values.reduce((sum, value) => sum + value / values.length, 0);
    const sd = Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2 / values.length, 0));
    const quantileOf = (share: number): number => offset + factor * values[Math.round(share * (values.length - 1))]!;
    const figures = { mean: offset + factor * mean, sd: factor * sd, q05: quantileOf(0.05), q95: quantileOf(0.95) };
    return Object.values(figures).every(Number.isFinite) ? [{ name, prior: priors[at]!, ...figures }] : [];
  });
}

interface Scale {
  offset: number;
  factor: number;
}

const SAME: Scale = { offset: 0, factor: 1 };

/** One a number of θ: the location's intercept, its other coefficients, and what is a scale are in units; the rest is not. */
function scalesOf({ predictors }: RegressionSpec, units: StandardUnits | null): Scale[] {
  const location = units ? ofStandard(units) : SAME;
  const difference = { offset: 0, factor: location.factor };
  return predictors.flatMap((own, k) => {
    if (own.kind === 'constant') return [own.parameter === 'sigma' ? difference : SAME];
    if (k > 0) return own.names.map(() => SAME);
    return own.names.map((_, j) => (j === 0 ? location : difference));
  });
}

function inUnits(spec: RegressionSpec, scales: readonly Scale[]): RegressionSpec {
  let at = 0;
  const predictors = spec.predictors.map((own) => {
    if (own.kind === 'constant') return { ...own, prior: scaled(own.prior, scales[at++]!) };
    return { ...own, priors: own.priors.map((prior) => scaled(prior, scales[at++]!)) };
  });
  return { ...spec, predictors };
}

/** The kinds that a planned regression has on what is in units. */
function scaled(prior: Prior, { offset, factor }: Scale): Prior {
  if (prior.kind === 'normal') return { ...prior, mean: offset + factor * prior.mean, sd: factor * prior.sd };
  if (prior.kind === 'exponential_above') return { ...prior, rate: prior.rate / factor, error: prior.error * factor };
  return prior;
}

/** One a parameter, in the order of the posterior's names. */
function priorsOf({ predictors }: RegressionSpec): CoefficientPrior[] {
  const priors: CoefficientPrior[] = [];
  const scales: CoefficientPrior[] = [];
  for (const predictor of predictors) {
    if (predictor.kind === 'constant') {
      priors.push(predictor.prior);
      continue;
    }
    const own: CoefficientPrior[] = [...predictor.priors];
    for (const { name, columns, sds, scale } of predictor.pools) {
      columns.forEach((column, j) => {
        own[column] = { kind: 'pooled', pool: name, sd: sds[j]! };
      });
      scales.push(scale);
    }
    priors.push(...own);
  }
  return [...priors, ...scales];
}
