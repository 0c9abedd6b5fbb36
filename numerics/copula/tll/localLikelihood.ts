/**
 * Local likelihood estimates of a density with a log-polynomial of degree 0, 1 or 2 (Hjort and Jones, 1996; Loader, 1996;
 * for copulas Geenens, Charpentier and Paindaveine, 2017). With a Gaussian kernel the local model times the kernel is a
 * normal density, so that matching the kernel-weighted moments has a closed form: with f the kernel estimate, m and S
 * mean and covariance of the weighted data around the point, in kernel deviations,
 *   degree 0: f;   degree 1: f exp(-½ m'm);   degree 2: f |S|^-½ exp(-½ m'S⁻¹m).
 */
import type { TllDegree } from './bandwidth.ts';
import type { KernelMoments } from './kernelMoments.ts';

/** Below this many kernels' worth of data there is nothing to fit. */
const LEAST_MASS = 1e-12;

export interface LocalFit {
  /** On the normal scale, at each node; 0 where there are no data near. */
  density: Float64Array;
  /** K(0) [M⁻¹]₁₁ / n, M the local information of the polynomial: what a row there weighs in its own log density. */
  leverage: Float64Array;
}

/**
 * Fits from kernel moments of total weight `total`; `constant` is K(0) on the normal scale. The reproducing kernel of
 * Hermite's polynomials gives [M⁻¹]₁₁ f = 1, 1 + r², 2 + r⁴/2 for the degrees, r² = m'S⁻¹m (S = I below degree 2).
 */
export function localLikelihood(moments: KernelMoments, degree: TllDegree, total: number, constant: number): LocalFit {
  const count = moments.sum.length;
  const density = new Float64Array(count);
  const leverage = new Float64Array(count).fill(Number.POSITIVE_INFINITY);
  for (let at = 0; at < count; at++) {
    const sum = moments.sum[at]!;
    if (!(sum > LEAST_MASS)) continue;
    const shape: [number, number] = degree === 'constant' ? [1, 1] : localShape(moments, at, sum, degree);
    density[at] = (sum * constant * shape[0]) / total;
    leverage[at] = shape[1] / sum;
  }
  return { density, leverage };
}

/** [factor on the kernel estimate, [M⁻¹]₁₁ f]. */
function localShape(moments: KernelMoments, at: number, sum: number, degree: TllDegree): [number, number] {
  const m1 = moments.first1[at]! / sum;
  const m2 = moments.first2[at]! / sum;
  if (degree === 'linear') {
    const r2 = m1 * m1 + m2 * m2;
    return [Math.exp(-0.5 * r2), 1 + r2];
  }
  const s11 = moments.second11[at]! / sum - m1 * m1;
  const s12 = moments.second12[at]! / sum - m1 * m2;
  const s22 = moments.second22[at]! / sum - m2 * m2;
  const determinant = s11 * s22 - s12 * s12;
  if (!(determinant > 1e-8 && s11 > 0)) return [0, Number.POSITIVE_INFINITY];
  const r2 = (s22 * m1 * m1 - 2 * s12 * m1 * m2 + s11 * m2 * m2) / determinant;
  return [Math.exp(-0.5 * r2) / Math.sqrt(determinant), 2 + 0.5 * r2 * r2];
}
