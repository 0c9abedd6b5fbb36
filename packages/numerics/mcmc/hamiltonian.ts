/**
 * Hamiltonian dynamics: H(q, p) = -log density(q) + ½ Σ v_i p_i², and two integrators of it. Shapes: d = dimension.
 * v is the inverse metric: where it is the target's variance, all directions move at one pace.
 */

/** What a sampler needs to know of a distribution: its log density and gradient on unconstrained space. */
export interface LogDensity {
  /** Length of a position. */
  readonly dimension: number;
  /**
   * Log density at `position` up to a constant; writes its gradient into `gradient` (same length). -Infinity or NaN where
   * it has no value: a sampler takes that for a divergence. Must not keep or change `position`.
   */
  evaluate(position: Float64Array, gradient: Float64Array): number;
}

// Hamiltonian dynamics: H(q, p) = -log density(q) + ½ Σ v_i p_i², and two integrators of it. Shapes: d = dimension.
// v is the inverse metric: where it is the target's variance, all directions move at one pace.

export interface PhasePoint {
  position: Float64Array;
  momentum: Float64Array;
  /** Gradient of the log density at `position`. */
  gradient: Float64Array;
  logDensity: number;
}

/** What is adapted while the chain warms up: N(centre, diag(variance)) comes as near to the target as such a normal can. */
export interface Metric {
  centre: Float64Array;
  /** v, all above 0. */
  variance: Float64Array;
}

/** Moves `point` in place by one step (negative: back in time) and returns its energy; NaN or Infinity where it has none. */
export type Integrator = (density: LogDensity, metric: Metric, point: PhasePoint, step: number) => number;

export function createPoint(dimension: number): PhasePoint {
  return {
    position: new Float64Array(dimension),
    momentum: new Float64Array(dimension),
    gradient: new Float64Array(dimension),
    logDensity: Number.NaN,
  };
}

export function copyPoint(from: PhasePoint, to: PhasePoint): void {
  to.position.set(from.position);
  to.momentum.set(from.momentum);
  to.gradient.set(from.gradient);
  to.logDensity = from.logDensity;
}

export function energyOf(metric: Metric, point: PhasePoint): number {
  const { variance } = metric;
  const { momentum } = point;
  let kinetic = 0;
  for (let i = 0; i < momentum.length; i++) kinetic += variance[i]! * momentum[i]! * momentum[i]!;
  return 0.5 * kinetic - point.logDensity;
}

/** Störmer–Verlet: half a kick, a drift, half a kick. Reversible, volume-preserving, energy error O(step²). */
export const leapfrog: Integrator = (density, { variance }, point, step) => {
  const { position, momentum, gradient } = point;
  const half = 0.5 * step;
  const dimension = position.length;
  for (let i = 0; i < dimension; i++) {
    const p = momentum[i]! + half * gradient[i]!;
    momentum[i] = p;
    position[i]! += step * variance[i]! * p;
  }
  point.logDensity = density.evaluate(position, gradient);
  let kinetic = 0;
  for (let i = 0; i < dimension; i++) {
    const p = momentum[i]! + half * gradient[i]!;
    momentum[i] = p;
    kinetic += variance[i]! * p * p;
  }
  return 0.5 * kinetic - point.logDensity;
};

/**
 * Splits the target into N(centre, diag v), whose flow is a rotation and exact, and the rest, which kicks (Shahbaba, Lan,
 * Johnson and Neal, 2014, "Split Hamiltonian Monte Carlo"). Reversible and volume-preserving as leapfrog is; its energy
 * error is that of the rest only, so that a target near its Gaussian takes long steps in any dimension.
 */
export const rotation: Integrator = (density, { centre, variance }, point, step) => {
  const { position, momentum, gradient } = point;
  const half = 0.5 * step;
  const cosine = Math.cos(step);
  const sine = Math.sin(step);
  const dimension = position.length;
  for (let i = 0; i < dimension; i++) {
    const v = variance[i]!;
    const u = position[i]! - centre[i]!;
    const p = momentum[i]! + half * (gradient[i]! + u / v);
    position[i] = centre[i]! + u * cosine + v * p * sine;
    momentum[i] = p * cosine - (u / v) * sine;
  }
  point.logDensity = density.evaluate(position, gradient);
  let kinetic = 0;
  for (let i = 0; i < dimension; i++) {
    const v = variance[i]!;
    const p = momentum[i]! + half * (gradient[i]! + (position[i]! - centre[i]!) / v);
    momentum[i] = p;
    kinetic += v * p * p;
  }
  return 0.5 * kinetic - point.logDensity;
};
