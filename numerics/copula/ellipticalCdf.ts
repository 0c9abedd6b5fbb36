/**
 * Distribution functions of the bivariate normal and t, by Plackett's (1954) derivative in the correlation:
 * ∂F/∂ρ = (1 / 2π√(1-ρ²)) g(q(ρ)), with ρ = sin θ and integrated from the comonotone (ρ = ±1) end, where F is known.
 */
import { integrateUnit } from './quadrature.ts';

const HALF_PI = 0.5 * Math.PI;

/**
 * P(X ≤ x, Y ≤ y), given p = P(X ≤ x), q = P(Y ≤ y) of the margins. `generator(s)` is g: exp(-s/2) for the normal,
 * (1 + s/ν)^(-ν/2) for the t. |ρ| < 1. About 1e-13.
 */
export function ellipticalCdf(
  x: number,
  y: number,
  p: number,
  q: number,
  rho: number,
  generator: (s: number) => number,
): number {
  if (rho < 0) return Math.max(0, p - ellipticalCdf(x, -y, p, 1 - q, -rho, generator));
  const width = HALF_PI - Math.asin(rho);
  const gap = (x - y) * (x - y);
  const product = 2 * x * y;
  // θ = π/2 - width·t: cos θ = sin(width·t) without cancellation.
  const missing = integrateUnit((t) => {
    const cosine = Math.sin(width * t);
    const square = cosine * cosine;
    return square === 0
      ? gap > 0
        ? 0
        : generator(0.5 * product)
      : generator(gap / square + product / (1 + Math.cos(width * t)));
  });
  return Math.max(0, Math.min(p, q) - (width * missing) / (2 * Math.PI));
}
