import { describe, expect, it } from 'vitest';
import { solveLower } from '../../../../packages/numerics/linalg/dense.ts';
import {
  chooseKnots,
  coordinateOf,
  fitSplineBasis,
  knotCoordinate,
  naturalBasis,
  roughnessFactor,
  splineEvaluator,
  splineSize,
} from '../../../../packages/numerics/regression/design/splineBasis.ts';
import { approximation, difference, expectNear, rounding } from '../../../support/tolerance.ts';
import { normals } from './support.ts';

const basisAt = (u: number, knots: number): Float64Array => {
  const out = new Float64Array(knots - 2);
  naturalBasis(u, knots, out);
  return out;
};

const splineAt = (basis: NonNullable<ReturnType<typeof fitSplineBasis>>, z: number): Float64Array => {
  const out = new Float64Array(splineSize(basis));
  splineEvaluator(basis)(z, out, 0);
  return out;
};

describe('naturalBasis', () => {
  it.each([3, 5, 12])('is a straight line beyond both ends of %i knots', (knots) => {
    for (const from of [-9, knots - 1]) {
      const [left, middle, right] = [from, from + 4, from + 8].map((u) => basisAt(u, knots));
      left!.forEach((value, j) => {
        expect((value + right![j]!) / 2).toBeCloseTo(middle![j]!, 9);
      });
    }
  });

  it.each([3, 6, 12])('has the roughness that integrating second differences gives, on %i knots', (knots) => {
    const m = knots - 2;
    const factor = roughnessFactor(knots);
    const h = 1e-3;
    const sums = new Float64Array(m * m);
    for (let u = h / 2; u < knots - 1; u += h) {
      const [before, at, after] = [u - h, u, u + h].map((place) => basisAt(place, knots));
      const curvature = at!.map((value, j) => (before![j]! - 2 * value + after![j]!) / (h * h));
      for (let i = 0; i < m; i++) for (let j = 0; j < m; j++) sums[i * m + j]! += curvature[i]! * curvature[j]! * h;
    }
    for (let i = 0; i < m; i++) {
      for (let j = 0; j < m; j++) {
        let product = 0;
        for (let k = 0; k < m; k++) product += factor[i * m + k]! * factor[j * m + k]!;
        // Midpoints of steps of 1e-3, and rounding of differences over 1e-6.
        expectNear(sums[i * m + j]!, product, approximation(1e-5 * (1 + Math.abs(product))));
      }
    }
  });
});

describe('knotCoordinate', () => {
  const coordinate = knotCoordinate(Float64Array.from([-2, -1.9, 0, 0.001, 3, 40]));

  it('is j at knot j, and rises everywhere', () => {
    coordinate.knots.forEach((knot, j) => {
      expect(coordinateOf(coordinate, knot)).toBeCloseTo(j, 12);
    });
    let before = Number.NEGATIVE_INFINITY;
    for (let z = -5; z < 50; z += 0.003) {
      const u = coordinateOf(coordinate, z);
      expect(u).toBeGreaterThan(before);
      before = u;
    }
  });

  it('has no kink: its slopes left and right of a knot agree', () => {
    for (const knot of coordinate.knots) {
      const h = 1e-8;
      const left = (coordinateOf(coordinate, knot) - coordinateOf(coordinate, knot - h)) / h;
      const right = (coordinateOf(coordinate, knot + h) - coordinateOf(coordinate, knot)) / h;
      // Second derivatives reach 1e6 where knots are 0.001 apart: 1e-8 further on the slope differs by 1e-2.
      expectNear(left, right, difference(0.05 * Math.max(1, left)));
    }
  });
});

describe('chooseKnots', () => {
  it('takes every distinct value where there are few', () => {
    expect([...chooseKnots(Float64Array.from([1, 1, 1, 2, 5, 5]), 8)]).toEqual([1, 2, 5]);
  });

  it('puts no two knots on a heap, and most of them where the other values are', () => {
    const sorted = Float64Array.from({ length: 2000 }, (_, i) => (i < 1800 ? 0 : i - 1799)).sort();
    const knots = chooseKnots(sorted, 10);
    expect(new Set(knots).size).toBe(knots.length);
    expect(knots.length).toBeGreaterThanOrEqual(6);
    expect([knots[0], knots[knots.length - 1]]).toEqual([0, 200]);
  });

  it('keeps knots apart where values differ by rounding only', () => {
    const sorted = Float64Array.from({ length: 500 }, (_, i) => (i < 250 ? 1 + i * 1e-14 : 2)).sort();
    expect([...chooseKnots(sorted, 10)]).toEqual([1, 2]);
  });
});

describe('fitSplineBasis', () => {
  const z = normals(800, 'basis');
  const basis = fitSplineBasis(z, 9)!;
  const columns = Array.from(z, (value) => splineAt(basis, value));

  it('is orthogonal to the constant and to the straight line, with variances that sum to 1', () => {
    let variance = 0;
    for (let k = 0; k < splineSize(basis); k++) {
      const mean = columns.reduce((sum, row) => sum + row[k]!, 0) / z.length;
      const slope = columns.reduce((sum, row, i) => sum + row[k]! * z[i]!, 0) / z.length;
      expectNear(mean, 0, rounding(1e-12));
      expectNear(slope, 0, rounding(1e-12));
      variance += columns.reduce((sum, row) => sum + row[k]! ** 2, 0) / z.length;
    }
    expect(variance).toBeCloseTo(1, 12);
  });

  it('makes equal coefficients equally rough: the sum of their squares is the roughness', () => {
    const knots = basis.knots.length;
    const m = splineSize(basis);
    const beta = normals(m, 'beta');
    const factor = roughnessFactor(knots);
    // f = Σ_k β_k (L⁻¹ d)_k / norm = Σ_j c_j d_j with c = L⁻ᵀ β / norm, so cᵀ S c = |β|² / norm².
    const c = Float64Array.from({ length: m }, (_, j) => {
      const unit = new Float64Array(m);
      unit[j] = 1;
      return solveLower(factor, m, unit).reduce((sum, value, k) => sum + value * beta[k]!, 0) / basis.norm;
    });
    const value = (at: number) => splineAt(basis, at).reduce((sum, entry, k) => sum + entry * beta[k]!, 0);
    const rest = (at: number) =>
      value(at) - basisAt(coordinateOf(basis, at), knots).reduce((sum, entry, j) => sum + entry * c[j]!, 0);
    // What is left is a straight line in z.
    expect((rest(-1) + rest(1)) / 2).toBeCloseTo(rest(0), 9);
    let roughness = 0;
    for (let i = 0; i < m; i++) {
      const row = Array.from({ length: m }, (_, k) => factor[k * m + i]!);
      roughness += row.reduce((sum, entry, k) => sum + entry * c[k]!, 0) ** 2;
    }
    expect(roughness).toBeCloseTo(beta.reduce((sum, b) => sum + b * b, 0) / basis.norm ** 2, 6);
  });

  it('goes on as a straight line beyond the values that it was fitted to', () => {
    const [left, middle, right] = [10, 20, 30].map((at) => splineAt(basis, at));
    left!.forEach((value, k) => {
      expect((value + right![k]!) / 2).toBeCloseTo(middle![k]!, 6);
    });
  });

  it('is not there for two distinct values', () => {
    expect(fitSplineBasis(Float64Array.from([-1, 1, 1, -1]), 9)).toBeUndefined();
  });
});
