/** L-BFGS (Nocedal 1980): climbs a log density of too many coordinates for a Hessian. */
import type { LogDensity } from '../mcmc/logDensity.ts';

const MEMORY = 10;
const MAX_STEPS = 500;

/** The place reached from `start`, its log density, and whether the gradient had vanished there. */
export function climb(
  density: LogDensity,
  start: Float64Array,
): { position: Float64Array; value: number; converged: boolean } {
  const d = density.dimension;
  let position = start.slice();
  let gradient = new Float64Array(d);
  let value = density.evaluate(position, gradient);
  const history: Pair[] = [];
  for (let step = 0; step < MAX_STEPS && Number.isFinite(value); step++) {
    const direction = applyHistory(gradient, history);
    const rise = dot(direction, gradient);
    if (rise < 1e-10) return { position, value, converged: true };
    const next = search(density, position, value, direction, rise, history.length === 0);
    if (next === undefined) {
      if (history.length === 0) return { position, value, converged: rise < 1e-6 };
      history.length = 0;
      continue;
    }
    remember(history, position, gradient, next);
    ({ position, value, gradient } = next);
  }
  return { position, value, converged: false };
}

interface Pair {
  /** Change of position. */
  s: Float64Array;
  /** Change of the negative gradient. */
  y: Float64Array;
  rho: number;
}

interface Point {
  position: Float64Array<ArrayBuffer>;
  value: number;
  gradient: Float64Array<ArrayBuffer>;
}

/** The two-loop recursion. */
function applyHistory(gradient: Float64Array, history: readonly Pair[]): Float64Array {
  const q = gradient.slice();
  const alphas: number[] = [];
  for (let k = history.length - 1; k >= 0; k--) {
    const { s, y, rho } = history[k]!;
    const alpha = rho * dot(s, q);
    alphas[k] = alpha;
    addScaled(q, -alpha, y);
  }
  const last = history.at(-1);
  if (last) {
    const scale = 1 / (last.rho * dot(last.y, last.y));
    for (let i = 0; i < q.length; i++) q[i]! *= scale;
  }
  for (const [k, { s, y, rho }] of history.entries()) addScaled(q, alphas[k]! - rho * dot(y, q), s);
  return q;
}

function search(
  density: LogDensity,
  from: Float64Array,
  value: number,
  direction: Float64Array,
  rise: number,
  isFirst: boolean,
): Point | undefined {
  const gradient = new Float64Array(from.length);
  const position = new Float64Array(from.length);
  for (let t = isFirst ? Math.min(1, 1 / Math.sqrt(rise)) : 1; t > 1e-12; t /= 2) {
    for (let i = 0; i < from.length; i++) position[i] = from[i]! + t * direction[i]!;
    const reached = density.evaluate(position, gradient);
    if (reached >= value + 1e-4 * t * rise && gradient.every(Number.isFinite)) {
      return { position, value: reached, gradient };
    }
  }
  return undefined;
}

function remember(history: Pair[], position: Float64Array, gradient: Float64Array, next: Point): void {
  const s = next.position.map((value, i) => value - position[i]!);
  const y = gradient.map((value, i) => value - next.gradient[i]!);
  const curvature = dot(s, y);
  if (!(curvature > 1e-12 * Math.sqrt(dot(s, s) * dot(y, y)))) return;
  history.push({ s, y, rho: 1 / curvature });
  if (history.length > MEMORY) history.shift();
}

function addScaled(target: Float64Array, factor: number, source: Float64Array): void {
  for (let i = 0; i < target.length; i++) target[i]! += factor * source[i]!;
}

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!;
  return sum;
}
