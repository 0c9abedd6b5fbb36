/**
 * Copulas C(u, v) = ψ(D(U(u), U(v))) with ψ(d) = (1 - (1 - η d)^(1/θ)) / δ, θ ≥ 1, and U = ψ⁻¹: Joe is that of
 * independence with δ = 1, BB8 with δ ≤ 1, BB7 that of Clayton with δ = 1. Terms of the density are all positive.
 */
import { invertConditional } from './invert.ts';
import type { BaseCopula } from './pairFamily.ts';

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
