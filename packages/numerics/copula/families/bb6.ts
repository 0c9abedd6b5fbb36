import { type Generator, log1mexp, outerPower, solveIncreasing } from '../archimedean.ts';
import type { PairFamily } from '../pairCopula.ts';
import { joeTau } from './joe.ts';

const BOUNDS = [
  [1, 6],
  [1, 8],
] as const;

/** Joe and Gumbel: C = 1 - (1 - exp(-s))^(1/θ), s^δ = Σ (-log(1 - (1-u)^θ))^δ, θ ≥ 1, δ ≥ 1 (Joe, 2014, 4.18). */
export const bb6: PairFamily = {
  name: 'bb6',
  bounds: BOUNDS,
  rotations: [0, 90, 180, 270],
  tail: 'upper',
  make(parameters) {
    const theta = parameters[0]!;
    const delta = parameters[1]!;
    return {
      ...outerPower(joeGenerator(theta), delta),
      tau: () => bb6Tau(theta, delta),
      tailDependence: () => [0, 2 - 2 ** (1 / (theta * delta))],
    };
  },
  fromTau(tau) {
    const delta = Math.min(Math.max(Math.sqrt(1 / (1 - Math.min(tau, 0.99))), 1), BOUNDS[1][1]);
    const theta = solveIncreasing((x) => bb6Tau(x, delta), tau, ...BOUNDS[0]);
    return [theta, solveIncreasing((x) => bb6Tau(theta, x), tau, ...BOUNDS[1])];
  },
};

/** The power divides φ/φ' by δ, and with it 1 - τ. */
const bb6Tau = (theta: number, delta: number): number => 1 - (1 - joeTau(theta)) / delta;

/** φ(u) = -log(1 - (1-u)^θ). */
function joeGenerator(theta: number): Generator {
  const logInner = (u: number) => log1mexp(theta * Math.log1p(-u));
  return {
    logPhi(u) {
      const log = logInner(u);
      return log === 0 ? theta * Math.log1p(-u) : Math.log(-log);
    },
    logSlope: (u) => Math.log(theta) + (theta - 1) * Math.log1p(-u) - logInner(u),
    inverse: (logS) => -Math.expm1(log1mexp(-Math.exp(logS)) / theta),
    logInverseSlope(logS) {
      const s = Math.exp(logS);
      return -Math.log(theta) - s + (1 / theta - 1) * log1mexp(-s);
    },
    curvature(logS) {
      const s = Math.exp(logS);
      return s * (1 + (1 - 1 / theta) / Math.expm1(s));
    },
  };
}
