/** Maximises a smooth density by Newton's method. d: its dimension. */

import { cholesky, solveCholesky } from '../linalg/cholesky.ts';
import { dot } from '../linalg/dot.ts';
import type { Steps } from '../steps.ts';

export interface SmoothDensity {
  readonly dimension: number;
  /** Log density at `position` (d); writes its gradient (d). */
  evaluate(position: Float64Array, gradient: Float64Array): number;
  /** Negative Hessian of the log density, d × d row-major. */
  hessian(position: Float64Array): Float64Array;
}

export interface Maximum {
  position: Float64Array;
  value: number;
  /** Lower triangular L with L Lᵀ the negative Hessian (a little ridge added where that is singular), free × free. */
  factor: Float64Array;
  /** Whether the gradient vanished within the bound on steps. */
  converged: boolean;
}

/** Newton steps; each costs a Hessian and its factor. */
const MAX_STEPS = 100;
/** A squared Newton step, in standard deviations, that is as good as none. */
export const SMALL = 1e-10;
const NEARLY = 1e-6;

/**
 * Newton's method with damping and line search over the first `free` coordinates, the others held; a Hessian and its factor
 * between two yields. Ends where a squared step, in standard deviations, is below `small`.
 */
export function* newton(density: SmoothDensity, start: Float64Array, free: number, small = SMALL): Steps<Maximum> {
  const d = density.dimension;
  let position: Float64Array = start.slice();
  let gradient: Float64Array = new Float64Array(d);
  let value = density.evaluate(position, gradient);
  let damping = 0;
  let factor: Float64Array = identity(free);
  let converged = false;
  for (let step = 0; step < MAX_STEPS && Number.isFinite(value); step++) {
    yield;
    const hessian = leading(density.hessian(position), d, free);
    const damped = factorDamped(hessian, free, damping);
    if (damped === undefined) break;
    factor = damped.factor;
    const direction = solveCholesky(factor, free, gradient.subarray(0, free));
    const decrement = dot(direction, gradient, free);
    const undamped = damped.damping <= RIDGE;
    if (decrement < small && undamped) {
      converged = true;
      break;
    }
    const next = searchAlong(density, position, value, direction, decrement);
    if (next === undefined && decrement < NEARLY) {
      // Rounding hides what is left to gain.
      converged = undamped;
      if (undamped) break;
      damping = 0;
      continue;
    }
    if (next === undefined) {
      damping = Math.max(damped.damping * 10, 1e-3);
      if (damping > 1e12) break;
      continue;
    }
    ({ position, value, gradient } = next);
    damping = decrement < NEARLY || damped.damping < 1e-4 ? 0 : damped.damping / 10;
  }
  return { position, value, factor, converged };
}

/** Ridge, relative to the diagonal, that collinear columns without priors need. */
const RIDGE = 1e-9;

/** The factor of H + damping · diag(H), with as much more damping as makes it positive definite. */
function factorDamped(hessian: Float64Array, n: number, damping: number) {
  for (let added = damping; added < 1e15; added = Math.max(added * 10, RIDGE)) {
    const damped = hessian.slice();
    for (let i = 0; i < n; i++) damped[i * n + i]! += added * (Math.abs(hessian[i * n + i]!) || 1);
    const factor = cholesky(damped, n);
    if (factor?.every(Number.isFinite)) return { factor, damping: added };
  }
  return undefined;
}

function searchAlong(
  density: SmoothDensity,
  from: Float64Array,
  value: number,
  direction: Float64Array,
  decrement: number,
): { position: Float64Array; value: number; gradient: Float64Array } | undefined {
  const position = from.slice();
  const gradient = new Float64Array(from.length);
  for (let t = 1; t > 1e-4; t /= 2) {
    for (let i = 0; i < direction.length; i++) position[i] = from[i]! + t * direction[i]!;
    const reached = density.evaluate(position, gradient);
    if (reached >= value + 1e-4 * t * decrement && gradient.every(Number.isFinite)) {
      return { position, value: reached, gradient };
    }
  }
  return undefined;
}

function leading(matrix: Float64Array, d: number, n: number): Float64Array {
  if (n === d) return matrix;
  const part = new Float64Array(n * n);
  for (let i = 0; i < n; i++) part.set(matrix.subarray(i * d, i * d + n), i * n);
  return part;
}

function identity(n: number): Float64Array {
  const matrix = new Float64Array(n * n);
  for (let i = 0; i < n; i++) matrix[i * n + i] = 1;
  return matrix;
}
