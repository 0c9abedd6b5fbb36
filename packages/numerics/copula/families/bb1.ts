import { type Generator, outerPower } from '../archimedean.ts';
import type { PairFamily } from '../pairCopula.ts';

const BOUNDS = [
  [1e-6, 7],
  [1, 7],
] as const;

/** Clayton and Gumbel: C = (1 + ((u^-θ - 1)^δ + (v^-θ - 1)^δ)^(1/δ))^(-1/θ), θ > 0, δ ≥ 1 (Joe, 2014, 4.17). */
export const bb1: PairFamily = {
  name: 'bb1',
  bounds: BOUNDS,
  rotations: [0, 90, 180, 270],
  tail: 'both',
  make(parameters) {
    const theta = parameters[0]!;
    const delta = parameters[1]!;
    return {
      ...outerPower(claytonGenerator(theta), delta),
      tau: () => 1 - 2 / (delta * (theta + 2)),
      tailDependence: () => [2 ** (-1 / (theta * delta)), 2 - 2 ** (1 / delta)],
    };
  },
  fromTau(tau) {
    const highest = 1 - 2 / (BOUNDS[1][1] * (BOUNDS[0][1] + 2));
    const share = 1 - Math.min(Math.max(tau, 0), highest);
    const delta = Math.min(Math.max(Math.sqrt(1 / share), 2 / (share * (BOUNDS[0][1] + 2))), BOUNDS[1][1]);
    return [Math.min(Math.max(2 / (delta * share) - 2, BOUNDS[0][0]), BOUNDS[0][1]), delta];
  },
};

/** φ(u) = u^-θ - 1. */
function claytonGenerator(theta: number): Generator {
  return {
    logPhi: (u) => Math.log(Math.expm1(-theta * Math.log(u))),
    logSlope: (u) => Math.log(theta) - (theta + 1) * Math.log(u),
    inverse: (logS) => Math.exp(-Math.log1p(Math.exp(logS)) / theta),
    logInverseSlope: (logS) => -Math.log(theta) - (1 / theta + 1) * Math.log1p(Math.exp(logS)),
    curvature: (logS) => (1 / theta + 1) / (1 + Math.exp(-logS)),
  };
}
