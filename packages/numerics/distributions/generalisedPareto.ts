/** Generalised Pareto above 0: P(X > x) = (1 + k x / σ)^(-1/k). */

/** Prior for k in observations of 1/2 (Vehtari et al. 2024, appendix C). */
const PRIOR_OBSERVATIONS = 10;
const PRIOR_SHAPE = 0.5;
const PRIOR_REACH = 3;
const NEGLIGIBLE = 10 * 2 ** -52;

/**
 * Estimates shape and scale (Zhang and Stephens 2009, Technometrics 51), shrinking k to 1/2. `x`: at least 5 ascending
 * positive values. Nonfinite if all are equal.
 */
export function fitPareto(x: Float64Array): { shape: number; scale: number } {
  const n = x.length;
  const points = 30 + Math.floor(Math.sqrt(n));
  const quartile = x[Math.floor(n / 4 + 0.5) - 1]!;
  const thetas = Float64Array.from({ length: points }, (_, j) => {
    return 1 / x[n - 1]! + (1 - Math.sqrt(points / (j + 0.5))) / (PRIOR_REACH * quartile);
  });
  const logLikelihoods = thetas.map((theta) => {
    const k = meanLog1p(x, -theta);
    return n * (Math.log(-theta / k) - k - 1);
  });
  const theta = posteriorMean(thetas, logLikelihoods);
  const k = meanLog1p(x, -theta);
  return { shape: (n * k + PRIOR_OBSERVATIONS * PRIOR_SHAPE) / (n + PRIOR_OBSERVATIONS), scale: -k / theta };
}

function meanLog1p(x: Float64Array, factor: number): number {
  let sum = 0;
  for (let i = 0; i < x.length; i++) sum += Math.log1p(factor * x[i]!);
  return sum / x.length;
}

function posteriorMean(thetas: Float64Array, logLikelihoods: Float64Array): number {
  const top = logLikelihoods.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
  const weights = logLikelihoods.map((l) => Math.exp(l - top));
  const total = weights.reduce((sum, w) => sum + w, 0);
  const kept = weights.map((w) => (w / total >= NEGLIGIBLE ? w : 0));
  const sum = kept.reduce((all, w) => all + w, 0);
  return thetas.reduce((mean, theta, j) => mean + (theta * kept[j]!) / sum, 0);
}

/** Solves P(X ≤ x) = p, 0 < p < 1. */
export function paretoQuantile(p: number, shape: number, scale: number): number {
  const log = -Math.log1p(-p);
  return scale * (Math.abs(shape) < 2 ** -52 ? log : Math.expm1(shape * log) / shape);
}
