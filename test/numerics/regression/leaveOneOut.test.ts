import { beforeAll, describe, expect, test } from 'vitest';
import { familyOf } from '../../../packages/numerics/distributions/families.ts';
import { gaussian } from '../../../packages/numerics/distributions/gaussian.ts';
import { cholesky, solveCholesky } from '../../../packages/numerics/linalg/dense.ts';
import { solveLowerTransposedInPlace } from '../../../packages/numerics/mcmc/whiten.ts';
import { createStream } from '../../../packages/numerics/random/createStream.ts';
import type { Predictor } from '../../../packages/numerics/regression/design/design.ts';
import { leaveOneOut, smoothedLoo } from '../../../packages/numerics/regression/leaveOneOut.ts';
import { linearPredictors } from '../../../packages/numerics/regression/predict.ts';
import { paretoSmooth } from '../../../packages/numerics/regression/sampleLaplace.ts';
import { type SampledRegression, sampleRegression } from '../../../packages/numerics/regression/sampleRegression.ts';
import { expectNear, withinStandardErrors } from '../../support/tolerance.ts';

describe('leave-one-out by smoothed weights', () => {
  test('is the exact one of a gaussian regression with known scale', () => {
    const [n, p, sigma, tau, draws] = [40, 3, 0.7, 2, 8000];
    const random = createStream(3, 'exact');
    const x = Array.from({ length: n }, () => [1, random.normal(), random.normal()]);
    const y = x.map(([, a, b]) => 1 + a! - 0.5 * b! + sigma * random.normal());
    // The posterior is normal: precision X'X / σ² + I / τ².
    const precision = new Float64Array(p * p);
    for (let i = 0; i < p; i++)
      for (let j = 0; j < p; j++)
        precision[i * p + j] =
          x.reduce((sum, row) => sum + (row[i]! * row[j]!) / sigma ** 2, 0) + (i === j ? 1 / tau ** 2 : 0);
    const factor = cholesky(precision, p)!;
    const right = Float64Array.from({ length: p }, (_, j) =>
      x.reduce((sum, row, i) => sum + (row[j]! * y[i]!) / sigma ** 2, 0),
    );
    const mean = solveCholesky(factor, p, right);
    const betas = Array.from({ length: draws }, () => {
      const z = Float64Array.from({ length: p }, () => random.normal());
      solveLowerTransposedInPlace(factor, p, z);
      return z.map((value, j) => value + mean[j]!);
    });
    x.forEach((row, i) => {
      const at = (beta: Float64Array) => row.reduce((sum, value, j) => sum + value * beta[j]!, 0);
      const log = Float64Array.from(betas, (beta) =>
        gaussian.logDensity(y[i]!, Float64Array.of(at(beta), Math.log(sigma))),
      );
      const leverage = at(solveCholesky(factor, p, Float64Array.from(row))) / sigma ** 2;
      const exact = gaussian.logDensity(
        (y[i]! - at(mean)) / (1 - leverage),
        Float64Array.of(0, Math.log(sigma) - Math.log(1 - leverage) / 2),
      );
      const { elpd, shape } = smoothedLoo(log);
      // Monte Carlo: weights of a spread of about √h leave an error near √(h / draws), at most 0.01 here.
      expectNear(elpd, exact, withinStandardErrors(3, 0.01));
      expect(shape).toBeLessThan(0.7);
    });
  });
});

describe('leave-one-out of a sampled regression', () => {
  const n = 160;
  const noise = createStream(5, 'loo');
  const x = Float64Array.from({ length: n }, () => noise.normal());
  const columns: Predictor[] = [
    { kind: 'numeric', name: 'x', values: x },
    { kind: 'category', name: 'level', codes: Int32Array.from(x.keys(), (row) => row % 4), levels: [...'abcd'] },
  ];
  const y = x.map((value) => (noise.uniform() < 0.3 ? 0 : Math.exp(value / 2) * noise.gamma(2)));
  const run = () => ({ random: createStream(1, 'run'), workers: 0 });
  const shape = { columns, draws: 150, tune: 150 };
  let sampled: SampledRegression;
  const task = (response = y) => ({
    model: sampled.model,
    predictors: columns,
    y: response,
    factor: 1,
    random: createStream(2, 'rows'),
    yieldToEventLoop: async () => undefined,
  });
  beforeAll(async () => {
    sampled = await sampleRegression({ response: y, family: 'hurdle_gamma', ...shape }, run());
  });

  test('is that of a slow reference, row by row', async () => {
    const { model } = sampled;
    const family = familyOf(model.family);
    const fill = linearPredictors(model, columns, n);
    let [elpd, lpd, square] = [0, 0, 0];
    for (let row = 0; row < n; row++) {
      const densities = Float64Array.from({ length: model.draws.length / model.width }, (_, s) => {
        const eta = new Float64Array(family.parameters.length);
        fill(row, s * model.width, eta);
        return Math.exp(family.logDensity(y[row]!, eta));
      });
      const { logWeights } = paretoSmooth(densities.map((density) => Math.log(1 / density)));
      const weights = logWeights.map(Math.exp);
      const total = weights.reduce((sum, weight) => sum + weight, 0);
      const own = Math.log(densities.reduce((sum, density, s) => sum + (density * weights[s]!) / total, 0));
      elpd += own;
      square += own * own;
      lpd += Math.log(densities.reduce((sum, density) => sum + density / densities.length, 0));
    }
    const loo = (await leaveOneOut(task()))!;
    expect(loo.rows).toBe(n);
    expect(loo.elpd).toBeCloseTo(elpd, 8);
    expect(loo.parameters).toBeCloseTo(lpd - elpd, 8);
    expect(loo.se).toBeCloseTo(Math.sqrt((n * (square - (elpd * elpd) / n)) / (n - 1)), 8);
    expect(loo.badShapes).toBeLessThan(n / 20);
  });

  test('of some rows is that of all, within its standard error, which is hardly larger', async () => {
    const whole = (await leaveOneOut(task()))!;
    const part = (await leaveOneOut(task(), 60))!;
    expect(part.rows).toBe(60);
    // The difference estimator leaves what the weights change alone to chance: a fraction of the spread among rows.
    expectNear(part.elpd, whole.elpd, withinStandardErrors(0.5, whole.se));
    expect(part.se / whole.se).toBeGreaterThan(0.5);
    expect(part.se / whole.se).toBeLessThan(1.5);
  });

  test('is in units of the response: a thousandfold one loses log 1000 a row, and nothing where it is an atom', async () => {
    const response = x.map((value) => value + noise.normal());
    const looIn = async (factor: number) =>
      (
        await sampleRegression(
          { response: response.map((value) => factor * value), family: 'gaussian', ...shape },
          run(),
        )
      ).loo!;
    const [one, thousand] = [await looIn(1), await looIn(1000)];
    // 1000 is no power of two: the units of both fits differ by rounding alone, which chains carry far.
    expect((one.elpd - thousand.elpd) / n).toBeCloseTo(Math.log(1000), 1);
    const [plain, percent] = [(await leaveOneOut(task()))!, (await leaveOneOut({ ...task(), factor: 100 }))!];
    const above = y.filter((value) => value > 0).length;
    expect(plain.elpd - percent.elpd).toBeCloseTo(above * Math.log(100), 8);
  });

  test('prefers the family that the numbers are of', async () => {
    const response = x.map((value) => Math.exp(1 + value / 2 + 0.8 * noise.normal()));
    const elpdOf = async (family: 'lognormal' | 'gaussian') =>
      (await sampleRegression({ response, family, ...shape }, run())).loo!;
    const [own, other] = [await elpdOf('lognormal'), await elpdOf('gaussian')];
    expect(own.elpd).toBeGreaterThan(other.elpd + 2 * Math.hypot(own.se, other.se));
  });

  test('comes with diagnostics of every parameter, of which the worst are those of the whole', () => {
    const { parameters, worstRHat, leastBulkEss, leastTailEss } = sampled.diagnostics;
    expect(parameters.map(({ name }) => name)).toEqual(sampled.names);
    expect(Math.max(...parameters.map(({ rHat }) => rHat))).toBe(worstRHat);
    expect(Math.min(...parameters.map(({ bulkEss }) => bulkEss))).toBe(leastBulkEss);
    expect(Math.min(...parameters.map(({ tailEss }) => tailEss))).toBe(leastTailEss);
    const [first] = sampled.coefficients(1);
    expect(first).toMatchObject(parameters[0]!);
  });
});
