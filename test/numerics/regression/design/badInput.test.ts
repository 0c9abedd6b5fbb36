import { describe, expect, it } from 'vitest';
import { applyDesign } from '../../../../packages/numerics/regression/design/applyDesign.ts';
import { namesOf, type Predictor } from '../../../../packages/numerics/regression/design/design.ts';
import { priorsOf } from '../../../../packages/numerics/regression/planRegression.ts';
import { evidenceRidge, predictRidge } from './evidenceRidge.ts';
import { category, learn, matrixRows, mixedPredictors, normals, numeric, random } from './support.ts';

const n = 500;
const y = normals(n, 'response');

const allFinite = (predictors: readonly Predictor[], response: Float64Array) =>
  matrixRows(learn(predictors, response), predictors, response.length).flat().every(Number.isFinite);

const reasonOf = (predictors: readonly Predictor[], response: Float64Array, name: string) =>
  learn(predictors, response).dropped.find((column) => column.name === name)?.reason;

describe('a design of bad input', () => {
  it('is an intercept where there are no predictors, one row, or no row', () => {
    expect(namesOf(learn([], y))).toEqual(['intercept']);
    expect(matrixRows(learn([], y), [], 2)).toEqual([[1], [1]]);
    const one = mixedPredictors(1);
    expect(namesOf(learn(one.predictors, one.response))).toEqual(['intercept']);
    const none = mixedPredictors(0);
    expect(JSON.stringify(learn(none.predictors, none.response).columns)).toBe(
      '[{"name":"intercept","perUnit":null,"sd":0}]',
    );
  });

  it('has no trees where the target is constant, and still its main effects', () => {
    const { predictors } = mixedPredictors(2000);
    const constant = learn(predictors, new Float64Array(2000).fill(7));
    expect(constant.pools.map(({ name }) => name)).toEqual(['spline of a', 'spline of b', 'levels of city']);
  });

  it('is well posed with fewer rows than columns', () => {
    const wide = Array.from({ length: 80 }, (_, j) => numeric(`x${j}`, normals(20, `wide${j}`)));
    const target = y.slice(0, 20);
    const design = learn(wide, target);
    expect(design.columns.length).toBeLessThanOrEqual(80);
    const fit = evidenceRidge(
      applyDesign(design, wide, 20),
      target,
      priorsOf(design, { mean: 0, sd: 1 }),
      undefined,
      0,
    );
    expect(fit.coefficients.every(Number.isFinite)).toBe(true);
  });

  it('explains a target that is one of its predictors, however heavy its tails', () => {
    const heavy = y.map((value) => Math.exp(2 * value));
    const predictors = [numeric('copy', heavy), numeric('other', normals(n, 'other'))];
    const design = learn(predictors, heavy);
    const x = applyDesign(design, predictors, n);
    const fitted = predictRidge(evidenceRidge(x, heavy, priorsOf(design, { mean: 0, sd: 10 }), undefined, 6), x);
    const mean = heavy.reduce((sum, value) => sum + value, 0) / n;
    const rest = heavy.reduce((sum, value, i) => sum + (value - fitted[i]!) ** 2, 0);
    expect(rest / heavy.reduce((sum, value) => sum + (value - mean) ** 2, 0)).toBeLessThan(1e-6);
  });

  it('has 500 levels, rare ones in one effect, within its columns', () => {
    const stream = random('levels');
    const levels = Array.from({ length: 500 }, (_, i) => `level ${i}`);
    const codes = Int32Array.from({ length: 5000 }, () => Math.floor(500 * stream.uniform() ** 3));
    const predictors = [category('many', codes, levels)];
    const design = learn(predictors, normals(5000, 'many'));
    expect(design.columns.length).toBeLessThanOrEqual(700);
    expect(namesOf(design)).toContain('many is a rare level');
    expect(matrixRows(design, predictors, 5000).every((row) => row.some((value, j) => j > 0 && value !== 0))).toBe(
      true,
    );
  });

  it('drops a predictor whose every cell is missing or equal, and says so', () => {
    const empty = numeric('empty', new Float64Array(n).fill(Number.NaN));
    const blank = category('blank', new Int32Array(n).fill(-1), ['a']);
    const same = numeric('same', new Float64Array(n).fill(1e300));
    for (const name of ['empty', 'blank']) expect(reasonOf([empty, blank], y, name)).toBe('every cell is missing');
    expect(reasonOf([same], y, 'same')).toBe('all its values are equal');
  });

  it.each([1e300, 1e-300, 1.7e308, 5e-324])('stays finite with values around %d', (size) => {
    const values = y.map((value) => Math.max(-1, Math.min(1, value / 3)) * size);
    expect(allFinite([numeric('x', values)], y)).toBe(true);
    expect(namesOf(learn([numeric('x', values)], y))).toContain('x');
  });

  it('is not blinded by one absurd cell: the other rows keep their splines', () => {
    const values = Float64Array.from(normals(n, 'sane'));
    values[17] = 1e300;
    const predictors = [
      numeric('x', values),
      numeric(
        'tiny',
        values.map((value) => value * 1e-300),
      ),
    ];
    expect(allFinite(predictors, y)).toBe(true);
    const target = values.map((value) => Math.sin(2 * Math.min(value, 3)));
    const design = learn(predictors.slice(0, 1), target);
    const x = applyDesign(design, predictors, n);
    const fitted = predictRidge(evidenceRidge(x, target, priorsOf(design, { mean: 0, sd: 0.7 }), undefined, 8), x);
    const rest = target.reduce((sum, value, i) => sum + (value - fitted[i]!) ** 2, 0);
    expect(rest).toBeLessThan(0.2 * target.reduce((sum, value) => sum + value * value, 0));
  });

  it('drops the second of two equal columns, its spline too, and one of three of which two give the third', () => {
    const a = normals(n, 'a');
    const b = normals(n, 'b');
    const twice = learn([numeric('a', a), numeric('again', a)], y);
    expect(namesOf(twice).filter((name) => name.startsWith('again'))).toEqual([]);
    expect(twice.dropped.find(({ name }) => name === 'again')?.reason).toBe('other columns determine it');
    expect(twice.dropped.find(({ name }) => name === 'again spline 1')?.reason).toBe('it is equal to a spline 1');
    const three = learn(
      [
        numeric('a', a),
        numeric('b', b),
        numeric(
          'sum',
          a.map((value, i) => value + b[i]!),
        ),
      ],
      y,
    );
    expect(three.dropped.filter(({ name }) => !name.startsWith('tree'))).toHaveLength(1);
    const codes = Int32Array.from({ length: n }, (_, i) => i % 5);
    const levels = ['p', 'q', 'r', 's', 't'];
    const categories = learn([category('one', codes, levels), category('two', codes, levels)], y);
    expect(categories.pools.map(({ name }) => name)).toEqual(['levels of one']);
  });

  it('refuses a response that is not finite, unequal lengths and names that come twice', () => {
    const broken = Float64Array.from(y);
    broken[3] = Number.NaN;
    expect(() => learn([], broken)).toThrow('the response of row 3 is NaN, not a finite number');
    expect(() => learn([numeric('x', [1, 2])], y)).toThrow(`predictor "x" has 2 rows, there are ${n}`);
    expect(() => learn([numeric('x', y), numeric('x', y)], y)).toThrow(
      'two predictors are named "x": rename one of them',
    );
  });
});
