/**
 * Natural cubic splines on the knots 0, 1, …, K-1: straight lines beyond the ends (Hastie, Tibshirani and Friedman, 2009,
 * section 5.2.1). The space less its straight lines has K - 2 dimensions; S is its roughness, S_ij = ∫ d_i'' d_j''.
 */
import { cholesky } from '../../linalg/cholesky.ts';

const cubed = (x: number): number => (x > 0 ? x * x * x : 0);
const positive = (x: number): number => Math.max(x, 0);

/** d_0 … d_{K-3} at u, over (K-1)². */
export function naturalBasis(u: number, knots: number, out: Float64Array): void {
  const last = knots - 1;
  const end = cubed(u - last);
  const beforeEnd = cubed(u - last + 1);
  for (let j = 0; j < knots - 2; j++) {
    const reach = last - j;
    out[j] = (cubed(u - j) - reach * beforeEnd + (reach - 1) * end) / (last * last);
  }
}

/** Lower Cholesky factor of S, (K-2) × (K-2) row-major. d'' is a straight line between knots: Simpson's rule is exact. */
export function roughnessFactor(knots: number): Float64Array {
  const m = knots - 2;
  const last = knots - 1;
  const bend = (j: number, u: number) => (6 * (positive(u - j) - (last - j) * positive(u - last + 1))) / (last * last);
  const s = new Float64Array(m * m);
  for (let i = 0; i < m; i++) {
    for (let j = 0; j <= i; j++) {
      let sum = 0;
      for (let k = 0; k < last; k++) {
        const product = (u: number) => bend(i, u) * bend(j, u);
        sum += (product(k) + 4 * product(k + 0.5) + product(k + 1)) / 6;
      }
      s[i * m + j] = sum;
    }
  }
  const factor = cholesky(s, m);
  if (!factor) throw new RangeError(`the roughness of a natural spline on ${knots} knots is not positive definite`);
  return factor;
}
