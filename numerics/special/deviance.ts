/** Deviances: the parts of log densities that vanish where data and mean agree, without cancellation (Loader, 2000). */
import { ASYMPTOTIC_FROM, lgamma, stirlingRest } from './gamma.ts';
import { HALF_LOG_2PI } from './gammaRatio.ts';

/** t - log(1 + t) for t ≥ -1: t²/2 near 0, Infinity at -1. `ratio` is 1 + t, where it is known better. */
export function lessLog1p(t: number, ratio: number = 1 + t): number {
  if (Math.abs(t) > 0.3) return t === Number.POSITIVE_INFINITY ? t : t - Math.log(ratio);
  // log(1 + t) = 2 artanh r
  const r = t / (2 + t);
  const s = r * r;
  let sum = 0;
  for (let k = 19; k >= 3; k -= 2) sum = sum * s + 1 / k;
  return r * (t - 2 * s * sum);
}

/** log of the Poisson mass at y = 0, 1, … where the mean is e^eta; precise for large y too. */
export function logPoissonMass(y: number, eta: number): number {
  if (y < ASYMPTOTIC_FROM) return y * eta - Math.exp(eta) - lgamma(y + 1);
  const d = eta - Math.log(y);
  return -y * (Math.expm1(d) - d) - 0.5 * Math.log(y) - HALF_LOG_2PI - stirlingRest(y);
}
