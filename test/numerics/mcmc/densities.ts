/** Log densities with known moments, for tests of the sampler. */
import type { LogDensity } from '../../../packages/numerics/mcmc/hamiltonian.ts';

export function standardNormal(dimension: number): LogDensity {
  return {
    dimension,
    evaluate(x, gradient) {
      let sum = 0;
      for (let i = 0; i < dimension; i++) {
        gradient[i] = -x[i]!;
        sum -= 0.5 * x[i]! ** 2;
      }
      return sum;
    },
  };
}

/** Two coordinates with standard deviations 1 and 20 and correlation 0.9, around (3, -5). */
export const correlatedNormal: LogDensity = {
  dimension: 2,
  evaluate(x, gradient) {
    const u = x[0]! - 3;
    const v = (x[1]! + 5) / 20;
    const scale = 1 / (1 - 0.81);
    gradient[0] = -scale * (u - 0.9 * v);
    gradient[1] = (-scale * (v - 0.9 * u)) / 20;
    return -0.5 * scale * (u * u - 1.8 * u * v + v * v);
  },
};

/** Independent Student t of `df` degrees of freedom. */
export function studentT(dimension: number, df: number): LogDensity {
  return {
    dimension,
    evaluate(x, gradient) {
      let sum = 0;
      for (let i = 0; i < dimension; i++) {
        const w = 1 + x[i]! ** 2 / df;
        gradient[i] = (-(df + 1) * x[i]!) / (df * w);
        sum -= ((df + 1) / 2) * Math.log(w);
      }
      return sum;
    },
  };
}

/** x₀ ~ N(0, 1), x₁ | x₀ ~ N(x₀² - 1, 0.5²): both have mean 0, and Var x₁ = 2.25. */
export const banana: LogDensity = {
  dimension: 2,
  evaluate(x, gradient) {
    const [a, b] = [x[0]!, x[1]!];
    const rest = (b - (a * a - 1)) / 0.25;
    gradient[0] = -a + rest * 2 * a;
    gradient[1] = -rest;
    return -0.5 * a * a - 0.125 * rest * rest;
  },
};

/** Neal's funnel: v ~ N(0, 3²), x_i | v ~ N(0, exp(v)), i = 1 … 9. Its neck is too narrow for any one step size. */
export const funnel: LogDensity = {
  dimension: 10,
  evaluate(x, gradient) {
    const v = x[0]!;
    let squares = 0;
    for (let i = 1; i < 10; i++) {
      gradient[i] = -x[i]! * Math.exp(-v);
      squares += x[i]! ** 2;
    }
    gradient[0] = -v / 9 - 4.5 + 0.5 * squares * Math.exp(-v);
    return -(v * v) / 18 - 4.5 * v - 0.5 * squares * Math.exp(-v);
  },
};
