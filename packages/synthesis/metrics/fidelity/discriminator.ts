/** The discriminator of all parts: the synthetic rows and the baselines against the training rows. */

import type { FidelityMetrics } from '../../../contract/metrics.ts';
import { shuffledRows } from '../../../numerics/random/draws.ts';
import type { RandomStream } from '../../../numerics/random/stream.ts';
import { takeNumbers } from '../../../numerics/rows.ts';
import { type BoostedTrees, fitBoostedTrees, predict } from '../../../numerics/trees/boostedTrees.ts';
import { type FeatureTable, takeFeatures } from '../../../numerics/trees/features.ts';
import type { ModelTable } from '../../models/model.ts';
import { featureTables, joinFeatures, type MeasuredColumns, takeRows } from '../columns.ts';
import { type Auc, rocAuc, VERDICT_Z, widened } from '../intervals.ts';
import type { Measure } from '../measure.ts';
import { toMeasured } from '../measured.ts';
import { dealFolds, type Part, sampleRows } from '../parts.ts';

/** Columns that give a table away and are named, at most. */
const NAMED = 10;

/** What indistinguishable rows score. */
const IDEAL = 0.5;

export const discriminator: Measure<Pick<FidelityMetrics, 'discriminator' | 'feature_importance'>> = async (task) => {
  const { parts, columns } = task.measured;
  const random = task.random.child('discriminator');
  const scores = (of: keyof Part, explain: boolean): Scores[] =>
    parts.flatMap((part, at) => {
      const other: ModelTable | null = part[of];
      const found =
        other && discriminate({ real: part.train, other, columns, explain, random: random.child(`${of} ${at}`) });
      return found ? [found] : [];
    });
  const own = scores('synthetic', true);
  const auc = aucOf(own);
  const figure = toMeasured({
    value: auc?.value,
    interval: auc?.interval,
    rows: own.reduce((sum, { rows }) => sum + rows, 0),
    reason: 'it needs six real and six synthetic rows, and a numeric or categorical column',
    ideal: IDEAL,
    holdout: aucOf(scores('holdout', false))?.value,
    independent: aucOf(scores('independent', false))?.value,
    swapped: aucOf(scores('swapped', false))?.value,
    verdict: auc ? judge(auc, heldRows(parts)) : null,
  });
  await task.onProgress({ stage: 'measure', fact: 'discriminator_tested', rows: figure.rows });
  return { discriminator: figure, feature_importance: importanceOf(own) };
};

/**
 * Worse where the interval, widened, leaves out 0.5, and the AUC is above what held-out rows could have by chance, or above
 * the most that still counts as hardly told apart: with many rows, any table of any model is told apart somewhat.
 */
function judge({ value, interval }: Auc, held: number) {
  const [low, high] = widened(value, interval);
  const byChance = held > 0 ? VERDICT_Z / Math.sqrt(6 * held) : MAX_MARGIN;
  if (low > IDEAL && value > IDEAL + Math.min(MAX_MARGIN, byChance)) return 'worse';
  return high < IDEAL ? 'suspiciously better' : 'as good';
}

/** The standard error of an AUC of n rows against n others that are alike is 1 / √(6 n). */
const MAX_MARGIN = 0.05;

const heldRows = (parts: readonly Part[]): number => parts.reduce((sum, { holdout }) => sum + (holdout?.rows ?? 0), 0);

function aucOf(scores: readonly Scores[]): Auc | undefined {
  const join = (side: 'real' | 'other') => Float64Array.from(scores.flatMap((part) => [...part[side]]));
  return rocAuc(join('other'), join('real'));
}

/** Mean losses over parts, the largest first; columns that lose nothing are left out. */
function importanceOf(scores: readonly Scores[]): FidelityMetrics['feature_importance'] {
  const losses = new Map<string, number>();
  for (const part of scores) {
    for (const [column, loss] of part.losses) losses.set(column, (losses.get(column) ?? 0) + loss / scores.length);
  }
  const informative = [...losses].map(([column, loss]) => ({ column, loss })).filter(({ loss }) => loss > 0.001);
  return informative.sort((a, b) => b.loss - a.loss).slice(0, NAMED);
}

// Classifier two-sample test (Lopez-Paz and Oquab, 2017): the AUC of boosted trees that separate one table's rows from
// real ones, each row scored by trees that did not see it. 0.5 where they cannot be separated. A table that hands
// real rows back scores below 0.5: of a row and its copy one is in the trees, and misleads them about the other.

/** Rows of either table, at most. */
const DISCRIMINATOR_ROWS = 5_000;

const PARTS = 3;
const SETTINGS = { loss: 'logistic', iterations: 60, maxLeaves: 16, minLeafRows: 10 } as const;

interface Scores {
  /** Scores of being synthetic, of the rows of the one and of the other. */
  real: Float64Array;
  other: Float64Array;
  /** AUC lost where a column is shuffled, by name; empty unless asked for. */
  losses: Map<string, number>;
  rows: number;
}

interface DiscriminatorTask {
  real: ModelTable;
  other: ModelTable;
  columns: MeasuredColumns;
  /** Whether to find the columns that the trees go by. */
  explain: boolean;
  random: RandomStream;
}

/** As many rows of either, at most DISCRIMINATOR_ROWS. Undefined below 2 · PARTS rows or without a column. */
function discriminate({ real, other, columns, explain, random }: DiscriminatorTask): Scores | undefined {
  const rows = Math.min(DISCRIMINATOR_ROWS, real.rows, other.rows);
  const names = [...columns.numeric, ...columns.categorical];
  if (rows < 2 * PARTS || names.length === 0) return undefined;
  const drawn = [real, other].map((table, at) =>
    takeRows(table, sampleRows(table.rows, rows, random.child(`rows ${at}`))),
  );
  const [a, b] = featureTables(drawn, columns);
  const both = joinFeatures(a!, b!);
  const isOther = Float64Array.from({ length: 2 * rows }, (_, row) => (row < rows ? 0 : 1));
  const scores = new Float64Array(2 * rows);
  const losses = new Map<string, number>();
  for (const [fold, { held, rest }] of balancedFolds(rows, random).entries()) {
    const model = fitBoostedTrees(takeFeatures(both, rest), takeNumbers(isOther, rest), SETTINGS);
    const queried = takeFeatures(both, held);
    const found = predict(model, queried);
    for (const [at, row] of held.entries()) scores[row] = found[at]!;
    if (explain && fold === 0) explainBy(model, queried, takeNumbers(isOther, held), names, random, losses);
  }
  return { real: scores.slice(0, rows), other: scores.slice(rows), losses, rows };
}

/** Parts that have as many rows of the one table as of the other. */
function balancedFolds(rows: number, random: RandomStream): { held: Int32Array; rest: Int32Array }[] {
  const ofReal = dealFolds(rows, PARTS, random.child('folds real'));
  const ofOther = dealFolds(rows, PARTS, random.child('folds other'));
  const folds = ofReal.map((part, at) => [...part, ...ofOther[at]!.map((row) => row + rows)]);
  return folds.map((held, at) => ({
    held: Int32Array.from(held),
    rest: Int32Array.from(folds.flatMap((part, other) => (other === at ? [] : part))),
  }));
}

/** Permutation importance (Breiman, 2001). */
function explainBy(
  model: BoostedTrees,
  queried: FeatureTable,
  isOther: Float64Array,
  names: readonly string[],
  random: RandomStream,
  losses: Map<string, number>,
): void {
  const aucOf = (scores: Float64Array): number => {
    const of = (wanted: number) => scores.filter((_, row) => isOther[row] === wanted);
    return rocAuc(of(1), of(0))?.value ?? 0.5;
  };
  const whole = aucOf(predict(model, queried));
  for (const [at, name] of names.entries()) {
    const order = shuffledRows(queried.rows, random.child(`shuffle ${name}`));
    const [shuffled] = takeFeatures({ rows: queried.rows, features: [queried.features[at]!] }, order).features;
    const features = queried.features.map((feature, other) => (other === at ? shuffled! : feature));
    losses.set(name, whole - aucOf(predict(model, { rows: queried.rows, features })));
  }
}
