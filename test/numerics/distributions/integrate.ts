/** Integrals over what a family's values can be, on a scale on which its density is smooth and ends quickly. */
import type { ResponseFamily } from '../../../numerics/distributions/family.ts';

export interface Line {
  /** From the real line to the values, and back. */
  to(t: number): number;
  from(y: number): number;
  /** log dy/dt. */
  logSlope(t: number): number;
}

/** The logit of a share, the logarithm of a positive number, a sinh about the middle of a real one. */
export function lineOf(family: ResponseFamily, eta: Float64Array): Line {
  const { holds } = family.support;
  if (!holds(1.5)) {
    return {
      to: (t) => 1 / (1 + Math.exp(-t)),
      from: (y) => Math.log(y) - Math.log1p(-y),
      logSlope: (t) => -Math.log1p(Math.exp(-Math.abs(t))) * 2 - Math.abs(t),
    };
  }
  if (!holds(-1)) return { to: Math.exp, from: Math.log, logSlope: (t) => t };
  const scale = Math.exp(eta[1]!);
  const middle = eta[0]! + 0.3 * scale;
  return {
    to: (t) => middle + scale * Math.sinh(t),
    from: (y) => Math.asinh((y - middle) / scale),
    logSlope: (t) => Math.log(scale) + Math.log(Math.cosh(t)),
  };
}

/** Nodes and weights of Gauss and Legendre's rule with five points on (-1, 1). */
const INNER = Math.sqrt(5 - 2 * Math.sqrt(10 / 7)) / 3;
const OUTER = Math.sqrt(5 + 2 * Math.sqrt(10 / 7)) / 3;
const INNER_WEIGHT = (322 + 13 * Math.sqrt(70)) / 900;
const OUTER_WEIGHT = (322 - 13 * Math.sqrt(70)) / 900;
const RULE = [
  [0, 128 / 225],
  [-INNER, INNER_WEIGHT],
  [INNER, INNER_WEIGHT],
  [-OUTER, OUTER_WEIGHT],
  [OUTER, OUTER_WEIGHT],
] as const;

/** ∫ f from `a` to `b`, in equal pieces. */
export function gaussLegendre(f: (t: number) => number, a: number, b: number, pieces: number): number {
  const half = (b - a) / pieces / 2;
  let sum = 0;
  for (let i = 0; i < pieces; i++) {
    const middle = a + (2 * i + 1) * half;
    for (const [node, weight] of RULE) sum += weight * f(middle + half * node);
  }
  return sum * half;
}
