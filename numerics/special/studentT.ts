/** Student's t distribution function. */
import { betaP } from './incompleteBeta.ts';

/** P(T ≤ t) with nu > 0 degrees of freedom; precise in the lower tail. */
export function studentTCdf(t: number, nu: number): number {
  if (Number.isNaN(t)) return Number.NaN;
  if (t > 0) return 1 - studentTCdf(-t, nu);
  const square = t * t;
  if (square === Number.POSITIVE_INFINITY) return farTail(-t, nu);
  const inside = nu / (nu + square);
  return 0.5 * betaP(0.5 * nu, 0.5, inside, square / (nu + square));
}

/** Beyond t² = the largest double: I_x(a, ½) ≈ x^a / (a B(a, ½)), and x = ν/t². */
function farTail(size: number, nu: number): number {
  const edge = 1e150;
  if (size === Number.POSITIVE_INFINITY) return 0;
  return studentTCdf(-edge, nu) * Math.exp(-nu * (Math.log(size) - Math.log(edge)));
}
