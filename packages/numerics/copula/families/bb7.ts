import { type InnerCopula, log1mexp, powerTransform, solveIncreasing } from '../archimedean.ts';
import type { PairFamily } from '../pairCopula.ts';
import { integrateUnit } from '../quadrature.ts';
import { claytonLogSum } from './clayton.ts';

const BOUNDS = [
  [1, 6],
  [0.01, 25],
] as const;

/** Joe and Clayton: C = 1 - (1 - (a^-δ + b^-δ - 1)^(-1/δ))^(1/θ), a = 1 - (1-u)^θ, θ ≥ 1, δ > 0 (Joe, 2014, 4.19). */
export const bb7: PairFamily = {
  name: 'bb7',
  bounds: BOUNDS,
  rotations: [0, 90, 180, 270],
  tail: 'both',
  make(parameters) {
    const theta = parameters[0]!;
    const delta = parameters[1]!;
    return {
      ...powerTransform(innerClayton(delta), theta, 1),
      tau: () => bb7Tau(theta, delta),
      tailDependence: () => [2 ** (-1 / delta), 2 - 2 ** (1 / theta)],
    };
  },
  fromTau(tau) {
    const theta = Math.min(1 / (1 - Math.min(0.8, 0.7 * tau)), 4);
    return [theta, solveIncreasing((delta) => bb7Tau(theta, delta), tau, ...BOUNDS[1])];
  },
};

function innerClayton(delta: number): InnerCopula {
  const constant = Math.log1p(delta);
  return {
    logCdf: (x, y) => -claytonLogSum(x, y, delta) / delta,
    logH: (x, y) => -(1 + delta) * x - (1 + 1 / delta) * claytonLogSum(x, y, delta),
    logDensity: (x, y, logD) => constant - (1 + delta) * (x + y) + (2 * delta + 1) * logD,
    ratio: 1 + delta,
  };
}

/** τ = 1 + 4 ∫ φ/φ' with φ(t) = (1 - (1-t)^θ)^-δ - 1. */
function bb7Tau(theta: number, delta: number): number {
  const integral = integrateUnit((t, rest) => {
    const logA = theta * (t < 0.5 ? Math.log1p(-t) : Math.log(rest));
    const log = log1mexp(logA);
    // Below 1e-17, log(1 - a) / a is -1 to the last digit.
    return logA < -40 ? delta * rest : -Math.expm1(delta * log) * Math.exp(log - logA) * rest;
  });
  return 1 - (4 * integral) / (theta * delta);
}
