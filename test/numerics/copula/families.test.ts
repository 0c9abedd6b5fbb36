/** Identities that every family, rotation and parameter keeps; no reference values. */
import { describe, expect, it } from 'vitest';
import type { PairCopula, Rotation } from '../../../packages/numerics/copula/pairCopula.ts';
import { isFamilyId, makePair, PAIR_FAMILIES, restorePair } from '../../../packages/numerics/copula/registry.ts';
import { PARAMETER_GRID } from './support/parameterGrid.ts';

const POINTS = [0.001, 0.02, 0.2, 0.45, 0.7, 0.93, 0.995];
const names = Object.keys(PAIR_FAMILIES).filter(isFamilyId);
const cases = names.flatMap((name) => PAIR_FAMILIES[name].rotations.map((rotation) => ({ name, rotation })));

function eachPoint(
  name: (typeof names)[number],
  rotation: Rotation,
  check: (pair: PairCopula, u: number, v: number) => void,
) {
  for (const parameters of PARAMETER_GRID[name]) {
    const pair = makePair(name, rotation, parameters);
    for (const u of POINTS) for (const v of POINTS) check(pair, u, v);
  }
}

/** Central difference of four points; the smaller of two steps' errors guards against a step too wide for a sharp ridge. */
function derivative(f: (x: number) => number, x: number, step: number): number {
  return (8 * (f(x + step) - f(x - step)) - (f(x + 2 * step) - f(x - 2 * step))) / (12 * step);
}

describe.each(cases)('$name turned by $rotation', ({ name, rotation }) => {
  it('has h-functions that are the derivatives of its cdf', () => {
    let worst = 0;
    eachPoint(name, rotation, (pair, u, v) => {
      // Differences of a cdf with rounding 1e-15 over 1e-5 carry 1e-10; a ridge of width 1e-3 adds its fourth power.
      const gaps = [1e-4, 1e-5].map((size) => {
        const step = size * Math.min(1, (5 * Math.min(u, v, 1 - u, 1 - v)) / 0.1 + 0.01);
        const a = Math.abs(derivative((x) => pair.cdf(x, v), u, step) - pair.h1(u, v));
        const b = Math.abs(derivative((x) => pair.cdf(u, x), v, step) - pair.h2(u, v));
        return Math.max(a, b);
      });
      worst = Math.max(worst, Math.min(...gaps));
    });
    expect(worst).toBeLessThan(1e-6);
  });

  it('has a density that is the derivative of its h-functions', () => {
    let worst = 0;
    eachPoint(name, rotation, (pair, u, v) => {
      const density = Math.exp(pair.logDensity(u, v));
      const gaps = [1e-4, 1e-6].map((size) => {
        const step = size * Math.min(v, 1 - v);
        return Math.abs(derivative((x) => pair.h1(u, x), v, step) - density) / Math.max(1, density);
      });
      worst = Math.max(worst, Math.min(...gaps));
    });
    expect(worst).toBeLessThan(1e-5);
  });

  it('inverts its h-functions to 1e-10', () => {
    let worst = 0;
    eachPoint(name, rotation, (pair, u, p) => {
      worst = Math.max(worst, Math.abs(pair.h1(u, pair.inverseH1(u, p)) - p));
      worst = Math.max(worst, Math.abs(pair.h2(pair.inverseH2(p, u), u) - p));
    });
    expect(worst).toBeLessThan(1e-10);
  });

  it('has a density that integrates to one', () => {
    // A turned density is that of 0° mirrored, which the derivatives above hold at every parameter.
    const grid = PARAMETER_GRID[name];
    for (const parameters of rotation === 0 ? grid : grid.slice(3, 6)) {
      const pair = makePair(name, rotation, parameters);
      // Conditional quantiles only place the cuts, so that a ridge of any width is met by nodes.
      const total = overSlices(CUTS, (u) => {
        const cuts = [...CUTS, ...CUTS.map((p) => pair.inverseH1(u, p))].sort((a, b) => a - b);
        return overSlices(cuts, (v) => Math.exp(pair.logDensity(u, v)));
      });
      expect(Math.abs(total - 1)).toBeLessThan(1e-6);
    }
  });

  it('has the τ of its own cdf', () => {
    for (const parameters of PARAMETER_GRID[name]) {
      const pair = makePair(name, rotation, parameters);
      // τ = 4 E C(U, V) - 1, with V drawn through the inverse of h: smooth, so a coarse midpoint rule is good to 1e-3.
      const steps = 40;
      let sum = 0;
      for (let i = 0; i < steps; i++) {
        const u = (i + 0.5) / steps;
        for (let j = 0; j < steps; j++) sum += pair.cdf(u, pair.inverseH1(u, (j + 0.5) / steps));
      }
      expect(Math.abs((4 * sum) / steps ** 2 - 1 - pair.tau()), `${parameters}`).toBeLessThan(2e-3);
    }
  });

  it('comes back from what it saves, bit by bit', () => {
    const parameters = PARAMETER_GRID[name].at(-3) ?? [];
    const pair = makePair(name, rotation, parameters);
    const again = restorePair(JSON.parse(JSON.stringify(pair.save())));
    for (const u of POINTS) expect(again.h1(u, 0.3)).toBe(pair.h1(u, 0.3));
  });

  it('is finite and within the unit interval on the edges', () => {
    for (const parameters of PARAMETER_GRID[name]) {
      const pair = makePair(name, rotation, parameters);
      for (const u of [0, 1e-300, 1e-12, 0.5, 1 - 1e-12, 1]) {
        for (const v of [0, 1e-300, 1e-12, 0.5, 1 - 1e-12, 1]) {
          const values = [pair.cdf(u, v), pair.h1(u, v), pair.h2(u, v), pair.inverseH1(u, v), pair.inverseH2(u, v)];
          for (const value of values)
            expect(value >= 0 && value <= 1, `${name} ${parameters} at ${u}, ${v}`).toBe(true);
          expect(Number.isFinite(pair.logDensity(u, v)), `density of ${name} ${parameters} at ${u}, ${v}`).toBe(true);
        }
      }
    }
  });
});

const HALF_CUTS = [0, 1e-9, 1e-7, 1e-5, 1e-4, 1e-3, 0.004, 0.015, 0.05, 0.15, 0.3];
const CUTS = [...HALF_CUTS, 0.5, ...HALF_CUTS.toReversed().map((cut) => 1 - cut)];

/** ∫ f between the first cut and the last, by Gauss in each slice. */
function overSlices(cuts: readonly number[], f: (x: number) => number): number {
  let sum = 0;
  for (let k = 0; k + 1 < cuts.length; k++) {
    const width = cuts[k + 1]! - cuts[k]!;
    if (width > 0) for (const [x, w] of GAUSS) sum += width * w * f(cuts[k]! + width * x);
  }
  return sum;
}

/** Ten Gauss–Legendre points on (0, 1). */
const GAUSS = [
  [0.14887433898163122, 0.29552422471475287],
  [0.4333953941292472, 0.26926671930999635],
  [0.6794095682990244, 0.21908636251598204],
  [0.8650633666889845, 0.1494513491505806],
  [0.9739065285171717, 0.06667134430868814],
].flatMap(([x, w]) => [[0.5 - 0.5 * x!, 0.5 * w!] as const, [0.5 + 0.5 * x!, 0.5 * w!] as const]);

describe.each(names.filter((name) => name !== 'independence'))('%s', (name) => {
  it('goes from τ to parameters and back to 1e-8', () => {
    const signs = PAIR_FAMILIES[name].rotations.length === 1 ? [-1, 1] : [1];
    const highest = Math.min(0.85, makeStrongest(name));
    for (const sign of signs) {
      for (let k = 1; k <= 10; k++) {
        const tau = (sign * highest * k) / 10;
        const parameters = PAIR_FAMILIES[name].fromTau(tau);
        expect(Math.abs(makePair(name, 0, parameters).tau() - tau), `τ ${tau}`).toBeLessThan(1e-8);
      }
    }
  });
});

const makeStrongest = (name: (typeof names)[number]): number =>
  makePair(name, 0, PAIR_FAMILIES[name].fromTau(0.999)).tau();
