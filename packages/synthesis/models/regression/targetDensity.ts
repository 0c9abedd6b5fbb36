/**
 * Where a boosted density tells the target of rows that it did not see better than the regression does, rows are calibrated to
 * it: each keeps its rank in its own predictive distribution, and the density says which number has that rank.
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
import { drawThreshold, featuresOf, type SeenColumn } from '../categorical/features.ts';
import { type DensityTask, MAX_DENSITY_ROWS, MIN_CELLS, partsOf } from '../copula/chooseDensity.ts';
import { type ColumnDensity, densityFeatures, meansIn } from '../copula/columnDensity.ts';
import { type PresentRows, presentRows } from '../copula/columnTree.ts';
import { scoreOf } from '../copula/normalScores.ts';
import { binsScore } from '../copula/rankedScores.ts';
import type { FitTask, ModelTable } from '../model.ts';
import { type BoostJob, boostInThreads } from '../shared/boostInThreads.ts';
import { orderedFeatures, roundsFor } from '../shared/boosting.ts';
import { fitCrossFittedMean } from '../shared/crossFittedMean.ts';
import { fitMargins, type Margin, numberAt, uRangeOf } from '../shared/margin.ts';

/** A target, and what its columns are given. */
export interface DenseTarget {
  name: string;
  /** Rows of the table, n, and their numbers. */
  rows: Int32Array;
  values: Float64Array;
  /** Of all numbers, rare ones as well. */
  whole: Margin;
  seen: readonly SeenColumn[];
}

/** A regression that was fitted to the same rows. */
interface Regressed {
  predictors: readonly Predictor[];
  model: PredictiveModel;
  reference: Empirical;
  /** Effective parameters of the regression; null where they are not known. */
  parameters: number | null;
}

/** A density of the target, rows of the table that it did not see, and the bins of their numbers. */
export interface TrialDensity {
  density: ColumnDensity;
  /** What rows are drawn from where that density is better than the regression: it, or one of what its mean leaves. */
  drawn: ColumnDensity;
  held: Int32Array;
  own: Bin[];
  /** Of the draws that the regression's scores are means of. */
  random: RandomStream;
}

type Alone = NonNullable<DensityTask['alone']>;

/** Columns that a density is given, at most; with more of them there is none. */
export const MAX_GIVEN = 24;
/** Rounds are those of one of so many columns of numbers, since the mean says most already. */
const BESIDE = 14;
/** Posterior draws that a held-out row is predicted by. */
const PASSES = 16;
/** What both are taken to know no better than by the margin: a row that one calls impossible decides little. */
const UNSURE = 0.01;
/** By how much the density has to predict a row better: standard errors of the mean, and nats. */
const CLEARLY = 2;
const MIN_GAIN = 0.005;

/** Null where rows are too few, or columns too many. It knows nothing of the regression, and may be fitted beside it. */
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
  const [fit, ofLeft] = await boostInThreads(jobs, { yieldToEventLoop, onColumn: yieldToEventLoop });
  if (!fit) return null;
  const held = fit.judged.held.map((i) => rows[i]!);
  const { density, judged } = fit;
  const other = left && ofLeft ? { ...ofLeft.density, left: left.margin } : null;
  const isBetter =
    other && (await inSteps(ranksBetter(other, density, { table, held, u: judged.u }), yieldToEventLoop));
  const drawn = other && isBetter ? other : density;
  return { density, drawn, held, own: bins(density.ends, judged.u), random: random.child('draws') };
}

/** The density of a trial; null where the regression predicts as well. */
export async function densityIfClearlyBetter(
  { density, drawn, held, own, random }: TrialDensity,
  { table, yieldToEventLoop }: Pick<FitTask, 'table' | 'yieldToEventLoop'>,
  regressed: Regressed & Pick<DenseTarget, 'values'>,
): Promise<ColumnDensity | null> {
  const dense = await inSteps(densityScores(density, table, held, own), yieldToEventLoop);
  const scores = regressionScores(regressed, held, own, random);
  return predictsBetter(dense, scores, regressed) ? drawn : null;
}

// Where the mean leaves little of a target, as of prices of diamonds, it leaves about a bin of the target: what is left has bins of its own.

/** Standard deviations of the target's normal score that the mean leaves, at most. */
const MAX_LEFT = 0.25;

/** What the mean leaves of each row, and its margin; null where that is too much for bins of the target to be coarse. */
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

/** Rows of the table that neither density saw, and their u. */
interface JudgedRows {
  table: ModelTable;
  held: Int32Array;
  u: Float64Array;
}

/** Whether it predicts these rows better than the other one, by the continuous ranked probability score. */
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

/** The cells to grow from, and the mean of the target's normal score given the other columns. */
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

/** The regression has seen these rows: it describes them better than it would predict them, by p_loo of n rows. */
function predictsBetter(
  dense: Float64Array,
  regressed: Float64Array,
  { parameters, values }: Pick<Regressed, 'parameters'> & Pick<DenseTarget, 'values'>,
): boolean {
  const optimism = Math.max(0, parameters ?? 0) / values.length;
  const { mean, error } = meanWithError(dense.map((score, i) => score - regressed[i]! + optimism));
  return mean > Math.max(CLEARLY * error, MIN_GAIN);
}

/** The bin of the scale of u that each row is in, and its ends. */
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

/** The log score of a row whose bin has this mass (Good, 1952). */
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
