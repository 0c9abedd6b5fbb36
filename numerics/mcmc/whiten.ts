/**
 * An affine change of coordinates, x = mode + L⁻ᵀ z, with L Lᵀ the negative Hessian of the log density at the mode: where
 * the target is normal, z is standard normal.
 */
import type { LogDensity } from './logDensity.ts';
import { solveLowerInPlace, solveLowerTransposedInPlace } from './triangularSolve.ts';

export interface Whitening {
  /** d. */
  mode: Float64Array;
  /** L: lower triangular, d × d, row-major, its diagonal above 0. Above the diagonal nothing is read. */
  factor: Float64Array;
}

/** The log density of z, up to the constant log |L|. */
export function whiten(density: LogDensity, { mode, factor }: Whitening): LogDensity {
  const { dimension } = density;
  const x = new Float64Array(dimension);
  return {
    dimension,
    evaluate(z, gradient) {
      fromWhite({ mode, factor }, z, x);
      const value = density.evaluate(x, gradient);
      solveLowerInPlace(factor, dimension, gradient);
      return value;
    },
  };
}

/** Writes the x of `z` into `x`. */
export function fromWhite({ mode, factor }: Whitening, z: Float64Array, x: Float64Array): void {
  const dimension = mode.length;
  x.set(z);
  solveLowerTransposedInPlace(factor, dimension, x);
  for (let i = 0; i < dimension; i++) x[i]! += mode[i]!;
}
