/** Residual scales by leaves of a small tree, so that a Gaussian likelihood keeps one XᵀX per group. */

import type { FamilyName } from '../../distributions/families.ts';
import { mean } from '../../moments.ts';
import type { RandomStream } from '../../random/stream.ts';
import { takeNumbers } from '../../rows.ts';
import { applyLeaves, type BoostedTrees, fitBoostedTrees } from '../../trees/boostedTrees.ts';
import { rowTimes } from '../designProducts.ts';
import type { Matrix, PredictorSpec, SparseMatrix } from '../spec.ts';
import { EXACT, locationResponse, momentsOf } from '../workingResponse.ts';
import { applyDesign, featureTable, requirePredictors, takePredictors } from './applyDesign.ts';
import type { Design, Predictor, TreeFeature } from './design.ts';
import { featuresOf } from './draftParts.ts';
import { trainingRows } from './fitDesign.ts';

/** Plain JSON. */
export interface ScaleGroups {
  groups: number;
  features: TreeFeature[];
  /** Null for one group. */
  tree: BoostedTrees | null;
}

interface ScaleOptions {
  maxGroups: number;
  /** Minimum rows per group, besides a fortieth of all. */
  minRows: number;
  trainingRows: number;
}

const SCALE_DEFAULTS: Readonly<ScaleOptions> = { maxGroups: 16, minRows: 50, trainingRows: 50_000 };

/** Smaller relative squares are floored. */
const FLOOR = 1e-3;

/**
 * Selects 1, 2, 4, … maxGroups groups by cross-validation. @param residuals n. @param predictors may include the fitted
 * mean.
 */
export function fitGroups(
  residuals: Float64Array,
  predictors: readonly Predictor[],
  options: Partial<ScaleOptions>,
  random: RandomStream,
): ScaleGroups {
  const chosen = { ...SCALE_DEFAULTS, ...options };
  requirePredictors(predictors, residuals.length);
  const rows = trainingRows(residuals.length, null, chosen.trainingRows, random);
  const sample: Sample = {
    residuals: takeNumbers(residuals, rows),
    predictors: takePredictors(predictors, rows),
  };
  const minRows = Math.max(chosen.minRows, Math.floor(rows.length / 40));
  const even = takeSample(sample, (row) => row % 2 === 0);
  const odd = takeSample(sample, (row) => row % 2 === 1);
  let best = oneGroup(predictors);
  let bestScore = crossScore(even, odd, 1, minRows);
  for (let most = 2; most <= chosen.maxGroups && rows.length >= 4 * minRows; most *= 2) {
    const score = crossScore(even, odd, most, minRows);
    if (!(score > bestScore)) continue;
    bestScore = score;
    best = grow(sample, most, minRows);
  }
  return best;
}

/** Returns 0 … groups - 1 (n). Throws a RangeError for other predictors. */
export function applyScaleGroups(
  { tree, features }: ScaleGroups,
  predictors: readonly Predictor[],
  n: number,
): Int32Array {
  requirePredictors(predictors, n);
  return tree ? applyLeaves(tree, featureTable(features, predictors, n))[0]! : new Int32Array(n);
}

/** One-hot log scales, log σ_g ~ N(log sd, 2.5). @param codes n groups. */
export function scalePredictor(
  codes: Int32Array,
  groups: number,
  sd: number,
  parameter = 'sigma',
): Extract<PredictorSpec, { kind: 'linear' }> {
  const n = codes.length;
  const design: SparseMatrix = {
    kind: 'sparse',
    rows: n,
    cols: groups,
    offsets: Int32Array.from({ length: n + 1 }, (_, row) => row),
    at: codes,
    values: new Float64Array(n).fill(1),
  };
  const mean = sd > 0 && Number.isFinite(sd) ? Math.log(sd) : 0;
  const names = Array.from({ length: groups }, (_, g) => (groups === 1 ? parameter : `${parameter} of group ${g + 1}`));
  return {
    kind: 'linear',
    parameter,
    design,
    names,
    priors: names.map(() => ({ kind: 'normal', mean, sd: 2.5 })),
    pools: [],
  };
}

interface Sample {
  residuals: Float64Array;
  predictors: Predictor[];
}

const oneGroup = (predictors: readonly Predictor[]): ScaleGroups => ({
  groups: 1,
  features: featuresOf(predictors),
  tree: null,
});

function takeSample({ residuals, predictors }: Sample, keep: (row: number) => boolean): Sample {
  const rows = Int32Array.from(residuals.keys()).filter(keep);
  return { residuals: takeNumbers(residuals, rows), predictors: takePredictors(predictors, rows) };
}

function grow({ residuals, predictors }: Sample, maxLeaves: number, minLeafRows: number): ScaleGroups {
  const features = featuresOf(predictors);
  const squares = scaledSquares(residuals);
  const table = featureTable(features, predictors, residuals.length);
  const target = squares.map((square) => Math.log(square + FLOOR));
  const tree = fitBoostedTrees(table, target, { iterations: 1, learningRate: 1, maxLeaves, minLeafRows });
  const groups = tree.trees[0]?.leaves ?? 1;
  return groups < 2 ? oneGroup(predictors) : { groups, features, tree };
}

function scaledSquares(residuals: Float64Array): Float64Array {
  const largest = residuals.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  if (largest === 0) return new Float64Array(residuals.length);
  const squares = residuals.map((value) => (value / largest) ** 2);
  const level = mean(squares);
  return squares.map((value) => value / level);
}

function crossScore(a: Sample, b: Sample, maxGroups: number, minRows: number): number {
  return score(a, b, maxGroups, minRows) + score(b, a, maxGroups, minRows);
}

function score(training: Sample, held: Sample, maxGroups: number, minRows: number): number {
  if (training.residuals.length === 0 || held.residuals.length === 0) return Number.NEGATIVE_INFINITY;
  const groups = maxGroups === 1 ? oneGroup(training.predictors) : grow(training, maxGroups, Math.ceil(minRows / 2));
  const squaresOf = scaledSquares(Float64Array.from([...training.residuals, ...held.residuals]));
  const size = training.residuals.length;
  const counts = new Float64Array(groups.groups);
  const variances = new Float64Array(groups.groups);
  applyScaleGroups(groups, training.predictors, size).forEach((group, row) => {
    counts[group]!++;
    variances[group]! += squaresOf[row]!;
  });
  for (let g = 0; g < variances.length; g++) variances[g] = (variances[g]! + FLOOR) / Math.max(1, counts[g]!);
  return applyScaleGroups(groups, held.predictors, held.residuals.length).reduce(
    (sum, group, row) => sum - Math.log(variances[group]!) / 2 - squaresOf[size + row]! / variances[group]! / 2,
    0,
  );
}

// Scales are σ_i = σ f_g with fixed f and sampled σ. As precision weights, they leave one XᵀWX.

export interface FittedScale {
  groups: ScaleGroups;
  /** log f by group. */
  logFactors: Float64Array;
  /** Location coefficients, for fitted means. */
  location: Float64Array;
  meanName: string;
}

/** Constant groups retain some noise. */
const MIN_FACTOR = 1e-3;

interface FirstFit {
  family: FamilyName;
  y: Float64Array;
  design: Design;
  location: Float64Array;
  halves: Uint8Array;
}

/** Returns null if one scale suffices or the fit is exact. */
export function fitScaleGroups(
  { family, y, design, location, halves }: FirstFit,
  predictors: readonly Predictor[],
  random: RandomStream,
): { scale: FittedScale; weights: Float64Array } | null {
  const mean = fittedMeans(applyDesign(design, predictors, y.length), location, y.length);
  const fitted = fittedMeans(applyDesign(design, predictors, y.length, halves), location, y.length);
  const response = locationResponse(family, y);
  const residuals = response.values.map((value, row) => value - fitted[row]!);
  // Residuals of an exact fit are rounding errors.
  const least = EXACT * momentsOf(response).sd;
  if (!residuals.every(Number.isFinite) || residuals.every((residual) => Math.abs(residual) < least)) return null;
  const meanName = freeName(predictors);
  const queried = [...predictors, { kind: 'numeric' as const, name: meanName, values: mean }];
  const groups = fitGroups(residuals, queried, {}, random);
  if (groups.groups < 2) return null;
  const codes = applyScaleGroups(groups, queried, y.length);
  const factors = relativeScales(residuals, codes, groups.groups);
  return {
    scale: { groups, logFactors: factors.map(Math.log), location, meanName },
    weights: Float64Array.from(codes, (group) => 1 / factors[group]! ** 2),
  };
}

/** Weights 1 / f² have mean 1. */
function relativeScales(residuals: Float64Array, codes: Int32Array, groups: number): Float64Array {
  const rows = new Float64Array(groups);
  const squares = new Float64Array(groups);
  codes.forEach((group, row) => {
    rows[group]!++;
    squares[group]! += residuals[row]! ** 2;
  });
  const scales = squares.map((square, group) => Math.sqrt(square / Math.max(1, rows[group]!)));
  const least = MIN_FACTOR * scales.reduce((most, scale) => Math.max(most, scale), Number.MIN_VALUE);
  const floored = scales.map((scale) => Math.max(scale, least));
  const meanWeight = floored.reduce((sum, scale, group) => sum + rows[group]! / scale ** 2, 0) / residuals.length;
  return floored.map((scale) => scale * Math.sqrt(meanWeight));
}

/** log f (n). `design`: location. */
export function logFactorsOf(
  scale: FittedScale,
  design: Matrix,
  predictors: readonly Predictor[],
  n: number,
): Float64Array {
  const values = fittedMeans(design, scale.location, n);
  const queried = [...predictors, { kind: 'numeric' as const, name: scale.meanName, values }];
  return Float64Array.from(applyScaleGroups(scale.groups, queried, n), (group) => scale.logFactors[group]!);
}

const fittedMeans = (design: Matrix, location: Float64Array, n: number): Float64Array =>
  Float64Array.from({ length: n }, (_, row) => rowTimes(design, row, location, 0));

function freeName(predictors: readonly Predictor[]): string {
  let name = 'fitted mean';
  while (predictors.some((predictor) => predictor.name === name)) name += "'";
  return name;
}
