/**
 * Pair copulas of discrete and mixed margins, through F(x) and F(x⁻) (Panagiotelis, Czado and Joe, 2012). A row is
 * discrete in a margin where F(x) - F(x⁻) is above rounding; elsewhere it counts as continuous.
 */
import type { PairCopula, PairData } from './pairCopula.ts';

/** Steps narrower than this are no steps. */
const MIN_STEP = 1e-9;
const MIN_DENSITY = 1e-15;

/**
 * Log of the row's probability or density, relative to that of independent margins: log c for two continuous margins, a
 * difference of h over a step for one, a rectangle over its area for two.
 */
export function rowLogDensity(pair: PairCopula, u: number, v: number, uBelow: number, vBelow: number): number {
  const stepU = u - uBelow;
  const stepV = v - vBelow;
  if (!(stepU > MIN_STEP)) {
    if (!(stepV > MIN_STEP)) return pair.logDensity(u, v);
    return Math.log(Math.max((pair.h1(u, v) - pair.h1(u, vBelow)) / stepV, MIN_DENSITY));
  }
  if (!(stepV > MIN_STEP)) {
    return Math.log(Math.max((pair.h2(u, v) - pair.h2(uBelow, v)) / stepU, MIN_DENSITY));
  }
  const mass = pair.cdf(u, v) - pair.cdf(uBelow, v) - pair.cdf(u, vBelow) + pair.cdf(uBelow, vBelow);
  return Math.log(Math.max(mass / (stepU * stepV), MIN_DENSITY));
}

/** Σ w log density of all rows, margins left out. `weights` null: each row once. */
export function pairLogLikelihood(pair: PairCopula, data: PairData, weights: Float64Array | null): number {
  const { u, v, uBelow, vBelow } = data;
  let sum = 0;
  if (uBelow === null && vBelow === null) {
    const logs = new Float64Array(u.length);
    pair.logDensityInto(u, v, logs);
    for (let i = 0; i < logs.length; i++) sum += weights === null ? logs[i]! : weights[i]! * logs[i]!;
    return sum;
  }
  for (let i = 0; i < u.length; i++) {
    const log = rowLogDensity(pair, u[i]!, v[i]!, uBelow?.[i] ?? u[i]!, vBelow?.[i] ?? v[i]!);
    sum += weights === null ? log : weights[i]! * log;
  }
  return sum;
}

/** A variable's conditional distribution at each row: at the value, and just below it (null: continuous). */
export interface Conditioned {
  at: Float64Array;
  below: Float64Array | null;
}

/** F(v | u) of every row, given that U is the row's value (or lies in its step): the next tree's pseudo-observations. */
export function conditionOnU(pair: PairCopula, data: PairData): Conditioned {
  const { u, v, uBelow, vBelow } = data;
  const at = new Float64Array(u.length);
  if (uBelow === null) pair.h1Into(u, v, at);
  else for (let i = 0; i < u.length; i++) at[i] = givenStep(pair, u[i]!, uBelow[i]!, v[i]!);
  if (vBelow === null) return { at, below: null };
  const below = new Float64Array(u.length);
  for (let i = 0; i < u.length; i++) below[i] = givenStep(pair, u[i]!, uBelow?.[i] ?? u[i]!, vBelow[i]!);
  return { at, below };
}

/** F(u | v) of every row. */
export function conditionOnV(pair: PairCopula, data: PairData): Conditioned {
  return conditionOnU(swapArguments(pair), { u: data.v, v: data.u, uBelow: data.vBelow, vBelow: data.uBelow });
}

function givenStep(pair: PairCopula, u: number, uBelow: number, v: number): number {
  const step = u - uBelow;
  if (!(step > MIN_STEP)) return pair.h1(u, v);
  return Math.min(1, Math.max(0, (pair.cdf(u, v) - pair.cdf(uBelow, v)) / step));
}

/** What conditioning needs of the copula of (V, U). */
function swapArguments(pair: PairCopula): PairCopula {
  return {
    ...pair,
    cdf: (u, v) => pair.cdf(v, u),
    h1: (u, v) => pair.h2(v, u),
    h1Into: (u, v, out) => pair.h2Into(v, u, out),
    h2: (u, v) => pair.h1(v, u),
    h2Into: (u, v, out) => pair.h1Into(v, u, out),
    logDensity: (u, v) => pair.logDensity(v, u),
    inverseH1: (u, p) => pair.inverseH2(p, u),
    inverseH2: (p, v) => pair.inverseH1(v, p),
  };
}

/**
 * Equal rows once, with their total weight: a discrete likelihood costs four cdfs a row. Rows come sorted.
 */
export function mergeEqualRows(
  data: PairData,
  weights: Float64Array | null,
  order: Int32Array,
): { data: PairData; weights: Float64Array } {
  const kept: number[] = [];
  const sums: number[] = [];
  const below = (side: Float64Array | null, row: number) => (side === null ? 0 : side[row]!);
  for (const row of order) {
    const last = kept.at(-1);
    const same =
      last !== undefined &&
      data.u[last] === data.u[row] &&
      data.v[last] === data.v[row] &&
      below(data.uBelow, last) === below(data.uBelow, row) &&
      below(data.vBelow, last) === below(data.vBelow, row);
    const weight = weights === null ? 1 : weights[row]!;
    if (same) sums[sums.length - 1]! += weight;
    else {
      kept.push(row);
      sums.push(weight);
    }
  }
  const pick = (side: Float64Array) => Float64Array.from(kept, (row) => side[row]!);
  return {
    data: {
      u: pick(data.u),
      v: pick(data.v),
      uBelow: data.uBelow === null ? null : pick(data.uBelow),
      vBelow: data.vBelow === null ? null : pick(data.vBelow),
    },
    weights: Float64Array.from(sums),
  };
}
