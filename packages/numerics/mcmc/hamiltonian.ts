/** Log density and gradient on unconstrained space. */
export interface LogDensity {
  readonly dimension: number;
  /**
   * Log density up to a constant, with gradient. -Infinity or NaN causes a divergence. Must not keep or change
   * `position`.
   */
  evaluate(position: Float64Array, gradient: Float64Array): number;
}

// H(q, p) = -log density(q) + ½ Σ v_i p_i², inverse metric v. d: dimension.

export interface PhasePoint {
  position: Float64Array;
  momentum: Float64Array;
  gradient: Float64Array;
  logDensity: number;
}

/** N(centre, diag(variance)) approximates the target. */
export interface Metric {
  centre: Float64Array;
  /** v, positive. */
  variance: Float64Array;
}

/** Moves `point` one step, backwards if negative, and returns its energy. */
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

/** Störmer–Verlet: reversible, volume-preserving, energy error O(step²). */
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
 * Rotates exactly under N(centre, diag v) and kicks by the rest (Shahbaba, Lan, Johnson and Neal 2014, "Split
 * Hamiltonian Monte Carlo"). Only the rest causes energy errors, so near-Gaussian targets allow long steps in any
 * dimension.
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
