import type { PairFamily } from '../pairCopula.ts';

const BOUNDS = [1e-10, 28] as const;

/** log(u^-θ + v^-θ - 1), to full relative accuracy where both are near 1. */
export const claytonLogSum = (logU: number, logV: number, theta: number): number =>
  Math.log1p(Math.expm1(-theta * logU) + Math.expm1(-theta * logV));

/** C(u, v) = (u^-θ + v^-θ - 1)^(-1/θ), θ > 0. */
export const clayton: PairFamily = {
  name: 'clayton',
  bounds: [BOUNDS],
  rotations: [0, 90, 180, 270],
  tail: 'lower',
  make(parameters) {
    const theta = parameters[0]!;
    return {
      logDensity(u, v) {
        const a = Math.log(u);
        const b = Math.log(v);
        return Math.log1p(theta) - (1 + theta) * (a + b) - (2 + 1 / theta) * claytonLogSum(a, b, theta);
      },
      cdf: (u, v) => Math.exp(-claytonLogSum(Math.log(u), Math.log(v), theta) / theta),
      h(u, v) {
        const a = Math.log(u);
        return Math.exp(-(1 + theta) * a - (1 + 1 / theta) * claytonLogSum(a, Math.log(v), theta));
      },
      inverseH(u, p) {
        const grown = Math.exp(-theta * Math.log(u)) * Math.expm1((-theta / (1 + theta)) * Math.log(p));
        return Math.exp(-Math.log1p(grown) / theta);
      },
      tau: () => theta / (theta + 2),
      tailDependence: () => [2 ** (-1 / theta), 0],
    };
  },
  fromTau: (tau) => [Math.min(Math.max((2 * tau) / (1 - tau), BOUNDS[0]), BOUNDS[1])],
};
