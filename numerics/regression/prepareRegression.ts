/** What is worked out once of a regression, before any thread evaluates its posterior. */

import { familyOf } from '../distributions/families.ts';
import type { ResponseName } from '../distributions/family.ts';
import { aggregateRows } from './aggregateRows.ts';
import { coordinatesOf } from './coordinates.ts';
import { findModeInSteps } from './findMode.ts';
import { gaussianStatistics } from './gaussianStatistics.ts';
import { type Layout, layOut } from './layout.ts';
import { assemble, type LikelihoodData, openLikelihood } from './openLikelihood.ts';
import type { RegressionSpec } from './spec.ts';
import { splitAtoms } from './splitAtoms.ts';
import { finish, type Steps } from './steps.ts';

/** Plain data: a worker thread can be sent it in the place of the spec. */
export interface PreparedRegression {
  layout: Layout;
  data: LikelihoodData;
  /** λ of each entry of θ, of a pool or not; null where there are no pools. */
  centring: Float64Array | null;
  /** Where a search for the mode may begin, d. */
  start: Float64Array;
}

const DISCRETE: ReadonlySet<ResponseName> = new Set<ResponseName>([
  'bernoulli',
  'poisson',
  'negative_binomial',
  'zero_inflated_poisson',
  'zero_inflated_negative_binomial',
  'truncated_poisson',
  'truncated_negative_binomial',
]);

/** Sums of squares where the family is Gaussian, distinct rows where it is discrete; the centring of pools. */
export const prepareRegression = (spec: RegressionSpec): PreparedRegression => finish(prepareInSteps(spec));

/** The same, with yields where there are pools. */
export function* prepareInSteps(spec: RegressionSpec): Steps<PreparedRegression> {
  const layout = layOut(familyOf(spec.family), spec.predictors);
  const data = reduceData(spec);
  const start = startingPoint(spec, layout);
  yield;
  if (layout.pools.length === 0) return { layout, data, centring: null, start };
  return yield* centrePools(layout, data, start);
}

function reduceData(spec: RegressionSpec): LikelihoodData {
  const parts = splitAtoms(spec);
  if (parts) {
    return { kind: 'parts', parts: parts.map((part) => ({ data: reduceData(part.spec), entries: part.entries })) };
  }
  const statistics = gaussianStatistics(spec);
  if (statistics) return { kind: 'gaussian', statistics };
  return { kind: 'rows', spec: DISCRETE.has(spec.family) ? aggregateRows(spec) : spec };
}

/** Zeros; a scale of a response on the line at that of y, so that a search does not begin many doublings away. */
function startingPoint(spec: RegressionSpec, layout: Layout): Float64Array {
  const start = new Float64Array(layout.size + layout.pools.length);
  const sigma = layout.names.indexOf('sigma');
  if (sigma < 0 || (spec.family !== 'gaussian' && spec.family !== 'student_t')) return start;
  const mean = spec.y.reduce((sum, y) => sum + y, 0) / spec.y.length;
  const variance = spec.y.reduce((sum, y) => sum + (y - mean) ** 2, 0) / spec.y.length;
  if (variance > 0 && Number.isFinite(variance)) start[sigma] = 0.5 * Math.log(variance);
  return start;
}

/** Precision that the data give a coefficient, as a multiple of its pool's, from which it is centred. */
const CENTRED_FROM = 1.5;

/**
 * Centres a pooled coefficient of which the data tell clearly more than its pool does, and no other: a coefficient of many rows
 * hardly knows the pool's scale, one of few rows is hardly known but by it.
 */
function* centrePools(layout: Layout, data: LikelihoodData, start: Float64Array): Steps<PreparedRegression> {
  const centred = coordinatesOf(layout, null);
  const posterior = assemble(openLikelihood(data), centred, layout.names, start);
  const { position, factor } = yield* findModeInSteps(posterior);
  const centring = new Float64Array(layout.size).fill(1);
  if (factor === null) return { layout, data, centring, start: position };
  const d = posterior.dimension;
  const hessian = posterior.hessian(position);
  const logTaus = position.slice(layout.size);
  layout.pools.forEach(({ members }, k) => {
    const pull = Math.exp(-2 * logTaus[k]!);
    for (const at of members) if (hessian[at * d + at]! - pull < CENTRED_FROM * pull) centring[at] = 0;
  });
  const theta = new Float64Array(layout.size);
  centred.toTheta(position, theta);
  return { layout, data, centring, start: coordinatesOf(layout, centring).fromTheta(theta, logTaus) };
}
