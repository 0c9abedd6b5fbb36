import type { PairFamily } from '../pairCopula.ts';

const BOUNDS = [1, 50] as const;

/** log of (x^θ + y^θ)^(1/θ) from log x and log y: no power over- or underflows. */
export function logPowerSum(logX: number, logY: number, theta: number): number {
  const high = Math.max(logX, logY);
  const low = Math.min(logX, logY);
  return high + Math.log1p(Math.exp(theta * (low - high))) / theta;
}

/** C(u, v) = exp(-((-log u)^θ + (-log v)^θ)^(1/θ)), θ ≥ 1. */
export const gumbel: PairFamily = {
  name: 'gumbel',
  bounds: [BOUNDS],
  rotations: [0, 90, 180, 270],
  tail: 'upper',
  make(parameters) {
    const theta = parameters[0]!;
    return {
      logDensity(u, v) {
        const x = -Math.log(u);
        const y = -Math.log(v);
        const logX = Math.log(x);
        const logY = Math.log(y);
        const logT = logPowerSum(logX, logY, theta);
        const t = Math.exp(logT);
        return x + y - t + (theta - 1) * (logX + logY) + (1 - 2 * theta) * logT + Math.log(t + theta - 1);
      },
      cdf: (u, v) => Math.exp(-Math.exp(logPowerSum(Math.log(-Math.log(u)), Math.log(-Math.log(v)), theta))),
      h(u, v) {
        const x = -Math.log(u);
        const logX = Math.log(x);
        const logT = logPowerSum(logX, Math.log(-Math.log(v)), theta);
        return Math.exp(x - Math.exp(logT) + (theta - 1) * (logX - logT));
      },
      inverseH: (u, p) => inverse(theta, u, p),
      tau: () => 1 - 1 / theta,
      tailDependence: () => [0, 2 - 2 ** (1 / theta)],
    };
  },
  fromTau: (tau) => [Math.min(1 / (1 - Math.min(tau, 1 - 1e-6)), BOUNDS[1])],
};

/**
 * With x = -log u, t = -log C solves t - x + (θ-1) log(t/x) = -log p. In r = log(t/x) ≥ 0 the left side is convex
 * and increasing: Halley's steps from the right end.
 */
function inverse(theta: number, u: number, p: number): number {
  const x = -Math.log(u);
  const goal = -Math.log(p);
  let r = Math.min(Math.log1p(goal / x), theta > 1 ? goal / (theta - 1) : Number.POSITIVE_INFINITY);
  for (let step = 0; step < 50; step++) {
    const grown = x * Math.expm1(r);
    const slope = grown + x + theta - 1;
    const newton = (grown + (theta - 1) * r - goal) / slope;
    const move = newton / Math.max(0.6, 1 - (0.5 * newton * (grown + x)) / slope);
    r = Math.max(r - move, 0);
    if (!(Math.abs(move) > 1e-9 * r)) break;
  }
  // y^θ = t^θ - x^θ = x^θ (exp(θ r) - 1).
  const logRatio = theta * r > 30 ? theta * r : Math.log(Math.expm1(theta * r));
  return Math.exp(-x * Math.exp(logRatio / theta));
}
