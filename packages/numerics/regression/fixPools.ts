/**
 * Empirical Bayes: fixes pool scales τ at their marginal modes (by Laplace). Sampling τ takes about a hundred times as
 * many gradients, because of the funnel.
 */
import { familyOf } from '../distributions/families.ts';
import type { Link } from '../distributions/family.ts';
import { inSteps } from '../steps.ts';
import { ownNames, restrict, splitAtoms } from './aggregateRows.ts';
import { findModeInSteps } from './findMode.ts';
import { isSummed } from './gaussianStatistics.ts';
import { isPackable, openPosterior, prepareInSteps } from './prepareRegression.ts';
import { type PredictorSpec, type Prior, type RegressionSpec, toLink } from './spec.ts';

/** Smaller scales only cost digits. */
const MIN_SCALE = 1e-4;

interface FixedPools {
  spec: RegressionSpec;
  /** Coefficients and constants near the mode, on links. */
  start: Float64Array;
}

/** Maximum rows for estimating scales if evaluations read all rows: scales belong to columns. */
export const DESIGN_ROWS = 8_000;

/** Throws what `yieldToEventLoop` throws. */
export async function fixPools(spec: RegressionSpec, yieldToEventLoop: () => Promise<void>): Promise<FixedPools> {
  const parts = splitAtoms(spec);
  if (!parts) return fixPart(spec, yieldToEventLoop);
  const predictors = [...spec.predictors];
  const start = new Float64Array(parts.reduce((sum, { entries }) => sum + entries.length, 0));
  for (const part of parts) {
    if (part.spec.y.length === 0) continue;
    const fixed = await fixPart(ownNames(part.spec), yieldToEventLoop);
    part.spec.predictors.forEach(({ parameter }, k) => {
      const at = predictors.findIndex((own) => own.parameter === parameter);
      const [whole, own] = [predictors[at]!, fixed.spec.predictors[k]!];
      if (whole.kind === 'linear' && own.kind === 'linear')
        predictors[at] = { ...whole, priors: own.priors, pools: [] };
    });
    part.entries.forEach((entry, i) => {
      start[entry] = fixed.start[i]!;
    });
  }
  return { spec: { ...spec, predictors }, start };
}

async function fixPart(spec: RegressionSpec, yieldToEventLoop: () => Promise<void>): Promise<FixedPools> {
  const read = isSummed(spec.family) ? spec : thinned(spec);
  const posterior = openPosterior(await inSteps(prepareInSteps(read, isPackable(spec)), yieldToEventLoop));
  const { position } = await inSteps(findModeInSteps(posterior), yieldToEventLoop);
  const theta = posterior.constrain(position);
  let at = posterior.dimension - posterior.scales;
  const predictors = spec.predictors.map((predictor): PredictorSpec => {
    if (predictor.kind === 'constant' || predictor.pools.length === 0) return predictor;
    const priors = [...predictor.priors];
    for (const { columns, sds, scale } of predictor.pools) {
      const tau = Math.max(theta[at++]!, MIN_SCALE * scaleOf(scale));
      columns.forEach((column, j) => {
        priors[column] = { kind: 'normal', mean: 0, sd: tau * sds[j]! };
      });
    }
    return { ...predictor, priors, pools: [] };
  });
  return { spec: { ...spec, predictors }, start: onLinks(spec, theta) };
}

const scaleOf = (prior: Prior): number => {
  if (prior.kind === 'student_t' || prior.kind === 'cauchy') return prior.scale;
  return prior.kind === 'normal' ? prior.sd : 1;
};

/** If most rows share one value (no claim, a claim), keeps all other rows and a reweighted sample of those. */
function thinned(spec: RegressionSpec): RegressionSpec {
  const { y } = spec;
  if (y.length <= DESIGN_ROWS) return spec;
  const common = y.reduce((sum, value) => sum + (value === 0 ? 1 : 0), 0) * 2 > y.length ? 0 : 1;
  const rare = y.reduce((sum, value) => sum + (value === common ? 0 : 1), 0);
  if (rare > DESIGN_ROWS / 2) return restrict(spec, everyNth(y.length, Math.ceil(y.length / DESIGN_ROWS)));
  const others = y.length - rare;
  const kept = everyNth(others, Math.ceil(others / (DESIGN_ROWS - rare)));
  const isKept = new Uint8Array(others);
  for (const k of kept) isKept[k] = 1;
  let seen = 0;
  const rows = Int32Array.from(y.keys()).filter((row) => y[row] !== common || isKept[seen++] === 1);
  const weight = others / kept.length;
  const own = restrict(spec, rows);
  const weights = own.weights ?? new Float64Array(rows.length).fill(1);
  return { ...own, weights: own.y.map((value, i) => (value === common ? weight : 1) * weights[i]!) };
}

const everyNth = (n: number, stride: number): Int32Array =>
  Int32Array.from({ length: Math.floor(n / stride) }, (_, i) => i * stride);

function onLinks({ family, predictors }: RegressionSpec, theta: Float64Array): Float64Array {
  const { parameters } = familyOf(family);
  const links = predictors.flatMap((own, k): Link[] =>
    own.kind === 'linear' ? new Array<Link>(own.design.cols).fill('identity') : [parameters[k]!.link],
  );
  return Float64Array.from(links, (link, i) => toLink(link, theta[i]!));
}
