import { describe, expect, it } from 'vitest';
import { lbfgs, type Objective } from '../../../packages/numerics/optimise/lbfgs.ts';

const SETTINGS = {
  iterations: 200,
  memory: 8,
  firstScale: 1,
  minCurvature: 0,
  valueTolerance: 1e-14,
  slopeTolerance: Number.NEGATIVE_INFINITY,
};

/** Rosenbrock's valley: (1 - a)² + 100 (b - a²)², least at (1, 1). */
function valley([a, b]: Float64Array, gradient: Float64Array): number {
  gradient[0] = -2 * (1 - a!) - 400 * a! * (b! - a! * a!);
  gradient[1] = 200 * (b! - a! * a!);
  return (1 - a!) ** 2 + 100 * (b! - a! * a!) ** 2;
}

describe.each(['wolfe', 'armijo'] as const)('lbfgs with %s steps', (lineSearch) => {
  const minimise = (f: Objective, start: Float64Array, settings = SETTINGS) =>
    lbfgs(f, start, { ...settings, lineSearch });

  it('follows a curved valley to its least point', () => {
    const { at } = minimise(valley, Float64Array.of(-1.2, 1), SETTINGS);
    expect(Math.max(Math.abs(at[0]! - 1), Math.abs(at[1]! - 1))).toBeLessThan(1e-5);
  });

  it('never ends above its start, however few steps it has', () => {
    for (let iterations = 0; iterations < 12; iterations++) {
      const { value } = minimise(valley, Float64Array.of(-1.2, 1), { ...SETTINGS, iterations });
      expect(value).toBeLessThanOrEqual(valley(Float64Array.of(-1.2, 1), new Float64Array(2)));
    }
  });

  it('steps back from where the function has no value', () => {
    const logBarrier = ([a]: Float64Array, gradient: Float64Array): number => {
      gradient[0] = 1 - 1 / a!;
      return a! > 0 ? a! - Math.log(a!) : Number.NaN;
    };
    expect(minimise(logBarrier, Float64Array.of(0.01), { ...SETTINGS, firstScale: 100 }).at[0]).toBeCloseTo(1, 6);
  });

  it('ends at once where the start has no value', () => {
    const nowhere = (): number => Number.NaN;
    expect(minimise(nowhere, Float64Array.of(3), SETTINGS)).toMatchObject({ iterations: 0, value: Number.NaN });
  });

  it('stops after as many steps as it may where the function has no least value', () => {
    const slope = (at: Float64Array, gradient: Float64Array): number => {
      gradient[0] = -1;
      return -at[0]!;
    };
    expect(minimise(slope, Float64Array.of(0), { ...SETTINGS, iterations: 25 }).iterations).toBe(25);
  });
});
