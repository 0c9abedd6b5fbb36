/**
 * Calibrates the target to a boosted density if that predicts held-out rows better than the regression: it maps the
 * rank of each row within its predictive distribution to a number.
 */
import { type Empirical, quantile } from '../../../numerics/distributions/empirical.ts';
import { familyOf } from '../../../numerics/distributions/families.ts';
import { meanWithError, variance } from '../../../numerics/moments.ts';
import { drawRows } from '../../../numerics/random/draws.ts';
import type { RandomStream } from '../../../numerics/random/stream.ts';
import { takePredictors } from '../../../numerics/regression/design/applyDesign.ts';
import type { Predictor } from '../../../numerics/regression/design/design.ts';
import { cdfWithoutAtoms, eachPredictive, type PredictiveModel } from '../../../numerics/regression/predict.ts';
import { firstAtLeast } from '../../../numerics/search.ts';
import { normalCdf } from '../../../numerics/special/normal.ts';
import { inSteps, type Steps } from '../../../numerics/steps.ts';
import { takeFeatures } from '../../../numerics/trees/features.ts';
import { eachProbabilities } from '../../../numerics/trees/walkTrees.ts';
import { fitMargins, type Margin, numberAt, uRangeOf } from '../../disclosure/margin.ts';
import { drawThreshold } from '../../disclosure/thresholds.ts';
import { featuresOf, type SeenColumn } from '../categorical/features.ts';
import { boostDensity, type DensityTask, MAX_DENSITY_ROWS, MIN_CELLS, partsOf } from '../copula/chooseDensity.ts';
import { type ColumnDensity, densityFeatures, meansIn } from '../copula/columnDensity.ts';
import { type PresentRows, presentRows } from '../copula/columnTree.ts';
import { scoreOf } from '../copula/normalScores.ts';
import { binsScore } from '../copula/rankedScores.ts';
import type { FitTask, ModelTable } from '../model.ts';
import { type BoostJob, boostInThreads } from '../shared/boostInThreads.ts';
import { orderedFeatures, roundsFor } from '../shared/boosting.ts';
import { fitCrossFittedMean } from '../shared/crossFittedMean.ts';

export interface DenseTarget {
  name: string;
  /** Indices of rows (n), and their numbers. */
  rows: Int32Array;
  values: Float64Array;
  /** Margin of all numbers, including rare ones. */
  whole: Margin;
  seen: readonly SeenColumn[];
}

interface Regressed {
  predictors: readonly Predictor[];
  model: PredictiveModel;
  reference: Empirical;
  /** p_loo; null if unknown. */
  parameters: number | null;
}

export interface TrialDensity {
  density: ColumnDensity;
  /** The density to draw from: the first, or one of the mean's residuals. */
  drawn: ColumnDensity;
  held: Int32Array;
  own: Bin[];
  random: RandomStream;
}

type Alone = NonNullable<DensityTask['alone']>;

export const MAX_GIVEN = 24;
/** Rounds as if for 14 columns, since the mean explains most. */
const BESIDE = 14;
const PASSES = 16;
/** Weight of the margin in each score, so that one seemingly impossible row decides little. */
const UNSURE = 0.01;
/** Minimum gain, in standard errors and in nats. */
const CLEARLY = 2;
const MIN_GAIN = 0.005;

/** Returns null for too few rows or too many columns. Independent of the regression. */
export async function fitTrialDensity(
  task: Pick<FitTask, 'table' | 'random' | 'settings' | 'yieldToEventLoop'>,
  { name, rows: all, values, whole, seen }: DenseTarget,
): Promise<TrialDensity | null> {
  if (seen.length > MAX_GIVEN || values.length < MIN_CELLS) return null;
  const random = task.random.child(name).child('density');
  const taken = drawRows(values.length, MAX_DENSITY_ROWS, random.child('rows')).sort();
  const ranges = Array.from(taken, (i) => uRangeOf(whole, values[i]!));
  const rows = taken.map((i) => all[i]!);
  const number = {
    name,
    from: Float64Array.from(ranges, ({ from }) => from),
    upTo: Float64Array.from(ranges, ({ upTo }) => upTo),
  };
  const { yieldToEventLoop, table } = task;
  const present = presentRows(number, seen, takeFeatures(featuresOf([...seen], table), rows), null);
  const alone = await withMean(present, random, task);
  const left = leftOf(present, alone, task.settings, random.child('left'));
  const jobs = [jobOf(present, alone, random), ...(left ? [jobOf(left.present, alone, random.child('left'))] : [])];
  const [fit, ofLeft] = await boostInThreads(boostDensity, jobs, { yieldToEventLoop, onColumn: yieldToEventLoop });
  if (!fit) return null;
  const held = fit.judged.held.map((i) => rows[i]!);
  const { density, judged } = fit;
  const other = left && ofLeft ? { ...ofLeft.density, left: left.margin } : null;
  const isBetter =
    other && (await inSteps(ranksBetter(other, density, { table, held, u: judged.u }), yieldToEventLoop));
  const drawn = other && isBetter ? other : density;
  return { density, drawn, held, own: bins(density.ends, judged.u), random: random.child('draws') };
}

/** Returns null if the regression predicts as well. */
export async function densityIfClearlyBetter(
  { density, drawn, held, own, random }: TrialDensity,
  { table, yieldToEventLoop }: Pick<FitTask, 'table' | 'yieldToEventLoop'>,
  regressed: Regressed & Pick<DenseTarget, 'values'>,
): Promise<ColumnDensity | null> {
  const dense = await inSteps(densityScores(density, table, held, own), yieldToEventLoop);
  const scores = regressionScores(regressed, held, own, random);
  return predictsBetter(dense, scores, regressed) ? drawn : null;
}

// If the mean leaves less than about a bin of the target, its residuals get bins of their own.

/** Maximum residual sd, relative to the normal score's. */
const MAX_LEFT = 0.25;

function leftOf(
  present: PresentRows,
  { mean }: Alone,
  { keepRare }: FitTask['settings'],
  random: RandomStream,
): { present: PresentRows; margin: Margin } | null {
  const scores = midScores(present);
  const left = scores.map((score, row) => score - mean.means[row]!);
  if (!(variance(left) < MAX_LEFT ** 2 * variance(scores))) return null;
  const { whole, released } = fitMargins(left, drawThreshold(random), { keepRare });
  const ranges = Array.from(left, (own) => uRangeOf(whole, own));
  const from = Float64Array.from(ranges, (range) => range.from);
  const upTo = Float64Array.from(ranges, (range) => range.upTo);
  return { present: { ...present, from, upTo }, margin: released };
}

const midScores = ({ from, upTo }: Pick<PresentRows, 'from' | 'upTo'>): Float64Array =>
  from.map((low, row) => scoreOf((low + upTo[row]!) / 2));

interface JudgedRows {
  table: ModelTable;
  held: Int32Array;
  u: Float64Array;
}

/** Compares by the continuous ranked probability score. */
function* ranksBetter(density: ColumnDensity, other: ColumnDensity, rows: JudgedRows): Steps<boolean> {
  const scores = yield* rankedScores(density, rows);
  const { mean, error } = meanWithError((yield* rankedScores(other, rows)).map((own, i) => own - scores[i]!));
  return mean > CLEARLY * error;
}

function* rankedScores(density: ColumnDensity, { table, held, u }: JudgedRows): Steps<Float64Array> {
  const { left, trees } = density;
  const seen = yield* densityFeatures(density, takeFeatures(featuresOf(density.given, table), held));
  const scores = new Float64Array(held.length);
  const means = left && meansIn(seen);
  const places = left && Float64Array.of(0, ...density.ends).map((end) => numberAt(left, end));
  yield* eachProbabilities(trees, seen, (i, p) => {
    if (!places || !means) scores[i] = binsScore(density.ends, p, u[i]!);
    else {
      const ends = Float64Array.of(...places.map((place) => normalCdf(means[i]! + place)), 1);
      scores[i] = binsScore(ends, Float64Array.of(0, ...p, 0), u[i]!);
    }
  });
  return scores;
}

async function withMean(
  { given, features, from, upTo }: PresentRows,
  random: RandomStream,
  hooks: Pick<FitTask, 'yieldToEventLoop'>,
): Promise<Alone> {
  const parts = partsOf(from.length, random.child('parts'));
  const column = {
    features: orderedFeatures(given, features),
    values: midScores({ from, upTo }),
    rows: parts.kept.slice().sort(),
  };
  return { ...parts, mean: await fitCrossFittedMean(column, random.child('mean'), hooks) };
}

function jobOf(present: PresentRows, alone: Alone, random: RandomStream): BoostJob<DensityTask> {
  const rows = present.from.length;
  const task = { present, trial: null, rounds: roundsFor(rows, BESIDE), alone };
  return { cells: rows * present.given.length, seed: random.integer(2 ** 32), task: () => task };
}

/** Subtracts the optimism of the regression (p_loo / n), which has seen these rows. */
function predictsBetter(
  dense: Float64Array,
  regressed: Float64Array,
  { parameters, values }: Pick<Regressed, 'parameters'> & Pick<DenseTarget, 'values'>,
): boolean {
  const optimism = Math.max(0, parameters ?? 0) / values.length;
  const { mean, error } = meanWithError(dense.map((score, i) => score - regressed[i]! + optimism));
  return mean > Math.max(CLEARLY * error, MIN_GAIN);
}

interface Bin {
  at: number;
  from: number;
  upTo: number;
}

const bins = (ends: Float64Array, u: Float64Array): Bin[] =>
  Array.from(u, (own) => {
    const at = firstAtLeast(ends, own);
    return { at, from: at > 0 ? ends[at - 1]! : 0, upTo: ends[at]! };
  });

/** Log score (Good, 1952). */
const logScoreOf = (mass: number, { from, upTo }: Bin): number =>
  Math.log((1 - UNSURE) * mass + UNSURE * (upTo - from));

function* densityScores(
  density: ColumnDensity,
  table: ModelTable,
  rows: Int32Array,
  own: readonly Bin[],
): Steps<Float64Array> {
  const scores = new Float64Array(rows.length);
  const features = takeFeatures(featuresOf(density.given, table), rows);
  yield* eachProbabilities(density.trees, yield* densityFeatures(density, features), (i, p) => {
    scores[i] = logScoreOf(p[own[i]!.at]!, own[i]!);
  });
  return scores;
}

function regressionScores(
  { model, predictors, reference }: Regressed,
  rows: Int32Array,
  own: readonly Bin[],
  random: RandomStream,
): Float64Array {
  const family = familyOf(model.family);
  const seen = takePredictors(predictors, rows);
  const ends = own.map(
    ({ from, upTo }) =>
      [
        from > 0 ? quantile(reference, from) : Number.NEGATIVE_INFINITY,
        upTo < 1 ? quantile(reference, upTo) : Number.POSITIVE_INFINITY,
      ] as const,
  );
  const masses = new Float64Array(rows.length);
  for (let pass = 0; pass < PASSES; pass++) {
    eachPredictive(model, seen, rows.length, random, (row, eta) => {
      const [low, high] = ends[row]!;
      masses[row]! += (cdfWithoutAtoms(family, high, eta) - cdfWithoutAtoms(family, low, eta)) / PASSES;
    });
  }
  return masses.map((mass, row) => logScoreOf(mass, own[row]!));
}
