/** What Archimedean families share: inverses of conditional distributions, powers of a base, outer powers. */
import { logPowerSum } from './families/gumbel.ts';
import type { BaseCopula } from './pairCopula.ts';

/**
 * The v in (0, 1) with h(v) = p, by Newton on the logit scale inside a shrinking bracket: there h is nearly a line
 * in the middle and in the tails. `density` is h'. Ends where |h - p| is lost in rounding, or the bracket is empty.
 */
function invertConditional(h: (v: number) => number, density: (v: number) => number, p: number): number {
  const goal = Math.log(p) - Math.log1p(-p);
  let low = -36;
  let high = 36;
  let x = Math.min(Math.max(goal, low), high);
  let lastGap = Number.POSITIVE_INFINITY;
  for (let step = 0; step < 200; step++) {
    const v = 1 / (1 + Math.exp(-x));
    const value = h(v);
    const gap = value - p;
    if (Math.abs(gap) <= 1e-15 * p) return v;
    if (gap > 0) high = x;
    else low = x;
    if (high - low < 1e-14 * Math.max(1, Math.abs(x))) return v;
    const slope = (density(v) * v * (1 - v)) / (value * (1 - value));
    const move = (Math.log(value) - Math.log1p(-value) - goal) / slope;
    const next = x - move;
    // A step that does not halve the one before is Newton going round in circles.
    const inside = next > low && next < high && Math.abs(move) < 0.5 * lastGap;
    lastGap = inside ? Math.abs(move) : Number.POSITIVE_INFINITY;
    if (inside && Math.abs(next - x) < 1e-15 * Math.max(1, Math.abs(x))) return v;
    x = inside ? next : 0.5 * (low + high);
  }
  return 1 / (1 + Math.exp(-x));
}

/** The x in [low, high] where the increasing `f` passes `goal`, to 1e-14 of the interval; an end where it never does. */
export function solveIncreasing(f: (x: number) => number, goal: number, low: number, high: number): number {
  let [a, b] = [low, high];
  let [fa, fb] = [f(a) - goal, f(b) - goal];
  if (fa >= 0) return a;
  if (fb <= 0) return b;
  // Illinois's false position, with a bisection every third step so that the bracket shrinks surely.
  for (let step = 1; step < 200 && b - a > 1e-15 * Math.max(Math.abs(a), Math.abs(b)); step++) {
    const x = step % 3 === 0 ? 0.5 * (a + b) : (a * fb - b * fa) / (fb - fa);
    const fx = f(x) - goal;
    if (fx === 0) return x;
    if (fx < 0) {
      a = x;
      fa = fx;
      fb /= step % 3 === 0 ? 1 : 2;
    } else {
      b = x;
      fb = fx;
      fa /= step % 3 === 0 ? 1 : 2;
    }
  }
  return 0.5 * (a + b);
}

// Copulas C(u, v) = ψ(D(U(u), U(v))) with ψ(d) = (1 - (1 - η d)^(1/θ)) / δ, θ ≥ 1, and U = ψ⁻¹: Joe is that of
// independence with δ = 1, BB8 with δ ≤ 1, BB7 that of Clayton with δ = 1. Terms of the density are all positive.

/** log(1 - e^x), x < 0, to full relative accuracy at both ends. */
export const log1mexp = (x: number): number => (x > -Math.LN2 ? Math.log(-Math.expm1(x)) : Math.log1p(-Math.exp(x)));

/** The inner copula D, in logs of its arguments. */
export interface InnerCopula {
  logCdf(logX: number, logY: number): number;
  /** log ∂D/∂x. */
  logH(logX: number, logY: number): number;
  /** log of ∂²D/∂x∂y, given log D too. */
  logDensity(logX: number, logY: number, logD: number): number;
  /** D D₁₂ / (D₁ D₂), a constant for both inner copulas: 1 for independence, 1 + δ for Clayton. */
  ratio: number;
}

export const innerIndependence: InnerCopula = {
  logCdf: (x, y) => x + y,
  logH: (_x, y) => y,
  logDensity: () => 0,
  ratio: 1,
};

export function powerTransform(
  inner: InnerCopula,
  theta: number,
  delta: number,
): Pick<BaseCopula, 'logDensity' | 'cdf' | 'h' | 'inverseH'> {
  // e = (1-δ)^θ and η = 1 - e.
  const logLeft = delta === 1 ? Number.NEGATIVE_INFINITY : theta * Math.log1p(-delta);
  const logEta = log1mexp(logLeft);
  const eta = Math.exp(logEta);
  /** log U(u) = log((1 - (1-δu)^θ) / η). */
  const logInner = (u: number) => log1mexp(theta * Math.log1p(-delta * u)) - logEta;
  /** log U'(u). */
  const logSlope = (u: number) => Math.log((delta * theta) / eta) + (theta - 1) * Math.log1p(-delta * u);
  /** log ψ'(d), from log(1 - η d). */
  const logOuterSlope = (logRest: number) => Math.log(eta / (delta * theta)) + (1 / theta - 1) * logRest;
  const logRestOf = (logD: number) => log1mexp(logD + logEta);
  const h = (u: number, v: number) => {
    const x = logInner(u);
    const y = logInner(v);
    return Math.exp(logOuterSlope(logRestOf(inner.logCdf(x, y))) + inner.logH(x, y) + logSlope(u));
  };
  const logFactor = Math.log(eta / (delta * theta)) + 2 * Math.log((delta * theta) / eta);
  const logDensity = (u: number, v: number) => {
    const lu = Math.log1p(-delta * u);
    const lv = Math.log1p(-delta * v);
    const x = log1mexp(theta * lu) - logEta;
    const y = log1mexp(theta * lv) - logEta;
    const logD = inner.logCdf(x, y);
    const rest = -Math.expm1(logD + logEta);
    const curved = ((1 - 1 / theta) * (1 - rest)) / (inner.ratio * rest);
    const outer = (1 / theta - 1) * Math.log(rest) + Math.log1p(curved);
    return inner.logDensity(x, y, logD) + outer + (theta - 1) * (lu + lv) + logFactor;
  };
  return {
    logDensity,
    h,
    cdf: (u, v) => -Math.expm1(logRestOf(inner.logCdf(logInner(u), logInner(v))) / theta) / delta,
    inverseH: (u, p) =>
      invertConditional(
        (v) => h(u, v),
        (v) => Math.exp(logDensity(u, v)),
        p,
      ),
  };
}

// Archimedean copulas of a generator φ to the power δ ≥ 1: C(u, v) = G(s), s = (φ(u)^δ + φ(v)^δ)^(1/δ), G = φ⁻¹. BB1
// is that of Clayton, BB6 that of Joe. All in logs, so that no power over- or underflows.

export interface Generator {
  /** log φ(u). */
  logPhi(u: number): number;
  /** log -φ'(u). */
  logSlope(u: number): number;
  /** G(s), from log s. */
  inverse(logS: number): number;
  /** log -G'(s). */
  logInverseSlope(logS: number): number;
  /** -s G''(s) / G'(s). */
  curvature(logS: number): number;
}

export function outerPower(
  generator: Generator,
  delta: number,
): Pick<BaseCopula, 'logDensity' | 'cdf' | 'h' | 'inverseH'> {
  const h = (u: number, v: number) => {
    const x = generator.logPhi(u);
    const logS = logPowerSum(x, generator.logPhi(v), delta);
    return Math.exp(generator.logInverseSlope(logS) + (delta - 1) * (x - logS) + generator.logSlope(u));
  };
  const logDensity = (u: number, v: number) => {
    const x = generator.logPhi(u);
    const y = generator.logPhi(v);
    const logS = logPowerSum(x, y, delta);
    const both = Math.log(generator.curvature(logS) + delta - 1) + generator.logInverseSlope(logS);
    return both + (1 - 2 * delta) * logS + (delta - 1) * (x + y) + generator.logSlope(u) + generator.logSlope(v);
  };
  return {
    logDensity,
    h,
    cdf: (u, v) => generator.inverse(logPowerSum(generator.logPhi(u), generator.logPhi(v), delta)),
    inverseH: (u, p) =>
      invertConditional(
        (v) => h(u, v),
        (v) => Math.exp(logDensity(u, v)),
        p,
      ),
  };
}
