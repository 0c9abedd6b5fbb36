/** Integrals over what a family's values can be, on a scale on which its density is smooth and ends quickly. */
import type { ResponseFamily } from '../../../packages/numerics/distributions/family.ts';
import type { RandomStream } from '../../../packages/numerics/random/stream.ts';

export interface Line {
  /** From the real line to the values, and back. */
  to(t: number): number;
  from(y: number): number;
  /** log dy/dt. */
  logSlope(t: number): number;
}

/** The logit of a share, the logarithm of a positive number, a sinh about the middle of a real one. */
function lineOf(family: ResponseFamily, eta: Float64Array): Line {
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
function gaussLegendre(f: (t: number) => number, a: number, b: number, pieces: number): number {
  const half = (b - a) / pieces / 2;
  let sum = 0;
  for (let i = 0; i < pieces; i++) {
    const middle = a + (2 * i + 1) * half;
    for (const [node, weight] of RULE) sum += weight * f(middle + half * node);
  }
  return sum * half;
}

/** Whether y has mass of its own. */
export function isAtom(family: ResponseFamily, y: number): boolean {
  if (!family.support.holds(y) || family.measure === 'continuous') return false;
  return family.measure === 'counts' || y === 0 || (y === 1 && !family.support.holds(2));
}

/** A draw; of a family with atoms at its ends, one from between them. */
export function drawBetweenAtoms(family: ResponseFamily, eta: Float64Array, random: RandomStream): number {
  let y = family.draw(eta, random);
  for (let tries = 0; tries < 10_000 && family.measure === 'mixed' && isAtom(family, y); tries++) {
    y = family.draw(eta, random);
  }
  return y;
}

/** P(low < Y < high), from the density alone. */
export function between(family: ResponseFamily, eta: Float64Array, low: number, high: number): number {
  if (low >= high) return 0;
  if (family.measure === 'counts') {
    let sum = 0;
    for (let y = low + 1; y < high; y++) sum += Math.exp(family.logDensity(y, eta));
    return sum;
  }
  const line = lineOf(family, eta);
  const [from, to] = [Math.max(-700, line.from(low)), Math.min(700, line.from(high))];
  const density = (t: number): number => {
    const y = line.to(t);
    return family.support.holds(y) && !isAtom(family, y) ? Math.exp(family.logDensity(y, eta) + line.logSlope(t)) : 0;
  };
  return gaussLegendre(density, from, to, 400 + Math.ceil(10 * (to - from)));
}

/** Over atoms, and over the whole line of what is continuous, where the trapezoidal rule is all but exact. */
export function moments(family: ResponseFamily, eta: Float64Array): { mass: number; mean: number } {
  let [mass, mean] = [0, 0];
  const add = (y: number, share: number): void => {
    mass += share;
    mean += y * share;
  };
  if (family.measure !== 'continuous') {
    const last = family.measure === 'mixed' ? 1 : 2000;
    for (let y = 0; y <= last; y++) if (isAtom(family, y)) add(y, Math.exp(family.logDensity(y, eta)));
  }
  if (family.measure !== 'counts') {
    const line = lineOf(family, eta);
    const step = 1 / 64;
    for (let t = -120; t < 120; t += step) {
      const y = line.to(t);
      if (family.support.holds(y) && !isAtom(family, y))
        add(y, step * Math.exp(family.logDensity(y, eta) + line.logSlope(t)));
    }
  }
  return { mass, mean };
}
