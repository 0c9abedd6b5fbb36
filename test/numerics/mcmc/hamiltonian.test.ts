import { describe, expect, test } from 'vitest';
import {
  copyPoint,
  createPoint,
  energyOf,
  type LogDensity,
  leapfrog,
  type Metric,
  type PhasePoint,
  rotation,
} from '../../../packages/numerics/mcmc/hamiltonian.ts';
import { createStream } from '../../../packages/numerics/random/createStream.ts';
import { banana, standardNormal } from './densities.ts';

const integrators = [
  ['leapfrog', leapfrog],
  ['rotation', rotation],
] as const;
const metric: Metric = { centre: Float64Array.of(0.3, -0.2), variance: Float64Array.of(0.7, 1.9) };

function pointAt(density: LogDensity, q: readonly number[], p: readonly number[]): PhasePoint {
  const point = createPoint(density.dimension);
  point.position.set(q);
  point.momentum.set(p);
  point.logDensity = density.evaluate(point.position, point.gradient);
  return point;
}

const start = (): PhasePoint => pointAt(banana, [0.4, -0.3], [0.5, 0.8]);

describe.each(integrators)('%s', (_, integrator) => {
  test('goes back the way it came', () => {
    const point = start();
    for (let i = 0; i < 20; i++) integrator(banana, metric, point, 0.05);
    for (let i = 0; i < 20; i++) integrator(banana, metric, point, -0.05);
    const first = start();
    for (const part of ['position', 'momentum'] as const) {
      // 40 steps of rounding, each about 1e-16
      point[part].forEach((x, i) => {
        expect(x).toBeCloseTo(first[part][i]!, 12);
      });
    }
  });

  test('preserves volume: the determinant of its Jacobian is 1', () => {
    const h = 1e-5;
    const moved = (axis: number, by: number): number[] => {
      const at = [0.4, -0.3, 0.5, 0.8];
      at[axis]! += by;
      const point = pointAt(banana, at.slice(0, 2), at.slice(2));
      integrator(banana, metric, point, 0.2);
      return [...point.position, ...point.momentum];
    };
    const jacobian = [0, 1, 2, 3].map((axis) => {
      const below = moved(axis, -h);
      return moved(axis, h).map((x, i) => (x - below[i]!) / (2 * h));
    });
    // central differences: h² / 6 of third derivatives of order 10
    expect(determinant(jacobian)).toBeCloseTo(1, 7);
  });

  test('has an energy error of second order in its step', () => {
    const error = (step: number): number => {
      const point = start();
      const before = energyOf(metric, point);
      let after = before;
      for (let i = 0; i < Math.round(1 / step); i++) after = integrator(banana, metric, point, step);
      return Math.abs(after - before);
    };
    const ratio = error(0.01) / error(0.005);
    expect(ratio).toBeGreaterThan(3.8);
    expect(ratio).toBeLessThan(4.2);
  });

  test('returns the energy of the point that it leaves, whose gradient is up to date', () => {
    const point = start();
    const energy = integrator(banana, metric, point, 0.1);
    const again = pointAt(banana, [...point.position], [...point.momentum]);
    expect(energy).toBeCloseTo(energyOf(metric, point), 13);
    expect(again.gradient).toEqual(point.gradient);
    expect(again.logDensity).toBe(point.logDensity);
  });
});

test('rotation follows the flow of its own normal exactly, however long the step', () => {
  const density = standardNormal(2);
  const unit: Metric = { centre: new Float64Array(2), variance: Float64Array.of(1, 1) };
  const point = pointAt(density, [1, -0.5], [0.3, 2]);
  const energy = rotation(density, unit, point, 1.3);
  expect(energy).toBeCloseTo(energyOf(unit, pointAt(density, [1, -0.5], [0.3, 2])), 13);
  expect(point.position[0]).toBeCloseTo(Math.cos(1.3) + 0.3 * Math.sin(1.3), 13);
});

test('a copied point is equal and shares nothing', () => {
  const stream = createStream(1, 'copy');
  const from = pointAt(banana, [stream.normal(), 1], [2, 3]);
  const to = createPoint(2);
  copyPoint(from, to);
  expect(to).toEqual(from);
  from.position[0] = 9;
  expect(to.position[0]).not.toBe(9);
});

function determinant(rows: number[][]): number {
  if (rows.length === 1) return rows[0]![0]!;
  return rows.reduce((sum, row, i) => {
    const minor = rows.filter((_, k) => k !== i).map((r) => r.slice(1));
    return sum + (i % 2 === 0 ? 1 : -1) * row[0]! * determinant(minor);
  }, 0);
}
