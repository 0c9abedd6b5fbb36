/** Fits one family to one pair. Shapes: n rows. */

import { brent } from '../optimise/brent.ts';
import { projectedBfgs } from '../optimise/projectedBfgs.ts';
import { mergeEqualRows, pairLogLikelihood } from './discrete.ts';
import { fitStudent, gaussianLikelihood } from './elliptical.ts';
import { kendallTau, sortedBy } from './kendallTau.ts';
import { offEdge, type PairCopula, type PairData, type PairFamily, type Rotation } from './pairCopula.ts';
import { type FamilyId, makePair, PAIR_FAMILIES } from './registry.ts';
import { fitTll, normalScores, type TllDegree } from './tll/fitTll.ts';

/** Part of a parameter's axis, either side of the τ estimate, that is searched first. */
const NEAR = 0.08;
/** Tolerance of the argument; the likelihood, flat at its maximum, is then good to the square. */
const ARGUMENT_TOLERANCE = 2e-5;

/** Rows that give a Gaussian's correlation to 0.03. */
const GAUSSIAN_ROWS = 1_000;

export interface FitOptions {
  /** Maximum likelihood, or the parameter with the sample's τ (families of one parameter, and the t's ρ). Default mle. */
  method?: 'mle' | 'itau';
  /** How much each row counts; null or left out: each once. */
  weights?: Float64Array | null;
  /** Left out: of those with the sample's sign of dependence, the one of greater likelihood. */
  rotation?: Rotation;
  /** Degree of `tll`. Default linear: of the three the most likely on held-out halves of the bench's pairs. */
  tllDegree?: TllDegree;
  /** Kendall's τ of the data where the caller has it. */
  tau?: number;
}

export interface PairFit {
  pair: PairCopula;
  /** Σ w log c, margins left out; of discrete rows relative to independent margins. */
  logLikelihood: number;
}

/** The rotations with dependence of the sign of `tau`: one of every two that differ by a half turn. */
export function rotationsOfSign(family: PairFamily, tau: number): Rotation[] {
  if (family.rotations.length === 1) return [0];
  return tau < 0 ? [90, 270] : [0, 180];
}

/**
 * The family's copula that fits best. Throws RangeError for an unknown family, for data without rows or of unequal
 * lengths, and for τ inversion of a family that has none.
 */
export function fitPair(data: PairData, family: FamilyId | 'tll', options: FitOptions = {}): PairFit {
  checkData(data, options.weights ?? null);
  if (family === 'tll') return fitNonparametric(data, options);
  const known = PAIR_FAMILIES[family];
  if (known === undefined) throw new RangeError(`there is no pair copula '${family}'`);
  const tau = options.tau ?? sampleTau(data, options.weights ?? null);
  const rotations = options.rotation === undefined ? rotationsOfSign(known, tau) : [options.rotation];
  const fits = rotations.map((rotation) => fitRotation(data, known, rotation, tau, options));
  return fits.reduce((best, fit) => (fit.logLikelihood > best.logLikelihood ? fit : best));
}

/** τ-b, and 0 where a margin is constant. */
export function sampleTau(data: PairData, weights: Float64Array | null): number {
  const tau = kendallTau(data.u, data.v, weights);
  return Number.isNaN(tau) ? 0 : tau;
}

function checkData(data: PairData, weights: Float64Array | null): void {
  const n = data.u.length;
  const others = [data.v, data.uBelow ?? data.u, data.vBelow ?? data.u, weights ?? data.u];
  if (n === 0) throw new RangeError('a pair copula needs rows to be fitted to, and there are none');
  if (others.some((side) => side.length !== n)) {
    throw new RangeError(
      `the columns of a pair have equal lengths, not ${[data.u, ...others].map((s) => s.length).join(', ')}`,
    );
  }
}

/** Whether every row counts as continuous. */
const isContinuous = (data: PairData): boolean => data.uBelow === null && data.vBelow === null;

/** TLL of continuous rows; of discrete ones on a latent sample, first by a Gaussian of some rows, then twice by the fit itself. */
function fitNonparametric(data: PairData, options: FitOptions): PairFit {
  const weights = options.weights ?? null;
  const degree = options.tllDegree ?? 'linear';
  if (isContinuous(data)) {
    const pair = fitTll(data.u, data.v, weights, degree);
    return { pair, logLikelihood: pairLogLikelihood(pair, data, weights) };
  }
  let { pair } = fitGaussianOfFew(data, weights);
  let latent = latentSample(pair, data, null);
  for (let round = 0; round < 3; round++) {
    if (round > 0) latent = latentSample(pair, data, latent);
    pair = fitTll(latent.u, latent.v, weights, degree);
  }
  return { pair, logLikelihood: pairLogLikelihood(pair, data, weights) };
}

/** The Gaussian is only where the latent sample begins: a discrete likelihood costs four cdfs a row. */
function fitGaussianOfFew(data: PairData, weights: Float64Array | null): PairFit {
  const step = Math.max(1, data.u.length / GAUSSIAN_ROWS);
  const rows = Int32Array.from({ length: Math.floor(data.u.length / step) }, (_, i) => Math.floor(i * step));
  const pick = (side: Float64Array) => Float64Array.from(rows, (row) => side[row]!);
  const few = {
    u: pick(data.u),
    v: pick(data.v),
    uBelow: data.uBelow && pick(data.uBelow),
    vBelow: data.vBelow && pick(data.vBelow),
  };
  return fitPair(few, 'gaussian', { weights: weights && pick(weights) });
}

function fitRotation(
  data: PairData,
  family: PairFamily,
  rotation: Rotation,
  tau: number,
  options: FitOptions,
): PairFit {
  const weights = options.weights ?? null;
  const signed = rotation === 90 || rotation === 270 ? -tau : tau;
  const parameters =
    options.method === 'itau'
      ? invertTau(data, family, signed, weights)
      : maximiseLikelihood(data, family, rotation, signed, weights);
  const pair = makePair(family.name, rotation, parameters);
  return { pair, logLikelihood: pairLogLikelihood(pair, data, weights) };
}

function invertTau(data: PairData, family: PairFamily, tau: number, weights: Float64Array | null): number[] {
  if (family.name === 'student') {
    const [rho] = family.fromTau(tau);
    return fitStudent(normalScores(data.u), normalScores(data.v), weights, rho!);
  }
  if (family.bounds.length > 1) throw new RangeError(`${family.name} has two parameters, and τ gives only one`);
  return clampTo(family, family.fromTau(tau));
}

const clampTo = (family: PairFamily, parameters: readonly number[]): number[] =>
  parameters.map((value, k) => Math.min(Math.max(value, family.bounds[k]![0]), family.bounds[k]![1]));

function maximiseLikelihood(
  data: PairData,
  family: PairFamily,
  rotation: Rotation,
  tau: number,
  weights: Float64Array | null,
): number[] {
  if (family.bounds.length === 0) return [];
  if (isContinuous(data) && (family.name === 'gaussian' || family.name === 'student')) {
    const [x, y] = [normalScores(data.u), normalScores(data.v)];
    if (family.name === 'student') return fitStudent(x, y, weights, undefined);
    const [low, high] = family.bounds[0]!;
    return [brent(gaussianLikelihood(x, y, weights), low, high, 1e-9)[0]];
  }
  const likelihood = isContinuous(data)
    ? continuousLikelihood(data, family, rotation, weights)
    : discreteLikelihood(data, family, rotation, weights);
  const axes = family.bounds.map(([low, high]) => axisOf(low, high));
  const at = (x: readonly number[]) =>
    clampTo(
      family,
      x.map((value, k) => axes[k]!.toParameter(value)),
    );
  if (axes.length === 1) {
    const start = clampTo(family, family.fromTau(tau))[0]!;
    return at([maximiseNear((x) => likelihood(at([x])), axes[0]!, axes[0]!.fromParameter(start))]);
  }
  const [a, b] = [axes[0]!, axes[1]!];
  const start = clampTo(family, family.fromTau(Math.min(Math.max(tau, 0.02), 0.95)));
  const box = { low: [a.low, b.low], high: [a.high, b.high] } as const;
  const from: [number, number] = [a.fromParameter(start[0]!), b.fromParameter(start[1]!)];
  return at(projectedBfgs((x) => likelihood(at(x)), from, box, 1e-4)[0]);
}

/** Between bounds near `start` first: the whole axis only where the best is at one of them. */
function maximiseNear(f: (x: number) => number, axis: { low: number; high: number }, start: number): number {
  const width = NEAR * (axis.high - axis.low);
  const low = Math.max(axis.low, start - width);
  const high = Math.min(axis.high, start + width);
  const [best] = brent(f, low, high, ARGUMENT_TOLERANCE);
  const edge = 0.05 * (high - low);
  if ((best - low < edge && low > axis.low) || (high - best < edge && high < axis.high)) {
    return brent(f, axis.low, axis.high, ARGUMENT_TOLERANCE)[0];
  }
  return best;
}

/** A parameter's scale for the search: t / (1 - t) above its lower bound where it may grow far. */
function axisOf(low: number, high: number) {
  const span = high - low;
  if (low < 0 || span <= 1) return { low, high, toParameter: (x: number) => x, fromParameter: (p: number) => p };
  return {
    low: 0,
    high: span / (1 + span),
    toParameter: (x: number) => low + x / (1 - x),
    fromParameter: (p: number) => (p - low) / (1 + p - low),
  };
}

/** The log-likelihood of the unrotated copula on turned data. */
function continuousLikelihood(
  data: PairData,
  family: PairFamily,
  rotation: Rotation,
  weights: Float64Array | null,
): (parameters: readonly number[]) => number {
  const flipU = rotation === 90 || rotation === 180;
  const flipV = rotation === 180 || rotation === 270;
  const u = data.u.map((value) => offEdge(flipU ? 1 - value : value));
  const v = data.v.map((value) => offEdge(flipV ? 1 - value : value));
  return (parameters) => {
    const { logDensity } = family.make(parameters);
    let sum = 0;
    if (weights === null) for (let i = 0; i < u.length; i++) sum += logDensity(u[i]!, v[i]!);
    else for (let i = 0; i < u.length; i++) sum += weights[i]! * logDensity(u[i]!, v[i]!);
    return Number.isNaN(sum) ? Number.NEGATIVE_INFINITY : sum;
  };
}

function discreteLikelihood(
  data: PairData,
  family: PairFamily,
  rotation: Rotation,
  weights: Float64Array | null,
): (parameters: readonly number[]) => number {
  const rows = Int32Array.from({ length: data.u.length }, (_, i) => i);
  const merged = mergeEqualRows(data, weights, sortedBy(data.v, sortedBy(data.u, rows)));
  return (parameters) => pairLogLikelihood(makePair(family.name, rotation, parameters), merged.data, merged.weights);
}

// Continuous pseudo-observations inside the steps of discrete margins, for estimators that need them. Spread evenly
// and independently they would weaken the dependence (by a third of τ for coarse steps); here they follow the
// conditional distribution of a copula that was fitted to the steps themselves.

const SWEEPS = 4;
/** Steps of Roberts's (2018) two-dimensional low-discrepancy sequence: fixed points instead of random ones. */
const R1 = 0.7548776662466927;
const R2 = 0.5698402909980532;

interface Latent {
  u: Float64Array;
  v: Float64Array;
}

/** A draw of (U, V) within each row's rectangle from `pair`, by turns from either conditional. Deterministic. */
function latentSample(pair: PairCopula, data: PairData, from: Latent | null): Latent {
  const n = data.u.length;
  const u = new Float64Array(n);
  const v = new Float64Array(n);
  for (let i = 0; i < n; i++) {
    const [u1, v1] = [data.u[i]!, data.v[i]!];
    const u0 = data.uBelow === null ? u1 : Math.min(u1, data.uBelow[i]!);
    const v0 = data.vBelow === null ? v1 : Math.min(v1, data.vBelow[i]!);
    let a = from === null ? u0 + fraction(0.5 + i * R1) * (u1 - u0) : from.u[i]!;
    let b = from === null ? v0 + fraction(0.5 + i * R2) * (v1 - v0) : from.v[i]!;
    for (let sweep = 0; sweep < SWEEPS; sweep++) {
      const shift = sweep / Math.SQRT2 + (from === null ? 0 : 0.3);
      if (u1 > u0)
        a = within(pair.h2(u0, b), pair.h2(u1, b), fraction(shift + i * R1), (p) => pair.inverseH2(p, b), u0, u1);
      if (v1 > v0)
        b = within(pair.h1(a, v0), pair.h1(a, v1), fraction(shift + i * R2), (p) => pair.inverseH1(a, p), v0, v1);
    }
    u[i] = a;
    v[i] = b;
  }
  return { u, v };
}

const fraction = (x: number): number => x - Math.floor(x);

function within(
  low: number,
  high: number,
  share: number,
  inverse: (p: number) => number,
  from: number,
  to: number,
): number {
  if (!(high - low > 1e-12)) return from + share * (to - from);
  return Math.min(Math.max(inverse(low + share * (high - low)), from), to);
}
