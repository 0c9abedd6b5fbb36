import { describe, expect, it } from 'vitest';
import { applyDesign, takePredictors } from '../../../../packages/numerics/regression/design/applyDesign.ts';
import { namesOf } from '../../../../packages/numerics/regression/design/design.ts';
import { fitDesign, fitDesignInSteps } from '../../../../packages/numerics/regression/design/fitDesign.ts';
import { restoreDesign } from '../../../../packages/numerics/regression/design/restoreDesign.ts';
import { predictorSpec, priorsOf } from '../../../../packages/numerics/regression/planRegression.ts';
import { evidenceRidge, predictRidge } from './evidenceRidge.ts';
import { category, learn, matrixRows, mixedPredictors, normals, numeric, random } from './support.ts';

const n = 3000;
const { predictors, response } = mixedPredictors(n);
const design = learn(predictors, response);

describe('fitDesign', () => {
  it('gives the same design for the same input, and the same matrix after saving and reading back', () => {
    expect(learn(predictors, response)).toEqual(design);
    const restored = restoreDesign(JSON.parse(JSON.stringify(design)));
    expect(applyDesign(restored, predictors, n)).toEqual(applyDesign(design, predictors, n));
    expect(restored).toEqual(design);
  });

  it('lets others have their turn between predictors, before the trees, and before what is aliased is looked for', () => {
    const steps = fitDesignInSteps(predictors, { values: response, weights: null }, {}, random('design'));
    let turns = 0;
    let step = steps.next();
    for (; !step.done; step = steps.next()) turns++;
    expect(turns).toBe(predictors.length + 3);
    expect(namesOf(step.value)).toContain('tree 1 leaf 1');
  });

  it('grows no leaves from levels of fewer rows than a leaf: of hundreds of them, the order is noise', () => {
    const codes = Int32Array.from({ length: 1200 }, (_, row) => row % 300);
    const noise = normals(1200, 'noise');
    expect(
      namesOf(
        learn(
          [
            category(
              'rare',
              codes,
              Array.from({ length: 300 }, (_, code) => `${code}`),
            ),
          ],
          noise,
        ),
      ).filter((name) => name.startsWith('tree')),
    ).toEqual([]);
    const common = codes.map((code) => code % 10);
    const effects = noise.map((value, row) => value + (common[row]! < 5 ? 3 : 0));
    expect(namesOf(learn([category('common', common, [...'0123456789'])], effects))).toContain('tree 1 leaf 1');
  });

  it('names its columns, every one once, the intercept first', () => {
    const names = namesOf(design);
    expect(names[0]).toBe('intercept');
    expect(names).toEqual(
      expect.arrayContaining(['a', 'a spline 1', 'b is missing', 'city = Oslo', 'city is missing']),
    );
    expect(names).toContain('tree 1 leaf 1');
    expect(new Set(names).size).toBe(names.length);
  });

  it('shrinks splines, levels and leaves in pools of their own, and each column is in one at most', () => {
    expect(design.pools.map(({ name }) => name)).toEqual([
      'spline of a',
      'spline of b',
      'levels of city',
      'leaves of trees',
    ]);
    const pooled = design.pools.flatMap(({ columns }) => columns);
    expect(new Set(pooled).size).toBe(pooled.length);
    expect(design.pools.every(({ columns, sds }) => columns.length === sds.length)).toBe(true);
  });

  it('reports standard deviations that the matrix has', () => {
    const rows = matrixRows(design, predictors, n);
    design.columns.forEach(({ sd }, j) => {
      const mean = rows.reduce((sum, row) => sum + row[j]!, 0) / n;
      expect(Math.sqrt(rows.reduce((sum, row) => sum + (row[j]! - mean) ** 2, 0) / n)).toBeCloseTo(sd, 10);
    });
  });

  it('recovers curves and interactions: R² near what the noise allows', () => {
    const test = mixedPredictors(2 * n);
    const held = Int32Array.from({ length: n }, (_, i) => n + i);
    const y = Float64Array.from(held, (row) => test.response[row]!);
    const train = Int32Array.from({ length: n }, (_, i) => i);
    const training = takePredictors(test.predictors, train);
    const yTrain = test.response.subarray(0, n);
    const model = learn(training, yTrain);
    const fit = evidenceRidge(
      applyDesign(model, training, n),
      yTrain,
      priorsOf(model, { mean: 0, sd: 1.5 }),
      undefined,
      5,
    );
    const fitted = predictRidge(fit, applyDesign(model, takePredictors(test.predictors, held), n));
    // Noise and missing cells leave .90 at most; without splines and interactions it is below .45.
    expect(rSquared(y, fitted)).toBeGreaterThan(0.8);
  });

  it('stays within the columns asked for, and within what few rows can carry', () => {
    expect(learn(predictors, response, { maxColumns: 60 }).columns.length).toBeLessThanOrEqual(60);
    const rows = Int32Array.from({ length: 30 }, (_, i) => i);
    const few = learn(takePredictors(predictors, rows), response.slice(0, 30));
    expect(few.pools.map(({ name }) => name)).not.toContain('leaves of trees');
    expect(few.columns.length).toBeLessThan(25);
  });

  it('learns from rows in proportion to their weights', () => {
    const x = Float64Array.from({ length: 400 }, (_, i) => i);
    const weights = x.map((value) => (value < 200 ? 1 : 0));
    const weighted = fitDesign([numeric('x', x)], { values: normals(400, 'w'), weights }, {}, random('weights'));
    const part = weighted.parts[0]!;
    expect(part.kind === 'number' && part.scale!.mean * part.scale!.unit).toBeCloseTo(99.5, 0);
  });

  it('has of few rows that count no more columns than those alone would have', () => {
    // 300 rows with a claim among 20,000.
    const n = 20_000;
    const { predictors: many, response: costs } = mixedPredictors(n);
    const weights = Float64Array.from({ length: n }, (_, i) => (i % 67 === 0 ? 1 : 0));
    const rows = Int32Array.from(weights.keys()).filter((i) => weights[i]! > 0);
    const among = fitDesign(many, { values: costs, weights }, {}, random('few'));
    const values = Float64Array.from(rows, (row) => costs[row]!);
    const alone = fitDesign(takePredictors(many, rows), { values, weights: null }, {}, random('few'));
    expect(namesOf(among)).toEqual(namesOf(alone));
    expect(among.columns.length).toBeLessThan(learn(many, costs).columns.length / 2);
  });

  it('keeps the strongest of more numbers than there is room for, and says which it left out', () => {
    const many = Array.from({ length: 60 }, (_, j) => numeric(`x${j}`, normals(200, `x${j}`)));
    const target = many[59]!.kind === 'numeric' ? many[59]!.values : new Float64Array(200);
    const narrow = learn(many, target, { maxColumns: 50 });
    expect(narrow.columns.length).toBeLessThanOrEqual(50);
    expect(namesOf(narrow)).toContain('x59');
    expect(narrow.dropped.filter(({ reason }) => /there is room for 15/.test(reason))).toHaveLength(45);
  });
});

describe('applyDesign', () => {
  it('gives a missing number zero effect but its indicator, and an unseen pooled level none at all', () => {
    const row = matrixRows(
      design,
      [
        numeric('a', [Number.NaN]),
        numeric('b', [Number.NaN]),
        category('city', [0], ['Lillehammer']),
        category('side', [0], ['left']),
      ],
      1,
    )[0]!;
    const names = namesOf(design);
    const entries = names.filter((name, j) => row[j] !== 0 && !name.startsWith('tree'));
    expect(entries.filter((name) => !name.startsWith('side'))).toEqual(['intercept', 'b is missing']);
  });

  it('gives an unseen level of a category without a pool the average of its levels', () => {
    const codes = Int32Array.from({ length: 100 }, (_, i) => (i < 70 ? 0 : 1));
    const small = learn([category('side', codes, ['left', 'right'])], normals(100, 'y'));
    expect(namesOf(small)).toEqual(['intercept', 'side = right']);
    expect(matrixRows(small, [category('side', [0, 1, 2], ['right', 'left', 'up'])], 3)).toEqual([
      [1, 1],
      [1, 0],
      [1, 0.3],
    ]);
  });

  it('finds predictors by name and refuses what does not fit, saying so', () => {
    expect(() => applyDesign(design, predictors.slice(1), n)).toThrow('"a", which is not there now');
    expect(() => applyDesign(design, predictors, n - 1)).toThrow(`predictor "a" has ${n} rows, there are ${n - 1}`);
    const reversed = [...predictors].reverse();
    expect(applyDesign(design, reversed, n)).toEqual(applyDesign(design, predictors, n));
  });
});

describe('priorsOf', () => {
  it('has rstanarm’s scales for the intercept and what stands alone', () => {
    const spec = predictorSpec(design, applyDesign(design, predictors, n), { mean: 7, sd: 3 });
    const at = (name: string) => spec.priors[spec.names.indexOf(name)];
    expect(at('intercept')).toEqual({ kind: 'normal', mean: 7, sd: 7.5 });
    const indicator = design.columns[namesOf(design).indexOf('b is missing')]!;
    expect(at('b is missing')).toEqual({ kind: 'normal', mean: 0, sd: 7.5 / indicator.sd });
    expect(spec.pools[0]!.scale).toEqual({ kind: 'student_t', df: 3, mean: 0, scale: 3 });
  });

  it('stays proper where the response does not vary', () => {
    const { priors, pools } = priorsOf(design, { mean: 0, sd: 0 });
    expect(priors.every((prior) => prior.kind === 'normal' && prior.sd > 0 && Number.isFinite(prior.sd))).toBe(true);
    expect(pools.every(({ scale }) => scale.kind === 'student_t' && scale.scale === 1)).toBe(true);
  });
});

describe('restoreDesign', () => {
  it.each([
    [null, 'the saved design is null, not an object with columns'],
    [{ ...design, columns: [{ name: 'x', sd: null, perUnit: null }] }, 'columns[0].sd is null, not a finite number'],
    [{ ...design, parts: [{ kind: 'magic' }] }, 'parts[0].kind is string, not one of number, levels, leaves'],
    [{ ...design, pools: [{ name: 'p', columns: [9999], sds: [1] }] }, 'pools[0].columns[0] is number, not from 0 to'],
  ])('refuses what is not a design: case %#', (saved, message) => {
    expect(() => restoreDesign(saved)).toThrow(message);
  });
});

function rSquared(y: Float64Array, fitted: Float64Array): number {
  const mean = y.reduce((sum, value) => sum + value, 0) / y.length;
  const total = y.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return 1 - y.reduce((sum, value, i) => sum + (value - fitted[i]!) ** 2, 0) / total;
}
