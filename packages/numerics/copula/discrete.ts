/** Pair copulas of discrete margins through F(x) and F(x⁻) (Panagiotelis, Czado and Joe 2012). */
import type { PairCopula, PairData } from './pairCopula.ts';

const MIN_STEP = 1e-9;
const MIN_DENSITY = 1e-15;

/**
 * Log density relative to independent margins: log c, a difference of h over one step, or a rectangle over its area.
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

export function pairLogLikelihood(pair: PairCopula, data: PairData): number {
  const { u, v, uBelow, vBelow } = data;
  let sum = 0;
  if (uBelow === null && vBelow === null) {
    const logs = new Float64Array(u.length);
    pair.logDensityInto(u, v, logs);
    for (let i = 0; i < logs.length; i++) sum += logs[i]!;
    return sum;
  }
  for (let i = 0; i < u.length; i++) {
    sum += rowLogDensity(pair, u[i]!, v[i]!, uBelow?.[i] ?? u[i]!, vBelow?.[i] ?? v[i]!);
  }
  return sum;
}

/** Conditional distribution at the value and just below; null if continuous. */
export interface Conditioned {
  at: Float64Array;
  below: Float64Array | null;
}

type GivenU = Pick<PairCopula, 'cdf' | 'h1' | 'h1Into'>;

/** F(v | u), or given U in its step. */
export function conditionOnU(pair: GivenU, data: PairData): Conditioned {
  const { u, v, uBelow, vBelow } = data;
  const at = new Float64Array(u.length);
  if (uBelow === null) pair.h1Into(u, v, at);
  else for (let i = 0; i < u.length; i++) at[i] = givenStep(pair, u[i]!, uBelow[i]!, v[i]!);
  if (vBelow === null) return { at, below: null };
  const below = new Float64Array(u.length);
  for (let i = 0; i < u.length; i++) below[i] = givenStep(pair, u[i]!, uBelow?.[i] ?? u[i]!, vBelow[i]!);
  return { at, below };
}

/** F(u | v). */
export function conditionOnV(pair: PairCopula, data: PairData): Conditioned {
  const swapped: GivenU = {
    cdf: (v, u) => pair.cdf(u, v),
    h1: (v, u) => pair.h2(u, v),
    h1Into: (v, u, out) => pair.h2Into(u, v, out),
  };
  return conditionOnU(swapped, { u: data.v, v: data.u, uBelow: data.vBelow, vBelow: data.uBelow });
}

function givenStep(pair: GivenU, u: number, uBelow: number, v: number): number {
  const step = u - uBelow;
  if (!(step > MIN_STEP)) return pair.h1(u, v);
  return Math.min(1, Math.max(0, (pair.cdf(u, v) - pair.cdf(uBelow, v)) / step));
}
