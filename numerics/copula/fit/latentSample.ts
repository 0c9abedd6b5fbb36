/**
 * Continuous pseudo-observations inside the steps of discrete margins, for estimators that need them. Spread evenly and
 * independently they would weaken the dependence (by a third of τ for coarse steps); here they follow the conditional
 * distribution of a copula that was fitted to the steps themselves.
 */
import type { PairCopula, PairData } from '../pairCopula.ts';

const SWEEPS = 4;
/** Steps of Roberts's (2018) two-dimensional low-discrepancy sequence: fixed points instead of random ones. */
const R1 = 0.7548776662466927;
const R2 = 0.5698402909980532;

export interface Latent {
  u: Float64Array;
  v: Float64Array;
}

/** A draw of (U, V) within each row's rectangle from `pair`, by turns from either conditional. Deterministic. */
export function latentSample(pair: PairCopula, data: PairData, from: Latent | null): Latent {
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
