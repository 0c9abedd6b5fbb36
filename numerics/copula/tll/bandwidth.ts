/** The bandwidth of TLL by Nagler's rule of thumb (2014, 2018, "kdecopula", section 3.4): B = size² [[1, ρ], [ρ, 1]]. */
export type TllDegree = 'constant' | 'linear' | 'quadratic';

/** Correlations nearer ±1 count as this: the kernel keeps a width across the diagonal. */
const MOST_CORRELATION = 0.99995;

export interface Bandwidth {
  rho: number;
  /** Standard deviation of the kernel along an axis of the whitened normal scores. */
  size: number;
}

/** `x`, `y`: normal scores; `maximal`: their maximal correlation; `n`: the effective number of rows. */
export function selectBandwidth(
  x: Float64Array,
  y: Float64Array,
  maximal: number,
  weights: Float64Array | null,
  degree: TllDegree,
  n: number,
): Bandwidth {
  const correlation = weightedCorrelation(x, y, weights);
  const rho = Math.min(Math.max(correlation, -MOST_CORRELATION), MOST_CORRELATION);
  const shrink = maximal > 0 ? (Math.abs(rho) / maximal) ** (0.5 * maximal) : 1;
  const base = degree === 'constant' ? n ** (-1 / 3) : 1.5 * n ** (degree === 'linear' ? -1 / 3 : -1 / 5);
  return { rho, size: Math.sqrt(base * Math.min(Math.max(shrink, 0.05), 2)) };
}

function weightedCorrelation(x: Float64Array, y: Float64Array, weights: Float64Array | null): number {
  let [total, sumX, sumY] = [0, 0, 0];
  for (let i = 0; i < x.length; i++) {
    const w = weights === null ? 1 : weights[i]!;
    total += w;
    sumX += w * x[i]!;
    sumY += w * y[i]!;
  }
  const [meanX, meanY] = [sumX / total, sumY / total];
  let [xx, xy, yy] = [0, 0, 0];
  for (let i = 0; i < x.length; i++) {
    const w = weights === null ? 1 : weights[i]!;
    const a = x[i]! - meanX;
    const b = y[i]! - meanY;
    xx += w * a * a;
    xy += w * a * b;
    yy += w * b * b;
  }
  return xx > 0 && yy > 0 ? xy / Math.sqrt(xx * yy) : 0;
}
