/**
 * Classifier two-sample test (Lopez-Paz and Oquab, 2017): the AUC of boosted trees that separate one table's rows from
 * real ones. Independent samples of one population have 0.5.
 *
 * Every classifier is fitted to equal numbers of rows of either table. If the other table has several times as many rows,
 * classifiers are fitted to several samples of it, and a row's score is their mean. A row is set only against rows of its own
 * fold, by classifiers that saw neither, so that the mean is 0.5 without bias.
 */
import { shuffledRows } from '../../../numerics/random/draws.ts';
import type { RandomStream } from '../../../numerics/random/stream.ts';
import { takeInto } from '../../../numerics/rows.ts';
import { type BoostedTrees, fitBoostedTrees, predict } from '../../../numerics/trees/boostedTrees.ts';
import { type FeatureTable, takeFeatures } from '../../../numerics/trees/features.ts';
import type { ModelTable } from '../../models/model.ts';
import { featureTables, joinFeatures, type MeasuredColumns } from '../columns.ts';
import { type Auc, rocAuc, stratifiedAuc } from '../intervals.ts';
import { dealFolds, sampleRows } from '../parts.ts';

/** Rows of the real table, at most, and of all samples of the other one. */
const MOST = { real: 5_000, other: 10_000 };

/** Samples of the other table, at most, if the figure is to tell all that it can. */
export const MAX_SAMPLES = 4;

const FOLDS = 5;

/** Below, no fold has a row of each table on either side. */
const MIN_ROWS = 2 * FOLDS;

/** The defaults of scikit-learn's HistGradientBoosting, but for steps twice as long and fewer of them. */
const SETTINGS = { loss: 'logistic', iterations: 60, learningRate: 0.2, maxLeaves: 31 } as const;

/** Rows in a leaf: as by default, and fewer where that would leave a fold without a split. */
const LEAF = { most: 20, least: 4, share: 0.05 };

export interface ApartTask {
  real: ModelTable;
  other: ModelTable;
  columns: MeasuredColumns;
  /** Samples of the other table, at most: fewer tell less, and take less time. */
  samples: number;
  /** Whether to find the columns that the trees go by. */
  explain: boolean;
  random: RandomStream;
  yieldToEventLoop?: (() => Promise<void>) | undefined;
}

/** Scores of being of the other table, of one fold. */
interface Fold {
  real: Float64Array;
  other: Float64Array;
}

export interface Apart {
  folds: Fold[];
  /** AUC lost if a column is shuffled, by name; empty unless asked for. */
  losses: Map<string, number>;
  /** Rows of either table that classifiers were fitted to and tested on, and samples of the other one. */
  rows: number;
  samples: number;
}

/** Undefined if either table has fewer than ten rows, or no column. */
export async function tellApart(task: ApartTask): Promise<Apart | undefined> {
  const { columns, random } = task;
  const rows = Math.min(MOST.real, task.real.rows, task.other.rows);
  const names = [...columns.numeric, ...columns.categorical];
  if (rows < MIN_ROWS || names.length === 0) return undefined;
  const samples = Math.max(1, Math.min(task.samples, Math.floor(Math.min(MOST.other, task.other.rows) / rows)));
  const [real, other] = featureTables([task.real, task.other], columns) as [FeatureTable, FeatureTable];
  const ofReal = dealSample({ all: real.rows, rows, folds: FOLDS }, random.child('real'));
  const ofOther = dealSample({ all: other.rows, rows: rows * samples, folds: FOLDS * samples }, random.child('other'));
  const bySample = Array.from({ length: samples }, (_, at) => ofOther.slice(at * FOLDS, (at + 1) * FOLDS));
  const found: Apart = { folds: [], losses: new Map(), rows, samples };
  for (const [fold, held] of ofReal.entries()) {
    const models = bySample.map((own) =>
      fitApart(takeFeatures(real, without(ofReal, fold)), takeFeatures(other, without(own, fold))),
    );
    const queried = [takeFeatures(real, held), takeFeatures(other, joined(bySample.map((own) => own[fold]!)))] as const;
    const scores = { real: meanScores(models, queried[0]), other: meanScores(models, queried[1]) };
    found.folds.push(scores);
    if (task.explain)
      addLosses(found.losses, { model: models[0]!, queried, names, random: random.child(`fold ${fold}`) });
    await task.yieldToEventLoop?.();
  }
  return found;
}

/** The AUC of several comparisons together. Its interval covers what other held-out rows, samples and folds would have given. */
export function aucOf(found: readonly Apart[]): Auc | undefined {
  const strata = found.flatMap(({ folds }) => folds.map(({ real, other }) => [other, real] as const));
  return stratifiedAuc(strata, FOLDS);
}

interface Deal {
  all: number;
  rows: number;
  folds: number;
}

/** Some of the rows at random, dealt into folds. */
function dealSample({ all, rows, folds }: Deal, random: RandomStream): Int32Array[] {
  const sample = sampleRows(all, rows, random.child('rows'));
  return dealFolds(rows, folds, random.child('folds')).map((fold) =>
    takeInto(new Int32Array(fold.length), sample, fold),
  );
}

const without = (folds: readonly Int32Array[], left: number): Int32Array =>
  joined(folds.filter((_, fold) => fold !== left));

function joined(parts: readonly Int32Array[]): Int32Array {
  const out = new Int32Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}

function fitApart(real: FeatureTable, other: FeatureTable): BoostedTrees {
  const both = joinFeatures(real, other);
  const isOther = new Float64Array(both.rows).fill(1, real.rows);
  const minLeafRows = Math.max(LEAF.least, Math.min(LEAF.most, Math.floor(LEAF.share * both.rows)));
  return fitBoostedTrees(both, isOther, { ...SETTINGS, minLeafRows });
}

function meanScores(models: readonly BoostedTrees[], table: FeatureTable): Float64Array {
  const sum = new Float64Array(table.rows);
  for (const model of models) {
    const scores = predict(model, table);
    for (let row = 0; row < sum.length; row++) sum[row]! += scores[row]! / models.length;
  }
  return sum;
}

interface Explained {
  /** Of the first sample: those of the others go by the same columns, and each takes as long again. */
  model: BoostedTrees;
  queried: readonly [FeatureTable, FeatureTable];
  names: readonly string[];
  random: RandomStream;
}

/** Permutation importance (Breiman, 2001), a column's rows shuffled over both tables; the mean over folds. */
function addLosses(losses: Map<string, number>, { model, queried, names, random }: Explained): void {
  const [real, other] = queried;
  const both = joinFeatures(real, other);
  const auc = (of: Float64Array) => rocAuc(of.subarray(real.rows), of.subarray(0, real.rows))?.value ?? 0.5;
  const whole = auc(predict(model, both));
  for (const [at, name] of names.entries()) {
    const order = shuffledRows(both.rows, random.child(`shuffle ${name}`));
    const [shuffled] = takeFeatures({ rows: both.rows, features: [both.features[at]!] }, order).features;
    const features = both.features.map((feature, own) => (own === at ? shuffled! : feature));
    const loss = whole - auc(predict(model, { rows: both.rows, features }));
    losses.set(name, (losses.get(name) ?? 0) + loss / FOLDS);
  }
}
