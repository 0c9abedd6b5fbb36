import { describe, expect, test } from 'vitest';
import type { FamilyName } from '../../../packages/numerics/distributions/families.ts';
import { createStream } from '../../../packages/numerics/random/createStream.ts';
import type { Predictor } from '../../../packages/numerics/regression/design/design.ts';
import { openLikelihood } from '../../../packages/numerics/regression/openLikelihood.ts';
import { prepareRegression } from '../../../packages/numerics/regression/prepareRegression.ts';
import { type RegressionProblem, sampleRegression } from '../../../packages/numerics/regression/sampleRegression.ts';
import type { RegressionSpec } from '../../../packages/numerics/regression/spec.ts';

const random = createStream(6, 'bad input');
const normals = (n: number): Float64Array => Float64Array.from({ length: n }, () => random.normal());
const numeric = (values: Float64Array, name = 'x'): Predictor => ({ kind: 'numeric', name, values });
const levelled = (n: number, levels: number): Predictor => ({
  kind: 'category',
  name: 'level',
  codes: Int32Array.from({ length: n }, (_, i) => i % levels),
  levels: Array.from({ length: levels }, (_, k) => `level ${k}`),
});
const sampled = (
  family: FamilyName,
  response: Float64Array,
  columns: Predictor[],
  own: Partial<RegressionProblem> = {},
) =>
  sampleRegression(
    { family, response, columns, draws: 100, tune: 100, ...own },
    { random: createStream(1, 'run'), workers: 0 },
  );

const x = normals(60);
const [least, largest] = [Number.MIN_VALUE, 1 - 2 ** -53];

describe('a regression of what is hardly one', () => {
  test.each<[string, FamilyName, Float64Array, Predictor[]]>([
    ['a column that is the target', 'gaussian', x, [numeric(x)]],
    ['10,000 levels', 'poisson', x.map((v) => Math.floor(Math.exp(v))), [levelled(60, 10_000)]],
    ['one row a level', 'student_t', x, [levelled(60, 60)]],
    ['targets that are all equal', 'gamma', new Float64Array(60).fill(2), [numeric(x)]],
    ['shares at both ends of the support', 'beta', x.map((v) => (v > 0 ? largest : least)), [numeric(x)]],
    [
      '12 rows and 300 columns',
      'student_t',
      normals(12),
      Array.from({ length: 300 }, (_, k) => numeric(normals(12), `x${k}`)),
    ],
    ['separation', 'bernoulli', x.map((v) => (v > 0 ? 1 : 0)), [numeric(x)]],
  ])('has finite draws: %s', async (_, family, response, columns) => {
    const { draws, names, diagnostics } = await sampled(family, response, columns);
    expect(draws.map((chain) => chain.length)).toEqual(new Array(4).fill(100 * names.length));
    for (const chain of draws) expect(chain.every(Number.isFinite)).toBe(true);
    expect(diagnostics.method).toBe('chains');
  });

  test('has the one draw that is asked for, and does not call it converged', async () => {
    const { draws, names, diagnostics } = await sampled(
      'gaussian',
      x.map((v, i) => v + Math.sin(i)),
      [numeric(x)],
      { draws: 1 },
    );
    expect(draws.map((chain) => chain.length)).toEqual(new Array(4).fill(names.length));
    expect(diagnostics.converged).toBe(false);
  });

  test('has 100,000 draws of each chain where so many are asked for, of chains', async () => {
    const { draws, names, diagnostics } = await sampled('gaussian', normals(12), [], { draws: 100_000 });
    expect(draws[0]!.length).toBe(100_000 * names.length);
    expect(diagnostics).toMatchObject({ method: 'chains', converged: true });
  });

  test('does not see rows of weight 0', () => {
    const spec = (rows: number): RegressionSpec => ({
      family: 'gamma',
      y: x.slice(0, rows).map(Math.exp),
      weights: Float64Array.from({ length: rows }, (_, i) => (i < 40 ? 1 : 0)),
      predictors: [
        {
          kind: 'linear',
          parameter: 'mu',
          design: { kind: 'dense', rows, cols: 1, values: new Float64Array(rows).fill(1) },
          names: ['intercept'],
          priors: [{ kind: 'normal', mean: 0, sd: 1 }],
          pools: [],
        },
        { kind: 'constant', parameter: 'shape', prior: { kind: 'exponential', rate: 1 } },
      ],
    });
    const at = (rows: number) =>
      openLikelihood(prepareRegression(spec(rows)).data).evaluate(Float64Array.of(0.2, 0.3), new Float64Array(2));
    expect(at(60)).toBeCloseTo(at(40), 10);
  });
});
