import { familyOf, type ResponseName } from '../distributions/families.ts';
import type { Whitening } from '../mcmc/whiten.ts';
import { mean } from '../moments.ts';
import { finish, inSteps, type Steps } from '../steps.ts';
import { aggregateRows, splitAtoms } from './aggregateRows.ts';
import { coordinatesOf } from './coordinates.ts';
import { findModeInSteps, type Mode } from './findMode.ts';
import { gaussianStatistics } from './gaussianStatistics.ts';
import { assemble, costOf, flopsOf, type LikelihoodData, openLikelihood, type PackedRows } from './openLikelihood.ts';
import { packDesign } from './packed/packDesign.ts';
import { type Layout, layOut, type Posterior } from './posterior.ts';
import type { PredictorSpec, RegressionSpec } from './spec.ts';

export interface PreparedRegression {
  layout: Layout;
  data: LikelihoodData;
  /** Null without pools. */
  centring: Float64Array | null;
  /** Where to search for the mode (d). */
  start: Float64Array;
}

/** Approximate. */
export const gradientFlops = ({ layout, data }: PreparedRegression): number =>
  2 * (layout.size + layout.pools.length) ** 2 + flopsOf(costOf(data));

const DISCRETE: ReadonlySet<ResponseName> = new Set<ResponseName>([
  'bernoulli',
  'poisson',
  'negative_binomial',
  'zero_inflated_poisson',
  'zero_inflated_negative_binomial',
  'truncated_poisson',
  'truncated_negative_binomial',
]);

/** Reduces Gaussian rows to sums, merges equal discrete rows, packs long designs and centres pools. */
export const prepareRegression = (spec: RegressionSpec): PreparedRegression => finish(prepareInSteps(spec));

export function* prepareInSteps(spec: RegressionSpec, packed = isPackable(spec)): Steps<PreparedRegression> {
  const layout = layOut(familyOf(spec.family), spec.predictors);
  const data = reduceData(spec, packed);
  const start = startingPoint(spec, layout);
  yield;
  if (layout.pools.length === 0) return { layout, data, centring: null, start };
  return yield* centrePools(layout, data, start);
}

function reduceData(spec: RegressionSpec, packed: boolean): LikelihoodData {
  const parts = splitAtoms(spec);
  if (parts) {
    const own = parts.map((part) => ({ data: reduceData(part.spec, packed), entries: part.entries }));
    return { kind: 'parts', parts: own };
  }
  const statistics = gaussianStatistics(spec);
  if (statistics) return { kind: 'gaussian', statistics };
  const rows = DISCRETE.has(spec.family) ? aggregateRows(spec) : spec;
  return (packed && packRows(rows)) || { kind: 'rows', spec: rows };
}

export const PACKED_FROM = 3e4;
const LONG = 1e6;

export const isPackable = (spec: RegressionSpec): boolean => flopsOf(costOf({ kind: 'rows', spec })) > PACKED_FROM;

export const staysLong = (prepared: PreparedRegression): boolean => gradientFlops(prepared) > LONG;

function packRows({ family, y, weights, predictors }: RegressionSpec): LikelihoodData | undefined {
  const packed: PackedRows['predictors'] = [];
  for (const own of predictors) {
    const design = own.kind === 'linear' ? packDesign(own.design) : null;
    if (design === undefined) return undefined;
    packed.push({ parameter: own.parameter, design });
  }
  return { kind: 'packed', rows: { family, y, weights, predictors: packed } };
}

/** Starts σ at the standard deviation to shorten the search. */
function startingPoint(spec: RegressionSpec, layout: Layout): Float64Array {
  const start = new Float64Array(layout.size + layout.pools.length);
  const sigma = layout.names.indexOf('sigma');
  if (sigma < 0 || (spec.family !== 'gaussian' && spec.family !== 'student_t')) return start;
  const centre = mean(spec.y);
  const variance = spec.y.reduce((sum, y) => sum + (y - centre) ** 2, 0) / spec.y.length;
  if (variance > 0 && Number.isFinite(variance)) start[sigma] = 0.5 * Math.log(variance);
  return start;
}

/** Minimum data precision for centring, relative to the pool's. */
const CENTRED_FROM = 1.5;

/** Centres coefficients that the data determine more than their pool. */
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

/** Unconstrained: coefficients, constants on link scales, log scales of pools. */
export const createPosterior = (spec: RegressionSpec): Posterior => openPosterior(prepareRegression(spec));

export function openPosterior({ layout, data, centring, start }: PreparedRegression): Posterior {
  return assemble(openLikelihood(data), coordinatesOf(layout, centring), layout.names, start);
}

/** Rows per column above which joint and marginal modes are close. */
const ENOUGH_ROWS = 4;
/** Fixed scale, relative to the prior mean. */
const HELD_AT = 0.5;

/**
 * If columns match rows in number, the joint density peaks near scale 0 with little mass, so also tries a fixed scale
 * and takes the heavier mode (by Laplace).
 */
export async function whitenPosterior(
  spec: RegressionSpec,
  start: Float64Array,
  posterior: Posterior,
  yieldToEventLoop: () => Promise<void>,
): Promise<{ position: Float64Array; whitening: Whitening | null }> {
  const mode = await inSteps(findModeInSteps(posterior, start), yieldToEventLoop);
  const held = holdScale(spec);
  const other = held && (await inSteps(findModeInSteps(createPosterior(held), start), yieldToEventLoop));
  const { position, factor } = other ? heavier(posterior, mode, other) : mode;
  return { position, whitening: factor ? { mode: position, factor } : null };
}

function holdScale(spec: RegressionSpec): RegressionSpec | null {
  const columns = spec.predictors[0]?.kind === 'linear' ? spec.predictors[0].design.cols : 0;
  let isHeld = false;
  const predictors = spec.predictors.map((own): PredictorSpec => {
    if (own.kind !== 'constant' || own.prior.kind !== 'exponential_above') return own;
    const { rate, rows } = own.prior;
    if (rows >= ENOUGH_ROWS * columns) return own;
    isHeld = true;
    const shape = 2 * rows + 8;
    return { ...own, prior: { kind: 'gamma', shape, rate: (shape * rate) / HELD_AT } };
  });
  return isHeld ? { ...spec, predictors } : null;
}

function heavier(posterior: Posterior, one: Mode, other: Mode): Mode {
  return massAround(posterior, other) > massAround(posterior, one) ? other : one;
}

/** Laplace approximation of the mass around a mode. */
function massAround(posterior: Posterior, { position, factor }: Mode): number {
  const d = posterior.dimension;
  if (!factor) return Number.NEGATIVE_INFINITY;
  let mass = posterior.evaluate(position, new Float64Array(d));
  for (let i = 0; i < d; i++) mass -= Math.log(factor[i * d + i]!);
  return Number.isNaN(mass) ? Number.NEGATIVE_INFINITY : mass;
}
