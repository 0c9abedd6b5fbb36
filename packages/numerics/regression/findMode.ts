import { cholesky, dot, solveCholesky, solveLower } from '../linalg/dense.ts';
import { inverseDiagonal } from '../linalg/denseKernels.ts';
import { lbfgs } from '../optimise/lbfgs.ts';
import { finish, type Steps } from '../steps.ts';
import type { Posterior } from './posterior.ts';

export interface Mode {
  position: Float64Array;
  value: number;
  /** Lower triangular L (d × d), L Lᵀ the negative Hessian, with a ridge if singular; null above `LARGEST`. */
  factor: Float64Array | null;
  converged: boolean;
}

/** Maximum dimension for which a Hessian is used. */
const LARGEST = 2_500;
const MAX_ROUNDS = 40;
/** Squared Newton step, in standard deviations, at convergence. */
const SMALL = 1e-10;
/** The same while scales still move. */
const ROUGH = 1e-2;

/**
 * Damped Newton's method with line search. Pool scales maximise their marginal density (by Laplace), since the joint
 * mode is at 0.
 */
export const findMode = (posterior: Posterior, start: Float64Array = posterior.start): Mode =>
  finish(findModeInSteps(posterior, start));

export function* findModeInSteps(posterior: Posterior, start: Float64Array = posterior.start): Steps<Mode> {
  if (posterior.dimension > LARGEST) return modeByLbfgs(posterior, start);
  if (posterior.scales === 0) return yield* newton(posterior, start, posterior.dimension);
  return yield* findScales(posterior, start);
}

const ASCENT = {
  iterations: 500,
  memory: 10,
  firstScale: 1,
  lineSearch: 'armijo',
  minCurvature: 1e-12,
  valueTolerance: Number.NEGATIVE_INFINITY,
  slopeTolerance: SMALL,
} as const;

/** Squared step accepted as convergence if rounding ends the search. */
const NEARLY = 1e-6;

export function modeByLbfgs(posterior: Posterior, start: Float64Array): Mode {
  const minus = (at: Float64Array, gradient: Float64Array): number => {
    const value = posterior.evaluate(at, gradient);
    for (let i = 0; i < gradient.length; i++) gradient[i] = -gradient[i]!;
    return -value;
  };
  const { at, value, slope, ended } = lbfgs(minus, start, ASCENT);
  return { position: at, value: -value, factor: null, converged: ended && slope < NEARLY };
}

function* findScales(posterior: Posterior, start: Float64Array): Steps<Mode> {
  const d = posterior.dimension;
  const free = d - posterior.scales;
  let inner = yield* newton(posterior, start, free, ROUGH);
  let outer = posterior.scaleSlopes(inner.position, leadingInverse(inner.factor, free, d));
  let converged = false;
  for (let round = 0; round < MAX_ROUNDS && !converged; round++) {
    const moved = inner.position.slice();
    let largest = 0;
    outer.forEach(({ slope, curvature }, k) => {
      const step = scaleStep(slope / curvature);
      moved[free + k] = Math.max(-LIMIT, Math.min(LIMIT, moved[free + k]! + step));
      largest = Math.max(largest, Math.abs(step) * Math.sqrt(curvature));
    });
    converged = largest < STILL;
    inner = yield* newton(posterior, moved, free, converged ? SMALL : ROUGH);
    outer = posterior.scaleSlopes(inner.position, leadingInverse(inner.factor, free, d));
  }
  const factor = joinScales(posterior.hessian(inner.position), inner.factor, free, d, outer);
  return { position: inner.position, value: inner.value, factor, converged: converged && inner.converged };
}

/** Step of all log scales, in standard deviations, at convergence. */
const STILL = 0.05;

/**
 * Downwards, takes MacKay's (1992) fixed point, which equals Newton's step if small; Newton's alone never falls by more
 * than half.
 */
const scaleStep = (newton: number): number =>
  newton < 0 ? 0.5 * Math.log1p(2 * Math.max(-MAX_FALL, newton)) : Math.min(1, newton);
const MAX_FALL = 0.49;

/** Pooling is complete or absent beyond this. */
const LIMIT = 20;

function joinScales(
  hessian: Float64Array,
  inner: Float64Array,
  free: number,
  d: number,
  outer: readonly { curvature: number }[],
): Float64Array {
  const factor = new Float64Array(d * d);
  for (let i = 0; i < free; i++) factor.set(inner.subarray(i * free, (i + 1) * free), i * d);
  outer.forEach(({ curvature }, k) => {
    const column = Float64Array.from({ length: free }, (_, i) => hessian[i * d + free + k]!);
    factor.set(solveLower(inner, free, column), (free + k) * d);
    factor[(free + k) * d + free + k] = Math.sqrt(curvature);
  });
  return factor;
}

function leadingInverse(l: Float64Array, n: number, d: number): Float64Array {
  const diagonal = new Float64Array(d);
  diagonal.set(inverseDiagonal(l, n).subarray(0, d));
  return diagonal;
}

interface SmoothDensity {
  readonly dimension: number;
  evaluate(position: Float64Array, gradient: Float64Array): number;
  hessian(position: Float64Array): Float64Array;
}

interface Maximum {
  position: Float64Array;
  value: number;
  factor: Float64Array;
  converged: boolean;
}

const MAX_STEPS = 100;

/** Ends once the squared step, in standard deviations, is below `small`. */
function* newton(density: SmoothDensity, start: Float64Array, free: number, small = SMALL): Steps<Maximum> {
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
    if (small >= ROUGH && undamped && decrementOf(factor, gradient, free) < small) {
      converged = true;
      break;
    }
    damping = decrement < NEARLY || damped.damping < 1e-4 ? 0 : damped.damping / 10;
  }
  return { position, value, factor, converged };
}

const decrementOf = (factor: Float64Array, gradient: Float64Array, free: number): number =>
  dot(solveCholesky(factor, free, gradient.subarray(0, free)), gradient, free);

/** Needed for collinear columns without priors. */
const RIDGE = 1e-9;

/** Raises the damping until positive definite. */
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
