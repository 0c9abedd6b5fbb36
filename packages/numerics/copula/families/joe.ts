import { innerIndependence, log1mexp, powerTransform, solveIncreasing } from '../archimedean.ts';
import type { PairFamily } from '../pairCopula.ts';
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
      inverseH: (u, p) => inverse(theta, u, p),
      tau: () => joeTau(theta),
      tailDependence: () => [0, 2 - 2 ** (1 / theta)],
    };
  },
  fromTau: (tau) => [solveIncreasing(joeTau, tau, ...BOUNDS)],
};

/**
 * With S = a + b - a b = a e^s, h = p reads k s - log(1 - a e^s) = -log p - log(1 - a), k = 1 - 1/θ: convex and
 * increasing in s, so that Newton's steps from the right end never pass the root. Then b = a (e^s - 1) / (1 - a).
 */
function inverse(theta: number, u: number, p: number): number {
  const logA = theta * Math.log1p(-u);
  const a = Math.exp(logA);
  const logRest = log1mexp(logA);
  const k = 1 - 1 / theta;
  const goal = -Math.log(p) - logRest;
  let s = Math.min(-Math.log(p) / k, log1mexp(-goal) - logA);
  for (let step = 0; step < 50; step++) {
    const grown = Math.min(a * Math.exp(s), 1 - 2e-16);
    const move = (k * s - Math.log1p(-grown) - goal) / (k + grown / (1 - grown));
    s = Math.max(s - move, 0);
    if (!(move > 1e-15 * s)) break;
  }
  return -Math.expm1((logA + Math.log(Math.expm1(s)) - logRest) / theta);
}

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
