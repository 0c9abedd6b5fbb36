import { describe, expect, test } from 'vitest';
import { leapfrog, type Metric, rotation } from '../../../packages/numerics/mcmc/hamiltonian.ts';
import { hasNoUTurn, Nuts, type Span } from '../../../packages/numerics/mcmc/nuts.ts';
import { createStream } from '../../../packages/numerics/random/createStream.ts';
import { banana, correlatedNormal, funnel, standardNormal } from './densities.ts';
import { plainTransition } from './plainNuts.ts';

const span = (sum: number[], first: number[], last: number[]): Span => ({
  sum: Float64Array.from(sum),
  first: Float64Array.from(first),
  last: Float64Array.from(last),
});
const unit = Float64Array.of(1, 1);

describe('a U-turn', () => {
  test('is none where all momenta point one way, and the sum is that of both halves', () => {
    const sum = new Float64Array(2);
    expect(hasNoUTurn(unit, span([2, 0], [1, 0], [1, 0.1]), span([2, 1], [1, 0.2], [1, 0.3]), sum)).toBe(true);
    expect([...sum]).toEqual([4, 1]);
  });

  test('is seen at either end of the whole', () => {
    const turned = span([-3, 0], [-1, 0], [-1, 0]);
    const straight = span([1, 0], [1, 0], [1, 0]);
    expect(hasNoUTurn(unit, straight, turned, new Float64Array(2))).toBe(false);
    expect(hasNoUTurn(unit, turned, straight, new Float64Array(2))).toBe(false);
  });

  test('is seen across the seam where the whole does not show it', () => {
    // On the way back between the halves, though both ends and the sum agree.
    const left = span([5, 0], [1, 0], [1, 0]);
    const right = span([5, 0], [-1, 0], [1, 0]);
    expect(hasNoUTurn(unit, left, right, new Float64Array(2))).toBe(false);
    expect(hasNoUTurn(unit, span([5, 0], [1, 0], [-1, 0]), left, new Float64Array(2))).toBe(false);
  });

  test('is measured with the inverse metric', () => {
    const left = span([1, -3], [1, -3], [1, -3]);
    const right = span([1, 2], [1, 2], [1, 2]);
    expect(hasNoUTurn(unit, left, right, new Float64Array(2))).toBe(false);
    expect(hasNoUTurn(Float64Array.of(5, 1), left, right, new Float64Array(2))).toBe(true);
  });
});

describe('a transition', () => {
  const frameOf = (dimension: number): Metric => ({
    centre: new Float64Array(dimension).fill(0.1),
    variance: Float64Array.from({ length: dimension }, (_, i) => 0.6 + 0.3 * i),
  });

  test.each([
    ['a normal', standardNormal(3), 0.4, leapfrog],
    ['a normal, by rotation', standardNormal(3), 1.1, rotation],
    ['a correlated normal', correlatedNormal, 0.3, leapfrog],
    ['a banana', banana, 0.25, leapfrog],
    ['a banana, by rotation', banana, 0.2, rotation],
    ['a funnel that it diverges in', funnel, 0.9, leapfrog],
  ] as const)('is that of the plain recursion, draw by draw, on %s', (_, density, step, integrator) => {
    const metric = frameOf(density.dimension);
    const fast = createStream(3, 'nuts');
    const slow = createStream(3, 'nuts');
    const nuts = new Nuts({ density, metric, integrator, maxDepth: 6 });
    nuts.current.position.fill(0.5);
    nuts.current.logDensity = density.evaluate(nuts.current.position, nuts.current.gradient);
    let point = structuredClone(nuts.current);
    const depths = new Set<number>();
    let divergences = 0;
    for (let i = 0; i < 150; i++) {
      const outcome = nuts.transition(step, fast);
      const plain = plainTransition(density, metric, integrator, point, step, slow, 6);
      point = plain.point;
      expect(outcome).toMatchObject({ depth: plain.depth, diverging: plain.diverging });
      expect(nuts.current.position).toEqual(point.position);
      depths.add(outcome.depth);
      divergences += outcome.diverging ? 1 : 0;
    }
    expect(depths.size).toBeGreaterThan(1);
    if (density === funnel) expect(divergences).toBeGreaterThan(0);
  });

  test('stops at the greatest depth, and counts 2^depth - 1 gradients there', () => {
    const density = standardNormal(2);
    const nuts = new Nuts({ density, metric: frameOf(2), integrator: leapfrog, maxDepth: 4 });
    nuts.current.position.set([1, 1]);
    nuts.current.logDensity = density.evaluate(nuts.current.position, nuts.current.gradient);
    expect(nuts.transition(1e-3, createStream(1, 'deep'))).toMatchObject({ depth: 4, leapfrogs: 15, diverging: false });
  });

  test('stays where it is and says so where the density has no value beyond', () => {
    const wall = {
      dimension: 1,
      evaluate: (x: Float64Array, gradient: Float64Array): number => {
        gradient[0] = 0;
        return x[0] === 0 ? 0 : Number.NaN;
      },
    };
    const metric = { centre: new Float64Array(1), variance: Float64Array.of(1) };
    const nuts = new Nuts({ density: wall, metric, integrator: leapfrog, maxDepth: 5 });
    nuts.current.logDensity = 0;
    const outcome = nuts.transition(1, createStream(1, 'wall'));
    expect(outcome).toMatchObject({ diverging: true, depth: 0, leapfrogs: 1, acceptance: 0 });
    expect(nuts.current.position[0]).toBe(0);
  });
});
