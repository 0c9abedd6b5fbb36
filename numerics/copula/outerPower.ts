/**
 * Archimedean copulas of a generator φ to the power δ ≥ 1: C(u, v) = G(s), s = (φ(u)^δ + φ(v)^δ)^(1/δ), G = φ⁻¹.
 * BB1 is that of Clayton, BB6 that of Joe. All in logs, so that no power over- or underflows.
 */
import { logPowerSum } from './families/gumbel.ts';
import { invertConditional } from './invert.ts';
import type { BaseCopula } from './pairFamily.ts';

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
