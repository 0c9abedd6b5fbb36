/**
 * Bayesian linear regression in closed form: y | β, σ² ~ N(Xβ, σ²), β | σ² ~ N(0, σ² diag(priorSd²)), σ² ~ IG(a, b).
 * The posterior is normal-inverse-gamma again (Gelman et al., Bayesian Data Analysis, 3rd ed., section 14).
 * Shapes: k = columns kept of the design.
 */
import { cholesky, solveCholesky, solveLowerTransposed } from '../../../numerics/linalg/cholesky.ts';
import type { RandomStream } from '../../../numerics/random/stream.ts';
import type { Gram } from '../shared/gram.ts';

/** Weakly informative, for a response and predictors of standard deviation 1, in units of σ. */
export const PRIOR = { interceptSd: 10, slopeSd: 2.5, shape: 1, rate: 0.5 } as const;

export interface Posterior {
  /** Columns of the design that have a coefficient; the first is the intercept. */
  columns: Int32Array;
  /** Posterior mean of β, k. */
  mean: Float64Array;
  /** Cholesky factor of the posterior precision of β over σ², k × k. */
  factor: Float64Array;
  /** Of σ² ~ IG(shape, rate). */
  shape: number;
  rate: number;
}

export function fitPosterior(gram: Gram, columns: Int32Array): Posterior {
  const k = columns.length;
  const precision = new Float64Array(k * k);
  const xy = Float64Array.from(columns, (column) => gram.xy[column]!);
  columns.forEach((row, i) => {
    columns.forEach((column, j) => {
      precision[i * k + j] = gram.xx[row * gram.p + column]!;
    });
    precision[i * k + i]! += 1 / (row === 0 ? PRIOR.interceptSd : PRIOR.slopeSd) ** 2;
  });
  const factor = cholesky(precision, k);
  if (!factor) throw new RangeError('the posterior precision is not positive definite');
  const mean = solveCholesky(factor, k, xy);
  const explained = mean.reduce((sum, value, i) => sum + value * xy[i]!, 0);
  const rate = PRIOR.rate + 0.5 * Math.max(0, gram.yy - explained);
  return { columns, mean, factor, shape: PRIOR.shape + gram.n / 2, rate };
}

/** `draws` draws of (β over the whole design, σ): rows of width p + 1, zeros for columns without a coefficient. */
export function drawPosterior(posterior: Posterior, draws: number, p: number, random: RandomStream): Float32Array {
  const { columns, mean, factor, shape, rate } = posterior;
  const k = columns.length;
  const out = new Float32Array(draws * (p + 1));
  const z = new Float64Array(k);
  for (let d = 0; d < draws; d++) {
    const sigma = Math.sqrt(rate / random.gamma(shape));
    for (let i = 0; i < k; i++) z[i] = random.normal();
    const step = solveLowerTransposed(factor, k, z);
    const base = d * (p + 1);
    for (let i = 0; i < k; i++) out[base + columns[i]!] = mean[i]! + sigma * step[i]!;
    out[base + p] = sigma;
  }
  return out;
}
