/** Maximises a function of two bounded variables, without derivatives given. */

interface Box {
  low: readonly [number, number];
  high: readonly [number, number];
}

const MAX_STEPS = 60;
const DIFFERENCE = 1e-4;

/**
 * Projected BFGS on a box, with central differences. `f` may be -Infinity. Ends where a step gains less than
 * `tolerance`. Returns [argument, value].
 */
export function projectedBfgs(
  f: (x: readonly [number, number]) => number,
  start: readonly [number, number],
  box: Box,
  tolerance: number,
): [[number, number], number] {
  let x = project(start, box);
  let value = f(x);
  let gradient = differences(f, x, value, box);
  // Inverse of the negative Hessian.
  let inverse: [number, number, number] | undefined;
  for (let step = 0; step < MAX_STEPS; step++) {
    const direction = ascent(x, gradient, inverse, box);
    const found = search(f, x, value, direction, gradient, box);
    if (found === undefined) {
      if (inverse === undefined) break;
      inverse = undefined;
      continue;
    }
    const gain = found.value - value;
    const next = differences(f, found.x, found.value, box);
    inverse = update(inverse, subtract(found.x, x), subtract(gradient, next));
    [x, value, gradient] = [found.x, found.value, next];
    if (gain < tolerance) break;
  }
  return [x, value];
}

const project = (x: readonly [number, number], box: Box): [number, number] => [
  Math.min(Math.max(x[0], box.low[0]), box.high[0]),
  Math.min(Math.max(x[1], box.low[1]), box.high[1]),
];

const subtract = (a: readonly [number, number], b: readonly [number, number]): [number, number] => [
  a[0] - b[0],
  a[1] - b[1],
];

function differences(
  f: (x: readonly [number, number]) => number,
  x: [number, number],
  value: number,
  box: Box,
): [number, number] {
  const slope = (k: 0 | 1) => {
    const size = DIFFERENCE * (box.high[k] - box.low[k]);
    const [up, down] = [Math.min(x[k] + size, box.high[k]), Math.max(x[k] - size, box.low[k])];
    const at = (y: number): number => (y === x[k] ? value : f(k === 0 ? [y, x[1]] : [x[0], y]));
    return (at(up) - at(down)) / (up - down);
  };
  return [slope(0), slope(1)];
}

/** The quasi-Newton direction among the variables that no bound holds. */
function ascent(
  x: [number, number],
  gradient: [number, number],
  inverse: [number, number, number] | undefined,
  box: Box,
): [number, number] {
  const held = (k: 0 | 1) => (x[k] <= box.low[k] && gradient[k] <= 0) || (x[k] >= box.high[k] && gradient[k] >= 0);
  const [h0, h1] = [held(0), held(1)];
  if (inverse === undefined) {
    // A first step of a twentieth of the box.
    const g: [number, number] = [h0 ? 0 : gradient[0], h1 ? 0 : gradient[1]];
    const size = Math.max(Math.abs(g[0]) / (box.high[0] - box.low[0]), Math.abs(g[1]) / (box.high[1] - box.low[1]));
    const norm = Math.hypot(g[0], g[1]);
    return size > 0 ? [(0.05 * g[0]) / norm, (0.05 * g[1]) / norm] : [0, 0];
  }
  const [a, b, c] = inverse;
  if (h0 && h1) return [0, 0];
  // With one variable held, the other's curvature is the inverse's Schur complement.
  if (h0) return [0, (c - (b * b) / a) * gradient[1]];
  if (h1) return [(a - (b * b) / c) * gradient[0], 0];
  return [a * gradient[0] + b * gradient[1], b * gradient[0] + c * gradient[1]];
}

/** Halves the step until the function has grown enough (Armijo). */
function search(
  f: (x: readonly [number, number]) => number,
  x: [number, number],
  value: number,
  direction: [number, number],
  gradient: [number, number],
  box: Box,
): { x: [number, number]; value: number } | undefined {
  for (let size = 1; size > 1e-6; size *= 0.4) {
    const trial = project([x[0] + size * direction[0], x[1] + size * direction[1]], box);
    const move = subtract(trial, x);
    const promised = move[0] * gradient[0] + move[1] * gradient[1];
    if (!(promised > 0)) return undefined;
    const there = f(trial);
    if (there >= value + 1e-4 * promised) return { x: trial, value: there };
  }
  return undefined;
}

/** BFGS on the inverse; [a, b, c] is [[a, b], [b, c]]. `y` is the fall of the gradient along `s`. */
function update(
  inverse: [number, number, number] | undefined,
  s: [number, number],
  y: [number, number],
): [number, number, number] | undefined {
  const curvature = s[0] * y[0] + s[1] * y[1];
  const size = y[0] * y[0] + y[1] * y[1];
  if (!(curvature > 1e-12 * Math.sqrt(size) * Math.hypot(s[0], s[1]))) return inverse;
  const [a, b, c] = inverse ?? [curvature / size, 0, curvature / size];
  const hy0 = a * y[0] + b * y[1];
  const hy1 = b * y[0] + c * y[1];
  const factor = (1 + (y[0] * hy0 + y[1] * hy1) / curvature) / curvature;
  return [
    a + factor * s[0] * s[0] - (2 * hy0 * s[0]) / curvature,
    b + factor * s[0] * s[1] - (hy0 * s[1] + hy1 * s[0]) / curvature,
    c + factor * s[1] * s[1] - (2 * hy1 * s[1]) / curvature,
  ];
}
