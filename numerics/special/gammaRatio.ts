/**
 * Combinations of log Γ in which the large terms cancel, computed without them; each with its derivative by log x.
 * All take log x beside x, because in a model the logarithm is what is known, and x may be 0 or beyond the largest double.
 */
import { ASYMPTOTIC_FROM, digammaRest, lgammaDigamma, stirlingRest } from './gamma.ts';

export const HALF_LOG_2PI = 0.9189385332046728;
/** Above this a shape is as good as infinite; products with the logarithm of any double stay finite. */
export const MOST_LOG_SHAPE = 690;

const high = new Float64Array(2);
const low = new Float64Array(2);

/**
 * N(x) = x log x - x - log Γ(x) for x > 0 into `out[0]`, and x N'(x) into `out[1]`.
 * It grows like ½ log x, and like log x near 0.
 */
export function gammaNormaliser(x: number, logX: number, out: Float64Array): void {
  if (x >= ASYMPTOTIC_FROM) {
    out[0] = 0.5 * logX - HALF_LOG_2PI - stirlingRest(x);
    out[1] = 0.5 + x * digammaRest(x);
    return;
  }
  lgammaDigamma(x + 1, low);
  const xLogX = x === 0 ? 0 : x * logX;
  out[0] = xLogX - x - low[0]! + logX;
  out[1] = xLogX - x * low[1]! + 1;
}

/**
 * log Γ(x + a) - log Γ(x) - a log x for x > 0, a ≥ 0 into `out[0]`, which tends to 0 for large x;
 * x (ψ(x + a) - ψ(x)) into `out[1]`, which tends to a.
 */
export function gammaRise(x: number, logX: number, a: number, out: Float64Array): void {
  if (a === 0) {
    out[0] = 0;
    out[1] = 0;
  } else if (x >= ASYMPTOTIC_FROM) {
    const log = Math.log1p(a / x);
    out[0] = (x + a - 0.5) * log - a + stirlingRest(x + a) - stirlingRest(x);
    out[1] = x * (log - digammaRest(x + a) + digammaRest(x)) + (0.5 * a) / (x + a);
  } else {
    lgammaDigamma(x + a, high);
    lgammaDigamma(x + 1, low);
    out[0] = high[0]! - low[0]! + (1 - a) * logX;
    out[1] = x * (high[1]! - low[1]!) + 1;
  }
}
