import { innerIndependence, log1mexp, powerTransform, solveIncreasing } from '../archimedean.ts';
import type { PairFamily } from '../pairCopula.ts';
import { integrateUnit } from '../quadrature.ts';

const BOUNDS = [
  [1, 8],
  [1e-4, 1],
] as const;

/** Joe and Frank: C = (1 - (1 - (1-a)(1-b) / η)^(1/θ)) / δ, a = (1-δu)^θ, η = 1 - (1-δ)^θ (Joe, 2014, 4.20). */
export const bb8: PairFamily = {
  name: 'bb8',
  bounds: BOUNDS,
  rotations: [0, 90, 180, 270],
  tail: 'none',
  make(parameters) {
    const theta = parameters[0]!;
    const delta = parameters[1]!;
    return {
      ...powerTransform(innerIndependence, theta, delta),
      tau: () => bb8Tau(theta, delta),
      tailDependence: () => [0, delta === 1 ? 2 - 2 ** (1 / theta) : 0],
    };
  },
  fromTau(tau) {
    const delta = tau < 0.5 ? 0.8 : 0.97;
    return [solveIncreasing((theta) => bb8Tau(theta, delta), tau, ...BOUNDS[0]), delta];
  },
};

/** τ = 1 + 4 ∫ φ/φ' with φ(t) = -log((1 - (1-δt)^θ) / η). */
function bb8Tau(theta: number, delta: number): number {
  const logEta = delta === 1 ? 0 : log1mexp(theta * Math.log1p(-delta));
  const integral = integrateUnit((t, rest) => {
    const logBase = t < 0.5 ? Math.log1p(-delta * t) : Math.log(1 - delta + delta * rest);
    const logA = theta * logBase;
    const log = log1mexp(logA);
    // Where log is rounded to log η = 0 (δ = 1, t near 1), its limit is -(1-t)^θ.
    const gap = log === 0 ? -Math.exp(logA) - logEta : log - logEta;
    return gap * Math.exp(log - logA + logBase);
  });
  return 1 + (4 * integral) / (delta * theta);
}
