/**
 * Shrinkage scales by empirical Bayes: each pool's scale τ is put where its density is highest once all else is integrated
 * out (by Laplace), and held there. What is left is close to normal, so that chains mix in a few gradients a draw; with τ
 * among the coordinates the funnel between it and its coefficients cost a hundred times as many.
 */
import { familyOf } from '../../../numerics/distributions/families.ts';
import type { Link, ResponseName } from '../../../numerics/distributions/family.ts';
import { openPosterior } from '../../../numerics/regression/createPosterior.ts';
import { findModeInSteps } from '../../../numerics/regression/findMode.ts';
import { prepareInSteps } from '../../../numerics/regression/prepareRegression.ts';
import type { Matrix, PredictorSpec, Prior, RegressionSpec } from '../../../numerics/regression/spec.ts';
import { inSteps } from '../shared/inSteps.ts';
import { onLink } from './linearPredictors.ts';

/** A scale below this share of its prior's own is as good as none, and would only cost digits. */
const LEAST_SCALE = 1e-4;

export interface FixedPools {
  /** Without pools. */
  spec: RegressionSpec;
  /** Near the mode of `spec`, in its posterior's coordinates: coefficients of each design, constants on their links. */
  start: Float64Array;
}

/** Rows that tell the scales, at most, where each evaluation reads all rows: scales are of columns, not of rows. */
const MOST_ROWS = 8_000;

/** Throws what `breathe` throws. */
export async function fixPools(spec: RegressionSpec, breathe: () => Promise<void>): Promise<FixedPools> {
  const read = bySums(spec.family) ? spec : everyNth(spec, Math.ceil(spec.y.length / MOST_ROWS));
  const posterior = openPosterior(await inSteps(prepareInSteps(read), breathe));
  const { position } = await inSteps(findModeInSteps(posterior), breathe);
  const theta = posterior.constrain(position);
  let at = posterior.dimension - posterior.scales;
  const predictors = spec.predictors.map((predictor): PredictorSpec => {
    if (predictor.kind === 'constant' || predictor.pools.length === 0) return predictor;
    const priors = [...predictor.priors];
    for (const { columns, sds, scale } of predictor.pools) {
      const tau = Math.max(theta[at++]!, LEAST_SCALE * scaleOf(scale));
      columns.forEach((column, j) => {
        priors[column] = { kind: 'normal', mean: 0, sd: tau * sds[j]! };
      });
    }
    return { ...predictor, priors, pools: [] };
  });
  return { spec: { ...spec, predictors }, start: onLinks(spec, theta) };
}

const scaleOf = (prior: Prior): number => {
  if (prior.kind === 'student_t' || prior.kind === 'cauchy') return prior.scale;
  return prior.kind === 'normal' ? prior.sd : 1;
};

/** Families whose rows are summed up once. */
export const bySums = (family: ResponseName): boolean => family === 'gaussian' || family === 'lognormal';

function everyNth(spec: RegressionSpec, stride: number): RegressionSpec {
  if (stride <= 1) return spec;
  const rows = Int32Array.from({ length: Math.floor(spec.y.length / stride) }, (_, i) => i * stride);
  return {
    ...spec,
    y: Float64Array.from(rows, (row) => spec.y[row]!),
    weights: spec.weights && Float64Array.from(rows, (row) => spec.weights![row]!),
    predictors: spec.predictors.map((own) =>
      own.kind === 'linear' ? { ...own, design: takeRows(own.design, rows) } : own,
    ),
  };
}

function takeRows(matrix: Matrix, rows: Int32Array): Matrix {
  const { cols } = matrix;
  if (matrix.kind === 'dense') {
    const values = new Float64Array(rows.length * cols);
    rows.forEach((row, i) => {
      values.set(matrix.values.subarray(row * cols, (row + 1) * cols), i * cols);
    });
    return { ...matrix, rows: rows.length, values };
  }
  const offsets = new Int32Array(rows.length + 1);
  rows.forEach((row, i) => {
    offsets[i + 1] = offsets[i]! + matrix.offsets[row + 1]! - matrix.offsets[row]!;
  });
  const at = new Int32Array(offsets[rows.length]!);
  const values = new Float64Array(at.length);
  rows.forEach((row, i) => {
    at.set(matrix.at.subarray(matrix.offsets[row]!, matrix.offsets[row + 1]!), offsets[i]!);
    values.set(matrix.values.subarray(matrix.offsets[row]!, matrix.offsets[row + 1]!), offsets[i]!);
  });
  return { ...matrix, rows: rows.length, offsets, at, values };
}

function onLinks({ family, predictors }: RegressionSpec, theta: Float64Array): Float64Array {
  const { parameters } = familyOf(family);
  const links = predictors.flatMap((own, k): Link[] =>
    own.kind === 'linear' ? new Array<Link>(own.design.cols).fill('identity') : [parameters[k]!.link],
  );
  return Float64Array.from(links, (link, i) => onLink(link, theta[i]!));
}
