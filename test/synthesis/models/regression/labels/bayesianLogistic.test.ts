import { describe, expect, it } from 'vitest';
import { cholesky, solveCholesky } from '../../../../../packages/numerics/linalg/dense.ts';
import { createStream } from '../../../../../packages/numerics/random/createStream.ts';
import { applyDesign } from '../../../../../packages/numerics/regression/design/applyDesign.ts';
import { drawHalves } from '../../../../../packages/numerics/regression/design/crossFit.ts';
import { rowTimes } from '../../../../../packages/numerics/regression/designProducts.ts';
import { sampleRegression } from '../../../../../packages/numerics/regression/sampleRegression.ts';
import { sigmoid } from '../../../../../packages/numerics/special/logistic.ts';
import type { FitTask, ModelTable } from '../../../../../packages/synthesis/models/model.ts';
import { predictorsOf } from '../../../../../packages/synthesis/models/regression/fitTarget.ts';
import { bayesianLogistic } from '../../../../../packages/synthesis/models/regression/labels/bayesianLogistic.ts';
import { fitLabel } from '../../../../../packages/synthesis/models/regression/labels/fitLabel.ts';
import { meanProbabilities } from '../../../../../packages/synthesis/models/regression/labels/labelStages.ts';
import { category, cellsOf, fitTask, numeric, silent, tableOf } from '../../tables.ts';

const ROWS = 1_200;
const random = createStream(5, 'labels');
const x = Float64Array.from({ length: ROWS }, () => random.normal());
const towns = Array.from({ length: ROWS }, () => ['Ash', 'Elm', 'Oak'][random.integer(3)]!);
const TOWN: Readonly<Record<string, number>> = { Ash: 0, Elm: 0.8, Oak: -0.7 };
const eta = (row: number): number => -0.4 + 0.9 * x[row]! + TOWN[towns[row]!]!;

/** Labels asked for one after the other, each with the given probability. */
const labelled = (levels: readonly string[], shareOf: (row: number, k: number) => number): string[] =>
  Array.from({ length: ROWS }, (_, row) => {
    const k = levels.slice(0, -1).findIndex((_, at) => random.uniform() < shareOf(row, at));
    return levels.at(k)!;
  });

const tableWith = (y: readonly (string | null)[]): ModelTable =>
  tableOf(category('y', y), numeric('x', x), category('town', towns));

const taskOf = (table: ModelTable, settings: Partial<FitTask['settings']> = {}): FitTask => {
  const task = fitTask(table, ['y'], ['x', 'town']);
  return { ...task, settings: { ...task.settings, draws: 250, tune: 250, ...settings } };
};

/** Probabilities of a plain logistic regression on x and the towns, each coefficient N(0, 2.5). */
function plainProbabilities(y: readonly number[], rows: readonly number[]): (row: number) => number {
  const wide = (row: number): number[] => [1, x[row]!, towns[row] === 'Elm' ? 1 : 0, towns[row] === 'Oak' ? 1 : 0];
  const beta = newtonMode(rows.map(wide), y, [2.5, 2.5, 2.5, 2.5]);
  return (row) => sigmoid(wide(row).reduce((sum, one, j) => sum + one * beta[j]!, 0));
}

const meanGap = (a: readonly number[], b: readonly number[]): number =>
  a.reduce((sum, one, at) => sum + Math.abs(one - b[at]!) / a.length, 0);

/** Mode of the posterior of a logistic regression on the columns of `wide` (n × d), with independent normal priors, by Newton's method. */
function newtonMode(wide: readonly number[][], y: ArrayLike<number>, sds: readonly number[]): Float64Array {
  const d = sds.length;
  const beta = new Float64Array(d);
  for (let step = 0; step < 25; step++) {
    const gradient = beta.map((own, j) => -own / sds[j]! ** 2);
    const hessian = new Float64Array(d * d);
    for (let j = 0; j < d; j++) hessian[j * d + j] = 1 / sds[j]! ** 2;
    for (const [row, own] of wide.entries()) {
      const p = sigmoid(own.reduce((sum, one, j) => sum + one * beta[j]!, 0));
      for (let j = 0; j < d; j++) {
        gradient[j]! += own[j]! * (y[row]! - p);
        for (let k = 0; k < d; k++) hessian[j * d + k]! += own[j]! * own[k]! * p * (1 - p);
      }
    }
    solveCholesky(cholesky(hessian, d)!, d, gradient).forEach((by, j) => {
      beta[j]! += by;
    });
  }
  return beta;
}

describe('labels by logistic regressions', () => {
  it('have the posterior means that Newton finds on the same design under the same priors', async () => {
    const response = Float64Array.from(x, (_, row) => (random.uniform() < sigmoid(eta(row)) ? 1 : 0));
    const columns = predictorsOf(tableWith(towns), ['x', 'town']);
    const { model, coefficients } = await sampleRegression(
      { response, family: 'bernoulli', columns, draws: 500, tune: 300 },
      { random: createStream(4, 'newton'), workers: 0 },
    );
    const own = coefficients();
    // The rows of the fit are explained by the trees of the other half, as the regression drew the halves.
    const halves = drawHalves(ROWS, createStream(4, 'newton').child('design').child('halves'));
    const matrix = applyDesign(model.designs[0]!, columns, ROWS, halves);
    const units = own.map((_, j) => Float64Array.from(own, (__, k) => (j === k ? 1 : 0)));
    const wide = Array.from({ length: ROWS }, (_, row) => units.map((unit) => rowTimes(matrix, row, unit, 0)));
    const sds = own.map(({ prior }) => (prior.kind === 'normal' ? prior.sd : Number.NaN));
    const mode = newtonMode(wide, response, sds);
    // A posterior of logits is a little skew: its mean is off its mode by a fraction of its standard deviation.
    const gaps = own.map(({ mean, sd }, j) => Math.abs(mean - mode[j]!) / sd);
    expect(Math.max(...gaps)).toBeLessThan(0.25);
  });

  it('have the probabilities of a plain regression by Newton, which made them, and its chains converge', async () => {
    const y = labelled(['yes', 'no'], (row) => sigmoid(eta(row)));
    const table = tableWith(y);
    const fitted = await fitLabel(taskOf(table), 'y');
    const p = meanProbabilities(fitted.stages, predictorsOf(table, fitted.given), ROWS);
    const [first] = fitted.levels;
    const rows = [...x.keys()];
    const plain = plainProbabilities(
      rows.map((row) => (y[row] === first ? 1 : 0)),
      rows,
    );
    // Splines and leaves beside it add some twenty coefficients: of 1,200 rows, a probability then has a standard error of up to
    // √(20 / 1,200) / 2 = .06.
    expect(
      meanGap(
        rows.map((row) => p[row * 2]!),
        rows.map(plain),
      ),
    ).toBeLessThan(0.06);
    const { metrics } = fitted;
    expect([metrics.family, metrics.converged, metrics.label?.levels.map(({ level }) => level)]).toEqual([
      'bernoulli',
      true,
      fitted.levels,
    ]);
    expect(metrics.worst_r_hat).toBeLessThan(1.03);
    expect(metrics.loo?.elpd).toBeLessThan(0);
  });

  it('of an order are continuation ratios: each asked in the rows that are left', async () => {
    const y = labelled(['low', 'medium', 'high'], (row, k) => sigmoid(eta(row) + (k === 0 ? 0 : -0.5)));
    const table = tableWith(y);
    const fitted = await fitLabel(taskOf(table), 'y');
    expect(fitted.levels).toEqual(['low', 'medium', 'high']);
    expect(fitted.metrics).toMatchObject({ family: 'categorical', label: { ordered: true } });
    const p = meanProbabilities(fitted.stages, predictorsOf(table, fitted.given), ROWS);
    const rows = [...x.keys()];
    const left = rows.filter((row) => y[row] !== 'low');
    const [low, medium] = [
      plainProbabilities(
        rows.map((row) => (y[row] === 'low' ? 1 : 0)),
        rows,
      ),
      plainProbabilities(
        left.map((row) => (y[row] === 'medium' ? 1 : 0)),
        left,
      ),
    ];
    const gap = meanGap(
      rows.map((row) => p[row * 3 + 1]!),
      rows.map((row) => (1 - low(row)) * medium(row)),
    );
    expect(gap).toBeLessThan(0.06);
    expect(fitted.metrics.coefficients.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['low: intercept', 'medium: intercept']),
    );
  });

  it('without an order are asked for by falling frequency, and come as often as in the data', async () => {
    const y = labelled(['oak', 'ash', 'elm'], (_, k) => [0.2, 0.25][k]!);
    const fitted = await bayesianLogistic.fit(taskOf(tableWith(y)));
    const sample = { rows: ROWS, made: tableWith(y), random: createStream(1, 's'), onProgress: silent };
    const made = cellsOf(await fitted.sample({ ...sample, representative: true }), 'y');
    for (const level of ['oak', 'ash', 'elm']) {
      const [real, own] = [y, made].map((cells) => cells.filter((cell) => cell === level).length);
      // Raked to the shares, and stratified: what is left is the rounding within strata of 64 rows.
      expect(Math.abs(own! - real!)).toBeLessThan(0.02 * ROWS);
    }
    const { regression } = fitted.diagnostics();
    expect(regression).toMatchObject({ label: { ordered: false, levels: [{ level: 'elm' }, {}, {}] } });
  });

  it('that few rows have are neither made nor named, unless they are to be kept', async () => {
    const y = labelled(['yes', 'no'], (row) => sigmoid(eta(row)));
    y.splice(0, 3, 'rare', 'rare', 'rare');
    const fitted = await bayesianLogistic.fit(taskOf(tableWith(y)));
    expect(fitted.suppressed?.().get('y')).toEqual(['rare']);
    expect(JSON.stringify(fitted.diagnostics())).not.toContain('rare');
    const [column] = await fitted.sample({
      rows: 500,
      made: tableOf(numeric('x', x.slice(0, 500)), category('town', towns.slice(0, 500))),
      random: createStream(1, 's'),
      onProgress: silent,
    });
    expect(column).toMatchObject({ levels: expect.not.arrayContaining(['rare']) });
    const kept = await bayesianLogistic.fit(taskOf(tableWith(y), { keepRare: true, draws: 100, tune: 100 }));
    expect(JSON.stringify(kept.diagnostics())).toContain('rare');
  });

  it('are fitted to the rows that have one, and held-out rows say how well calibrated they are', async () => {
    const y = labelled(['yes', 'no'], (row) => sigmoid(eta(row))).map((label, row) => (row % 4 === 0 ? null : label));
    const fitted = await bayesianLogistic.fit(taskOf(tableWith(y)));
    expect(fitted.diagnostics().regression).toMatchObject({ rows: (3 * ROWS) / 4 });
    const fresh = tableWith(labelled(['yes', 'no'], (row) => sigmoid(eta(row))));
    const found = fitted.assess?.(fresh);
    expect(found).toMatchObject({ rows: ROWS, accuracy: expect.any(Number) });
    const { error, error_by_chance: chance } = Object(found);
    expect(error).toBeLessThan(3 * chance);
    expect(fitted.assess?.(tableOf(category('y', ['yes']), numeric('x', [0]), category('town', ['Ash'])))).toBeNull();
  });
});
