import { dot } from '../linalg/dense.ts';

/** Value at `at` (d); writes the gradient (d). Nonfinite values cause backtracking. */
export type Objective = (at: Float64Array, gradient: Float64Array) => number;

/** Steps and stopping rules. */
export interface LbfgsSettings {
  /** Maximum steps. */
  iterations: number;
  /** Pairs kept. */
  memory: number;
  /** Length of the first step: roughly inverse curvature. */
  firstScale: number;
  /** `wolfe` also rejects short steps; `armijo` halves from at most a unit step. */
  lineSearch: 'wolfe' | 'armijo';
  /** Minimum cosine of a kept pair. */
  minCurvature: number;
  /** Stops after two consecutive smaller decreases. */
  valueTolerance: number;
  /** Stops at a smaller slope along the descent, a squared Newton step. */
  slopeTolerance: number;
}

/** Result of a search. */
export interface Minimum {
  at: Float64Array;
  /** Nonfinite if the start is. */
  value: number;
  iterations: number;
  slope: number;
  /** False if steps ran out. */
  ended: boolean;
}

/** Armijo's minimum share of the predicted decrease. */
const SUFFICIENT = 1e-4;
const STILL_STEEP = 0.9;
/** Maximum trials (`wolfe`) and minimum length (`armijo`). */
const TRIALS = 30;
const SHORTEST = 1e-12;

interface Pair {
  s: Float64Array;
  t: Float64Array;
  /** 1 / (s · t). */
  rho: number;
}

interface Point {
  at: Float64Array;
  value: number;
  gradient: Float64Array;
}

/** Minimises a smooth function by L-BFGS (Nocedal 1980) from `start` (d). Never worse than the start. */
export function lbfgs(objective: Objective, start: Float64Array, settings: LbfgsSettings): Minimum {
  const gradient = new Float64Array(start.length);
  let point: Point = { at: Float64Array.from(start), value: objective(start, gradient), gradient };
  const pairs: Pair[] = [];
  let [small, iterations, slope, ended] = [0, 0, 0, false];
  while (Number.isFinite(point.value) && iterations < settings.iterations && !ended) {
    iterations++;
    const direction = descent(point.gradient, pairs, settings.firstScale);
    slope = -dot(direction, point.gradient);
    if (slope < settings.slopeTolerance) {
      ended = true;
      break;
    }
    const search = settings.lineSearch === 'wolfe' ? wolfe : armijo;
    const next = search(objective, point, direction, pairs.length === 0);
    if (!next) {
      // Memory may mislead; retry steepest descent.
      ended = pairs.length === 0;
      pairs.length = 0;
      continue;
    }
    remember(pairs, point, next, settings);
    small = point.value - next.value < settings.valueTolerance ? small + 1 : 0;
    ended = small >= 2;
    point = next;
  }
  return { at: point.at, value: point.value, iterations, slope, ended };
}

/** Two-loop recursion. */
function descent(gradient: Float64Array, pairs: readonly Pair[], firstScale: number): Float64Array {
  const direction = Float64Array.from(gradient, (slope) => -slope);
  const alphas = new Float64Array(pairs.length);
  for (let k = pairs.length - 1; k >= 0; k--) {
    const { s, t, rho } = pairs[k]!;
    alphas[k] = rho * dot(s, direction);
    addTimes(direction, t, -alphas[k]!);
  }
  const last = pairs.at(-1);
  const scale = last ? 1 / (last.rho * dot(last.t, last.t)) : firstScale;
  for (let j = 0; j < direction.length; j++) direction[j]! *= scale;
  for (let k = 0; k < pairs.length; k++) {
    const { s, t, rho } = pairs[k]!;
    addTimes(direction, s, alphas[k]! - rho * dot(t, direction));
  }
  return direction;
}

/** Weak Wolfe step by doubling and bisection (Lewis and Overton 2013); undefined if none decreases the value. */
function wolfe(objective: Objective, from: Point, direction: Float64Array): Point | undefined {
  const slope = dot(from.gradient, direction);
  let lower: Point | undefined;
  let [low, high] = [0, Number.POSITIVE_INFINITY];
  for (let k = 0, length = 1; slope < 0 && k < TRIALS; k++) {
    const next = reach(objective, from, direction, length);
    const isLower = hasFallen(next, from, length, slope);
    if (isLower && dot(next.gradient, direction) >= STILL_STEEP * slope) return next;
    if (isLower) [lower, low] = [next, length];
    else high = length;
    length = high < Number.POSITIVE_INFINITY ? (low + high) / 2 : 2 * length;
  }
  return lower;
}

function armijo(objective: Objective, from: Point, direction: Float64Array, isSteepest: boolean): Point | undefined {
  const slope = dot(from.gradient, direction);
  const longest = isSteepest ? Math.min(1, 1 / Math.sqrt(-slope)) : 1;
  for (let length = longest; length > SHORTEST; length /= 2) {
    const next = reach(objective, from, direction, length);
    if (hasFallen(next, from, length, slope)) return next;
  }
  return undefined;
}

function reach(objective: Objective, from: Point, direction: Float64Array, length: number): Point {
  const at = Float64Array.from(from.at);
  addTimes(at, direction, length);
  const gradient = new Float64Array(at.length);
  return { at, value: objective(at, gradient), gradient };
}

const hasFallen = (next: Point, from: Point, length: number, slope: number): boolean =>
  next.value <= from.value + SUFFICIENT * length * slope && next.gradient.every(Number.isFinite);

function remember(pairs: Pair[], before: Point, after: Point, { memory, minCurvature }: LbfgsSettings): void {
  const s = after.at.map((value, j) => value - before.at[j]!);
  const t = after.gradient.map((value, j) => value - before.gradient[j]!);
  const product = dot(s, t);
  if (!(product > 0) || product <= minCurvature * Math.sqrt(dot(s, s) * dot(t, t))) return;
  pairs.push({ s, t, rho: 1 / product });
  if (pairs.length > memory) pairs.shift();
}

function addTimes(a: Float64Array, b: Float64Array, factor: number): void {
  for (let j = 0; j < a.length; j++) a[j]! += factor * b[j]!;
}
