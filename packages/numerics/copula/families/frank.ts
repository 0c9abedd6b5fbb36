import { solveIncreasing } from '../archimedean.ts';
import type { PairFamily } from '../pairCopula.ts';
import { integrateUnit } from '../quadrature.ts';

const LIMIT = 35;

/** C(u, v) = -log(1 + (e^-θu - 1)(e^-θv - 1) / (e^-θ - 1)) / θ, any sign of θ. */
export const frank: PairFamily = {
  name: 'frank',
  bounds: [[-LIMIT, LIMIT]],
  rotations: [0],
  tail: 'none',
  make(parameters) {
    // The limit at 0 is independence, and 1e-12 is that to the last digit.
    const theta = parameters[0] === 0 ? 1e-12 : parameters[0]!;
    const whole = Math.expm1(-theta);
    return {
      logDensity(u, v) {
        return Math.log(-theta * whole) - theta * (u + v) - 2 * Math.log(Math.abs(denominator(theta, u, v)));
      },
      cdf(u, v) {
        const product = (Math.expm1(-theta * u) * Math.expm1(-theta * v)) / whole;
        const log = product < -0.5 ? Math.log(-denominator(theta, u, v) / whole) : Math.log1p(product);
        return -log / theta;
      },
      h: (u, v) => (-Math.exp(-theta * u) * Math.expm1(-theta * v)) / denominator(theta, u, v),
      inverseH(u, p) {
        const r = ((1 - p) / p) * Math.exp(-theta * u);
        const shift = whole / (1 + r);
        return -(shift < -0.5 ? Math.log((r + Math.exp(-theta)) / (1 + r)) : Math.log1p(shift)) / theta;
      },
      tau: () => frankTau(theta),
      tailDependence: () => [0, 0],
    };
  },
  fromTau: (tau) => [solveIncreasing(frankTau, tau, -LIMIT, LIMIT)],
};

/** e^-θu + e^-θv - e^-θ(u+v) - e^-θ as a sum of two terms of one sign. */
const denominator = (theta: number, u: number, v: number): number =>
  -Math.exp(-theta * u) * Math.expm1(-theta * v) - Math.exp(-theta * v) * Math.expm1(-theta * (1 - v));

/** τ = 1 - 4 (1 - D₁(θ)) / θ with Debye's D₁; Bernoulli's series where that cancels. */
function frankTau(theta: number): number {
  const size = Math.abs(theta);
  if (size < 0.5) {
    const s = theta * theta;
    return theta * (1 / 9 - s * (1 / 900 - s * (1 / 52920 - s * (1 / 2721600 - s / 131725440))));
  }
  const debye = integrateUnit((t) => (size * t) / Math.expm1(size * t));
  return Math.sign(theta) * (1 - (4 * (1 - debye)) / size);
}
