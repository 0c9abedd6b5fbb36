import { describe, expect, it } from 'vitest';
import { restoreScaleGroups } from '../../../../packages/numerics/regression/design/restoreDesign.ts';
import {
  applyScaleGroups,
  fitGroups,
  scalePredictor,
} from '../../../../packages/numerics/regression/design/scaleGroups.ts';
import { normals, numeric, random, rowsOf } from './support.ts';

const n = 4000;
const x = normals(n, 'x');
const noise = normals(n, 'noise');
const predictors = [numeric('x', x), numeric('z', normals(n, 'z'))];
const groupsOf = (residuals: Float64Array) => fitGroups(residuals, predictors, {}, random('groups'));

describe('fitGroups', () => {
  const fanning = noise.map((value, i) => value * Math.exp(x[i]!));
  const groups = groupsOf(fanning);
  const codes = applyScaleGroups(groups, predictors, n);

  it('finds groups where residuals fan out: standardised by them, rows of every region have the same scale', () => {
    expect(groups.groups).toBeGreaterThanOrEqual(4);
    const sums = new Float64Array(groups.groups);
    const counts = new Float64Array(groups.groups);
    codes.forEach((group, row) => {
      sums[group]! += fanning[row]! ** 2;
      counts[group]!++;
    });
    const spreadOf = (keep: (value: number) => boolean) => {
      const rows = Array.from(codes.keys()).filter((row) => keep(x[row]!));
      const squares = rows.map((row) => (fanning[row]! ** 2 * counts[codes[row]!]!) / sums[codes[row]!]!);
      return Math.sqrt(squares.reduce((sum, square) => sum + square, 0) / rows.length);
    };
    for (const spread of [spreadOf((v) => v < -0.7), spreadOf((v) => Math.abs(v) <= 0.7), spreadOf((v) => v > 0.7)]) {
      expect(Math.abs(spread - 1)).toBeLessThan(0.1);
    }
    expect(Math.min(...counts)).toBeGreaterThanOrEqual(n / 40);
  });

  it('finds one group where nothing tells, and where there is nothing to tell', () => {
    expect(groupsOf(noise).groups).toBe(1);
    expect(groupsOf(new Float64Array(n)).groups).toBe(1);
    expect(fitGroups(new Float64Array(0), [], {}, random('none')).groups).toBe(1);
  });

  it('is the same after saving and reading back', () => {
    const restored = restoreScaleGroups(JSON.parse(JSON.stringify(groups)));
    expect(applyScaleGroups(restored, predictors, n)).toEqual(codes);
  });

  it('makes a one-hot predictor of log scales', () => {
    const spec = scalePredictor(Int32Array.from([1, 0, 2]), 3, Math.E);
    expect(rowsOf(spec.design)).toEqual([
      [0, 1, 0],
      [1, 0, 0],
      [0, 0, 1],
    ]);
    expect(spec.priors[0]).toEqual({ kind: 'normal', mean: 1, sd: 2.5 });
  });
});
