import { describe, expect, it } from 'vitest';
import { applyDesign } from '../../../../packages/numerics/regression/design/applyDesign.ts';
import type { Design, PairPart } from '../../../../packages/numerics/regression/design/design.ts';
import {
  PAIR_SDS,
  PAIR_WAVES,
  rankInput,
  rankShare,
  wavesOf,
} from '../../../../packages/numerics/regression/design/pairFunctions.ts';
import { restoreDesign } from '../../../../packages/numerics/regression/design/restoreDesign.ts';
import { linearPredictors } from '../../../../packages/numerics/regression/predict.ts';
import { sampleRegression } from '../../../../packages/numerics/regression/sampleRegression.ts';
import { category, learn, normals, numeric, random, rowsOf } from './support.ts';

const n = 300;
const names = ['a', 'b', 'c', 'd'];
const columnsOf = (rows: number, kind: string) => names.map((name) => numeric(name, normals(rows, `${kind}/${name}`)));
const predictors = columnsOf(n, 'pairs');
const [a, b, c] = names.map((name) => normals(n, `pairs/${name}`));
const noise = normals(n, 'pairs/noise');
const product = noise.map((value, row) => 2 * a![row]! * b![row]! + value);
const design = learn(predictors, product);
const partsOf = ({ parts }: Design): PairPart[] => parts.filter((part): part is PairPart => part.kind === 'pairs');
const pairNames = (own: Design): string[] =>
  partsOf(own).flatMap(({ inputs, pairs }) =>
    pairs.map(({ first, second }) => `${inputs[first]!.name} ${inputs[second]!.name}`),
  );

describe('waves of a number', () => {
  it('are orthonormal over rows of distinct values, whatever their distribution', () => {
    for (const values of [normals(4_000, 'waves'), normals(4_000, 'skew').map((value) => Math.exp(3 * value))]) {
      const waves = wavesOf(rankInput({ kind: 'numeric', name: 'x', values })!, values);
      waves.forEach((one, i) => {
        expect(Math.abs(one.reduce((sum, value) => sum + value / 4_000, 0))).toBeLessThan(0.03);
        waves.forEach((other, j) => {
          const product = one.reduce((sum, value, row) => sum + (value * other[row]!) / 4_000, 0);
          expect(Math.abs(product - (i === j ? 1 : 0))).toBeLessThan(0.05);
        });
      });
    }
  });

  it('rise evenly with rank: a tie is in the middle of its own, and what lies beyond the rows is at an end', () => {
    const cuts = [0, 0, 0, 1, 3];
    expect([-5, 0, 0.5, 1, 2, 3, 9].map((value) => rankShare(cuts, value))).toEqual([
      0, 0.25, 0.625, 0.75, 0.875, 1, 1,
    ]);
    expect(rankShare([-Number.MAX_VALUE, Number.MAX_VALUE], 0)).toBe(0.5);
  });

  it('are 0 in a missing cell, and there are none of a constant', () => {
    const values = Float64Array.of(1, Number.NaN, 2, Number.POSITIVE_INFINITY);
    const waves = wavesOf(rankInput({ kind: 'numeric', name: 'x', values })!, values);
    for (const wave of waves) expect([wave[1], wave[3]]).toEqual([0, 0]);
    expect(rankInput({ kind: 'numeric', name: 'x', values: Float64Array.of(4, 4, Number.NaN) })).toBeUndefined();
  });

  it('are a pair with as many columns as prior deviations, whose squares sum to 1', () => {
    expect(PAIR_SDS).toHaveLength(PAIR_WAVES.length);
    expect(PAIR_SDS.reduce((sum, sd) => sum + sd ** 2, 0)).toBeCloseTo(1, 12);
  });
});

describe('pairs of numbers', () => {
  it('enter as products of their waves, in one pool', () => {
    expect(pairNames(design)).toContain('a b');
    const [part] = partsOf(design);
    const rows = rowsOf(applyDesign(design, predictors, n));
    const waves = part!.inputs.map((input, k) => wavesOf(input, normals(n, `pairs/${names[k]}`)));
    for (const { first, second, places } of part!.pairs) {
      PAIR_WAVES.forEach(([j, k], at) => {
        for (let row = 0; row < n; row += 17) {
          expect(rows[row]![places[at]!]).toBe(waves[first]![j - 1]![row]! * waves[second]![k - 1]![row]!);
        }
      });
    }
    const pool = design.pools.find(({ name }) => name === 'pairs of numbers')!;
    expect(pool.columns).toEqual(part!.pairs.flatMap(({ places }) => places));
  });

  it('enter for a product, a step or a wave, and seldom for main effects or noise', () => {
    const step = noise.map((value, row) => value + (a![row]! > 0 === b![row]! > 0 ? 1 : -1));
    const slant = noise.map((value, row) => value + 1.4 * Math.sin(a![row]! + c![row]!));
    for (const response of [step, slant]) expect(pairNames(learn(predictors, response)).length).toBeGreaterThan(0);
    const entered = (effect: number): number =>
      Array.from({ length: 40 }, (_, table) => {
        const own = columnsOf(n, `${table}`);
        const x = normals(n, `${table}/a`);
        const response = normals(n, `${table}/noise`).map((value, row) => value + effect * (x[row]! + x[row]! ** 2));
        return Math.min(1, pairNames(learn(own, response)).length);
      }).reduce((sum, one) => sum + one, 0);
    // About one table in six, by the limit.
    expect(entered(0)).toBeLessThan(14);
    expect(entered(1)).toBeLessThan(14);
  });

  it('are those that say most if there is not room for all, and none beside many rows or for levels', () => {
    const wide = [...predictors, ...columnsOf(n, 'others').map((own) => ({ ...own, name: `${own.name}2` }))];
    const own = pairNames(learn(wide, product));
    expect(own).toContain('a b');
    expect(own.length).toBeLessThan(28);
    expect(partsOf(learn(predictors, product, { pairRows: n - 1 }))).toEqual([]);
    const codes = Int32Array.from({ length: n }, (_, row) => row % 3);
    expect(partsOf(learn([predictors[0]!, category('k', codes, ['x', 'y', 'z'])], product))).toEqual([]);
  });

  it('are the same again, and are read back to the last bit', () => {
    const saved = JSON.stringify(design);
    expect(JSON.stringify(learn(predictors, product))).toBe(saved);
    const restored = restoreDesign(JSON.parse(saved));
    expect(restored).toEqual(design);
    expect(applyDesign(restored, predictors, n)).toEqual(applyDesign(design, predictors, n));
    const broken = JSON.parse(saved);
    broken.parts.find((part: { kind: string }) => part.kind === 'pairs').pairs[0].places.pop();
    expect(() => restoreDesign(broken)).toThrow(RangeError);
  });

  it('put what pairs say into intervals of the mean', async () => {
    let covered = 0;
    const tables = 4;
    for (let table = 0; table < tables; table++) {
      const meanOf = (kind: string): Float64Array => {
        const [x, y] = ['a', 'b'].map((name) => normals(n, `${table}/${kind}/${name}`));
        return x!.map((value, row) => value * y![row]!);
      };
      const { model, scale } = await sampleRegression(
        {
          response: meanOf('fitted').map((value, row) => value + normals(n, `${table}/response`)[row]!),
          family: 'gaussian',
          columns: columnsOf(n, `${table}/fitted`),
          draws: 100,
          tune: 100,
        },
        { random: random(`${table}`), workers: 0 },
      );
      const fill = linearPredictors(model, columnsOf(n, `${table}/new`), n);
      const eta = new Float64Array(model.designs.length);
      meanOf('new').forEach((real, row) => {
        const drawn = new Float64Array(model.draws.length / model.width).map((_, at) => {
          fill(row, at * model.width, eta);
          return scale.offset + scale.factor * eta[0]!;
        });
        drawn.sort();
        const at = (share: number): number => drawn[Math.floor(share * drawn.length)]!;
        if (at(0.05) <= real && real <= at(0.95)) covered += 1 / n / tables;
      });
    }
    // Slopes, splines and a dozen leaves cover about half.
    expect(covered).toBeGreaterThan(0.84);
    expect(covered).toBeLessThan(0.97);
  });
});
