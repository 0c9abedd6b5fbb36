/** Coefficients by name with prior and posterior, in the units of the target. */
import type { RegressionMetrics } from '../../../domain/schema/regressionMetrics.ts';
import type { Prior, RegressionSpec } from '../../../numerics/regression/spec.ts';
import { ofStandard, type StandardUnits } from '../../../numerics/regression/standardUnits.ts';
import type { PosteriorDraws } from './posteriorTask.ts';
import { priorsInWords } from './priorsInWords.ts';

/** Coefficients that are listed, at most. */
export const MOST_COEFFICIENTS = 100;

/** `units`: of the response that was sampled. One whose figures are no numbers in the target's own units is left out. */
export function coefficientsOf(
  spec: RegressionSpec,
  { posterior, chains }: PosteriorDraws,
  units: StandardUnits | null,
): RegressionMetrics['coefficients'] {
  const d = posterior.dimension;
  const scales = scalesOf(spec, units);
  const priors = priorsInWords(inUnits(spec, scales));
  return posterior.names.slice(0, MOST_COEFFICIENTS).flatMap((name, at) => {
    const { offset, factor } = scales[at] ?? SAME;
    const values = Float64Array.from(
      chains.flatMap((chain) => Array.from({ length: chain.length / d }, (_, i) => chain[i * d + at]!)),
    ).sort();
    const mean = values.reduce((sum, value) => sum + value / values.length, 0);
    const sd = Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2 / values.length, 0));
    const quantileOf = (share: number): number => offset + factor * values[Math.round(share * (values.length - 1))]!;
    const figures = { mean: offset + factor * mean, sd: factor * sd, q05: quantileOf(0.05), q95: quantileOf(0.95) };
    return Object.values(figures).every(Number.isFinite) ? [{ name, prior: priors[at] ?? '', ...figures }] : [];
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
