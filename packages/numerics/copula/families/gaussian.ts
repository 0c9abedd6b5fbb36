import { normalCdf, normalQuantile } from '../../special/normal.ts';
import { ellipticalCdf } from '../elliptical.ts';
import type { PairFamily } from '../pairCopula.ts';

const LIMIT = 0.99999;
const normalGenerator = (s: number): number => Math.exp(-0.5 * s);

/** The copula of a bivariate normal of correlation ρ. */
export const gaussian: PairFamily = {
  name: 'gaussian',
  bounds: [[-LIMIT, LIMIT]],
  rotations: [0],
  tail: 'none',
  make(parameters) {
    const rho = parameters[0]!;
    const square = (1 - rho) * (1 + rho);
    const root = Math.sqrt(square);
    const halfLog = 0.5 * Math.log(square);
    return {
      logDensity(u, v) {
        const x = normalQuantile(u);
        const y = normalQuantile(v);
        return -halfLog - (rho * (rho * (x * x + y * y) - 2 * x * y)) / (2 * square);
      },
      cdf: (u, v) => ellipticalCdf(normalQuantile(u), normalQuantile(v), u, v, rho, normalGenerator),
      h: (u, v) => normalCdf((normalQuantile(v) - rho * normalQuantile(u)) / root),
      inverseH: (u, p) => normalCdf(root * normalQuantile(p) + rho * normalQuantile(u)),
      tau: () => (2 / Math.PI) * Math.asin(rho),
      tailDependence: () => [0, 0],
    };
  },
  fromTau: (tau) => [Math.min(Math.max(Math.sin(0.5 * Math.PI * tau), -LIMIT), LIMIT)],
};
