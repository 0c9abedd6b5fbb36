/** Finds a minimum of a smooth function by L-BFGS (Nocedal 1980). */

/** The value at `at`; writes the gradient (same length). A value that is not finite is a place to step back from. */
export type Objective = (at: Float64Array, gradient: Float64Array) => number;

export interface MinimiseSettings {
  /** Steps, at most. */
  iterations: number;
  /** Length of the first step along the steepest descent: one over the curvature, roughly. */
  firstScale: number;
  /** Stops where two steps in a row lower the value by less. */
  tolerance: number;
}

export interface Minimum {
  at: Float64Array;
  /** Not finite where the start has no value. */
  value: number;
  iterations: number;
}

const MEMORY = 8;
/** Lengths tried in a step. */
const TRIALS = 30;
/** Of the decrease that the slope promises, the least share to accept (Armijo). */
const SUFFICIENT = 1e-4;
/** Of the slope at the start of a step, the share that is too steep to stop at. */
const STILL_STEEP = 0.9;

interface Pair {
  /** Step and change of the gradient along it. */
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

/** Never worse than the start; the same start gives the same end. */
export function minimise(objective: Objective, start: Float64Array, settings: MinimiseSettings): Minimum {
  const gradient = new Float64Array(start.length);
  let point: Point = { at: Float64Array.from(start), value: objective(start, gradient), gradient };
  const pairs: Pair[] = [];
  let small = 0;
  let iterations = 0;
  while (Number.isFinite(point.value) && iterations < settings.iterations && small < 2) {
    iterations++;
    const next = stepFrom(objective, point, descent(point.gradient, pairs, settings.firstScale));
    if (!next) {
      // What the memory says of the curvature may be wrong; the steepest descent cannot be.
      if (pairs.length === 0) break;
      pairs.length = 0;
      continue;
    }
    remember(pairs, point, next);
    small = point.value - next.value < settings.tolerance ? small + 1 : 0;
    point = next;
  }
  return { at: point.at, value: point.value, iterations };
}

/** Minus the inverse curvature times the gradient, by the two loops over the memory. */
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

/**
 * A step along the direction that is neither too long nor too short, by doubling and bisection (weak Wolfe conditions;
 * Lewis and Overton 2013); undefined where none lowers the value.
 */
function stepFrom(objective: Objective, { at, value, gradient }: Point, direction: Float64Array): Point | undefined {
  const slope = dot(gradient, direction);
  let lower: Point | undefined;
  let [low, high] = [0, Number.POSITIVE_INFINITY];
  for (let k = 0, length = 1; slope < 0 && k < TRIALS; k++) {
    const next: Point = { at: Float64Array.from(at), value, gradient: new Float64Array(at.length) };
    addTimes(next.at, direction, length);
    next.value = objective(next.at, next.gradient);
    const isLower = next.value <= value + SUFFICIENT * length * slope && next.gradient.every(Number.isFinite);
    if (isLower && dot(next.gradient, direction) >= STILL_STEEP * slope) return next;
    if (isLower) [lower, low] = [next, length];
    else high = length;
    length = high < Number.POSITIVE_INFINITY ? (low + high) / 2 : 2 * length;
  }
  return lower;
}

/** Keeps a step along which the gradient grew; others say nothing that a minimum would. */
function remember(pairs: Pair[], before: Point, after: Point): void {
  const s = after.at.map((value, j) => value - before.at[j]!);
  const t = after.gradient.map((value, j) => value - before.gradient[j]!);
  const product = dot(s, t);
  if (!(product > 0)) return;
  pairs.push({ s, t, rho: 1 / product });
  if (pairs.length > MEMORY) pairs.shift();
}

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let j = 0; j < a.length; j++) sum += a[j]! * b[j]!;
  return sum;
}

function addTimes(a: Float64Array, b: Float64Array, factor: number): void {
  for (let j = 0; j < a.length; j++) a[j]! += factor * b[j]!;
}
