import { solveIncreasing } from '../invert.ts';
import type { PairFamily } from '../pairFamily.ts';
import { innerIndependence, log1mexp, powerTransform } from '../powerTransform.ts';
import { integrateUnit } from '../quadrature.ts';

const BOUNDS = [1, 30] as const;

/** C(u, v) = 1 - (a + b - a b)^(1/θ), a = (1-u)^θ, b = (1-v)^θ, θ ≥ 1. */
export const joe: PairFamily = {
  name: 'joe',
  bounds: [BOUNDS],
  rotations: [0, 90, 180, 270],
  tail: 'upper',
  make(parameters) {
    const theta = parameters[0]!;
    return {
      ...powerTransform(innerIndependence, theta, 1),
      tau: () => joeTau(theta),
      tailDependence: () => [0, 2 - 2 ** (1 / theta)],
    };
  },
  fromTau: (tau) => [solveIncreasing(joeTau, tau, ...BOUNDS)],
};

/** τ = 1 + 4 ∫ φ/φ' of the generator φ(t) = -log(1 - (1-t)^θ) (Genest and MacKay, 1986). */
export function joeTau(theta: number): number {
  return (
    1 +
    (4 / theta) *
      integrateUnit((t, rest) => {
        const logA = theta * (t < 0.5 ? Math.log1p(-t) : Math.log(rest));
        const log = log1mexp(logA);
        // Below 1e-17, log(1 - a) / a is -1 to the last digit.
        return logA < -40 ? -rest : log * Math.exp(log - logA) * rest;
      })
  );
}
