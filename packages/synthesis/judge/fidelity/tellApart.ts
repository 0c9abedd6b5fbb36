/**
 * Classifier two-sample test (Lopez-Paz and Oquab, 2017): AUC of boosted trees that separate a table from real rows,
 * 0.5 for one population. Classifiers see equally many rows of both, averaged over samples of a larger table, and
 * compare rows within folds, so the AUC is unbiased.
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

/** Maximum real rows, and rows of all other samples. */
const MOST = { real: 5_000, other: 10_000 };

/** Maximum samples for an accurate result. */
export const MAX_SAMPLES = 4;

const FOLDS = 5;

/** Below this, folds lack rows. */
const MIN_ROWS = 2 * FOLDS;

/** Defaults of scikit-learn's HistGradientBoosting, but twice the step and fewer iterations. */
const SETTINGS = { loss: 'logistic', iterations: 60, learningRate: 0.2, maxLeaves: 31 } as const;

/** Rows per leaf; fewer so that small folds split. */
const LEAF = { most: 20, least: 4, share: 0.05 };

export interface ApartTask {
  real: ModelTable;
  other: ModelTable;
  columns: MeasuredColumns;
  /** Fewer are faster but less accurate. */
  samples: number;
  explain: boolean;
  random: RandomStream;
  yieldToEventLoop?: (() => Promise<void>) | undefined;
}

/** Scores for the other table. */
interface Fold {
  real: Float64Array;
  other: Float64Array;
}

export interface Apart {
  folds: Fold[];
  /** AUC lost by shuffling a column; empty if not requested. */
  losses: Map<string, number>;
  rows: number;
  samples: number;
}

/** Undefined below ten rows or without columns. */
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

/** The interval covers the choice of rows, samples and folds. */
export function aucOf(found: readonly Apart[]): Auc | undefined {
  const strata = found.flatMap(({ folds }) => folds.map(({ real, other }) => [other, real] as const));
  return stratifiedAuc(strata, FOLDS);
}

interface Deal {
  all: number;
  rows: number;
  folds: number;
}

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
  /** First sample only, as others rely on the same columns. */
  model: BoostedTrees;
  queried: readonly [FeatureTable, FeatureTable];
  names: readonly string[];
  random: RandomStream;
}

/** Permutation importance (Breiman, 2001), averaged over folds. */
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
