/** How well a design predicts held-out rows of a table, under the stand-in for the posterior. */
import { createStream } from '../../../../packages/numerics/random/createStream.ts';
import { applyDesign, takePredictors } from '../../../../packages/numerics/regression/design/applyDesign.ts';
import type { Predictor } from '../../../../packages/numerics/regression/design/design.ts';
import { fitDesign } from '../../../../packages/numerics/regression/design/fitDesign.ts';
import { applyScaleGroups, fitGroups } from '../../../../packages/numerics/regression/design/scaleGroups.ts';
import { priorsOf } from '../../../../packages/numerics/regression/planRegression.ts';
import { normalCdf } from '../../../../packages/numerics/special/normal.ts';
import { evidenceRidge, meanVariances, predictRidge } from './evidenceRidge.ts';

export interface HeldOut {
  trainRows: number;
  testRows: number;
  columns: number;
  entriesPerRow: number;
  /** Of the predictive mean, on the response's own scale. */
  r2: number;
  /** Share of held-out responses in the central 90 %, each end randomised where the response is heaped. */
  coverage: number;
  groups: number;
  /** Parameters that the data determine. */
  determined: number;
}

export interface Trial {
  predictors: readonly Predictor[];
  response: Float64Array;
  /** The scale that is modelled. */
  scale: 'identity' | 'log';
  /** Half the step of the response's grid; 0 where it has none. A cell's interval is randomised over it. */
  halfStep: number;
  seed: number;
  iterations: number;
}

/** Four rows in five learn, the others are predicted; rows without a response are left out. */
export function tryHeldOut({ predictors, response, scale, halfStep, seed, iterations }: Trial): HeldOut {
  const random = createStream(seed, 'held out');
  const working = scale === 'log' ? response.map(Math.log) : response;
  const known = Int32Array.from(response.keys()).filter((row) => Number.isFinite(working[row]));
  for (let i = known.length - 1; i > 0; i--) {
    const j = random.integer(i + 1);
    [known[i], known[j]] = [known[j]!, known[i]!];
  }
  const cut = Math.floor(0.8 * known.length);
  const [train, test] = [known.subarray(0, cut), known.subarray(cut)];
  const y = Float64Array.from(train, (row) => working[row]!);
  const training = takePredictors(predictors, train);
  const held = takePredictors(predictors, test);
  const design = fitDesign(training, { values: y, weights: null }, {}, random.child('design'));
  const x = applyDesign(design, training, train.length);
  const xHeld = applyDesign(design, held, test.length);
  const priors = priorsOf(design, momentsOf(y));
  const first = evidenceRidge(x, y, priors, undefined, iterations);
  const fitted = predictRidge(first, x);
  const residuals = y.map((value, i) => value - fitted[i]!);
  const withMean = (rows: readonly Predictor[], values: Float64Array): Predictor[] => [
    ...rows,
    { kind: 'numeric', name: 'fitted mean', values },
  ];
  const groups = fitGroups(residuals, withMean(training, fitted), {}, random.child('scale'));
  const codes = applyScaleGroups(groups, withMean(training, fitted), train.length);
  const fit = groups.groups > 1 ? evidenceRidge(x, y, priors, codes, iterations) : first;
  const codesHeld = applyScaleGroups(groups, withMean(held, predictRidge(first, xHeld)), test.length);
  const means = predictRidge(fit, xHeld);
  const ownVariances = meanVariances(fit, xHeld);
  const sds = means.map((_, i) => Math.sqrt(fit.variances[codesHeld[i]!]! + ownVariances[i]!));
  const expected = scale === 'log' ? means.map((mean, i) => Math.exp(mean + sds[i]! ** 2 / 2)) : means;
  const inside = means.filter((mean, i) => {
    const at = (value: number) => normalCdf(((scale === 'log' ? Math.log(value) : value) - mean) / sds[i]!);
    const value = response[test[i]!]!;
    const [low, high] = [at(value - halfStep), at(value + halfStep)];
    const u = low + random.uniform() * (high - low);
    return u > 0.05 && u < 0.95;
  });
  return {
    trainRows: train.length,
    testRows: test.length,
    columns: x.cols,
    entriesPerRow: x.values.length / x.rows,
    r2: rSquared(
      Float64Array.from(test, (row) => response[row]!),
      expected,
    ),
    coverage: inside.length / test.length,
    groups: groups.groups,
    determined: fit.determined,
  };
}

function momentsOf(values: Float64Array): { mean: number; sd: number } {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return { mean, sd: Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length) };
}

function rSquared(y: Float64Array, fitted: Float64Array): number {
  const { mean } = momentsOf(y);
  const total = y.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return 1 - y.reduce((sum, value, i) => sum + (value - fitted[i]!) ** 2, 0) / total;
}
