import { describe, expect, test } from 'vitest';
import { findStart, initialStepSize, NoStartError } from '../../../packages/numerics/mcmc/chain.ts';
import { createPoint, leapfrog } from '../../../packages/numerics/mcmc/hamiltonian.ts';
import { createDualAveraging, MetricEstimate, RunningMoments } from '../../../packages/numerics/mcmc/warmUp.ts';
import { createStream } from '../../../packages/numerics/random/createStream.ts';
import { standardNormal } from './densities.ts';

describe('dual averaging', () => {
  /** Acceptance that falls from 1 to 0 as the step grows; 0.8 at log 1.25 / rate. */
  const accept = (step: number): number => Math.exp(-step);

  test.each([0.6, 0.8, 0.95])('finds the step with acceptance %d', (target) => {
    const steps = createDualAveraging(target, 1, Number.POSITIVE_INFINITY);
    for (let i = 0; i < 2000; i++) steps.adapt(accept(steps.step()));
    // its steps still move by t^-3/4 of the last shortfall
    expect(accept(steps.settled())).toBeCloseTo(target, 2);
  });

  test('never passes the longest step, and leaves it as soon as that is too long', () => {
    const steps = createDualAveraging(0.8, 1, 2);
    for (let i = 0; i < 500; i++) {
      steps.adapt(1);
      expect(steps.step()).toBeLessThanOrEqual(2 * (1 + 1e-12));
    }
    expect(steps.settled()).toBeCloseTo(2, 6);
    for (let i = 0; i < 20; i++) steps.adapt(0);
    expect(steps.step()).toBeLessThan(1);
  });
});

describe('the first step', () => {
  const density = standardNormal(20);
  const metric = { centre: new Float64Array(20), variance: new Float64Array(20).fill(1e-4) };
  const point = createPoint(20);
  point.position.fill(1);
  point.logDensity = density.evaluate(point.position, point.gradient);

  test('does not depend on the guess by more than its factor of two', () => {
    const at = (guess: number): number =>
      initialStepSize(density, metric, leapfrog, point, createStream(1, 'first'), {
        target: 0.8,
        guess,
        longest: Number.POSITIVE_INFINITY,
      });
    const steps = [1e-4, 1, 1e4].map(at);
    expect(Math.max(...steps) / Math.min(...steps)).toBeLessThan(4);
  });

  test('is not above the longest', () => {
    const random = createStream(1, 'first');
    expect(initialStepSize(density, metric, leapfrog, point, random, { target: 0.8, guess: 1, longest: 1.2 })).toBe(
      1.2,
    );
  });
});

describe('a start', () => {
  test('is looked for nearer and nearer, where the density is finite only there', () => {
    const narrow = {
      dimension: 4,
      evaluate: (x: Float64Array, gradient: Float64Array): number => {
        gradient.fill(0);
        return x.every((value) => Math.abs(value - 7) < 0.1) ? 0 : Number.NEGATIVE_INFINITY;
      },
    };
    const point = createPoint(4);
    findStart(narrow, new Float64Array(4).fill(7), createStream(2, 'start'), point);
    expect(point.logDensity).toBe(0);
  });

  test('is refused after a hundred tries, in words', () => {
    const nowhere = { dimension: 1, evaluate: () => Number.NaN };
    const find = () => findStart(nowhere, new Float64Array(1), createStream(2, 'start'), createPoint(1));
    expect(find).toThrow(NoStartError);
    expect(find).toThrow('not finite at any of 100 starts');
  });

  test('needs a finite gradient too', () => {
    const steep = {
      dimension: 1,
      evaluate: (_: Float64Array, gradient: Float64Array): number => {
        gradient[0] = Number.POSITIVE_INFINITY;
        return 0;
      },
    };
    expect(() => findStart(steep, new Float64Array(1), createStream(2, 'start'), createPoint(1))).toThrow(NoStartError);
  });
});

test('running moments are those of the two-pass formulas', () => {
  const stream = createStream(4, 'moments');
  const rows = Array.from({ length: 50 }, () => Float64Array.of(1e6 + stream.normal(), stream.uniform()));
  const moments = new RunningMoments(2);
  for (const row of rows) moments.add(row);
  for (const i of [0, 1]) {
    const mean = rows.reduce((sum, row) => sum + row[i]!, 0) / 50;
    const variance = rows.reduce((sum, row) => sum + (row[i]! - mean) ** 2, 0) / 49;
    expect(moments.mean[i]).toBeCloseTo(mean, 8);
    expect(moments.variance(i)).toBeCloseTo(variance, 8);
  }
});

test('a metric estimated from draws and gradients is that of a normal target, exactly but for its prior', () => {
  const stream = createStream(5, 'metric');
  const sds = [0.01, 3, 500];
  const estimate = new MetricEstimate(3);
  const point = createPoint(3);
  for (let i = 0; i < 1000; i++) {
    sds.forEach((sd, k) => {
      point.position[k] = 4 + sd * stream.normal();
      point.gradient[k] = -(point.position[k]! - 4) / sd ** 2;
    });
    estimate.add(point);
  }
  const prior = { centre: new Float64Array(3).fill(4), variance: new Float64Array(3).fill(1) };
  const metric = { centre: new Float64Array(3), variance: new Float64Array(3) };
  estimate.write(metric, prior);
  // Draws and gradients of a normal are in proportion: no Monte Carlo error is left, only the prior's share of 5 in 1005.
  sds.forEach((sd, k) => {
    expect(Math.log(metric.variance[k]!)).toBeCloseTo((1000 / 1005) * Math.log(sd ** 2), 9);
    expect(metric.centre[k]).toBeCloseTo(4, 9);
  });
});
