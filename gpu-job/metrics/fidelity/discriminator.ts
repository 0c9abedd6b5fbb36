/**
 * Classifier two-sample test (Lopez-Paz and Oquab, 2017): the AUC of boosted trees that tell one table's rows from real
 * ones, each row scored by trees that did not see it. 0.5 where they cannot be told apart. A table that hands real rows
 * back comes out below 0.5: of a row and its copy one is in the trees, and misleads them about the other.
 */
import type { RandomStream } from '../../../numerics/random/stream.ts';
import { type BoostedTrees, fitBoostedTrees, predict } from '../../../numerics/trees/boostedTrees.ts';
import type { FeatureTable } from '../../../numerics/trees/features.ts';
import type { ModelTable } from '../../models/model.ts';
import { type MeasuredColumns, takeRows } from '../columns.ts';
import { featureTables, joinFeatures, takeFeatures } from '../featureTable.ts';
import { rocAuc } from '../rocAuc.ts';
import { dealFolds, sampleRows } from '../sampleRows.ts';

/** Rows of either table, at most. */
export const DISCRIMINATOR_ROWS = 5_000;

const PARTS = 3;
const SETTINGS = { loss: 'logistic', iterations: 60, maxLeaves: 16, minLeafRows: 10 } as const;

export interface Told {
  /** Scores of being synthetic, of the rows of the one and of the other. */
  real: Float64Array;
  other: Float64Array;
  /** AUC lost where a column is shuffled, by name; empty unless asked for. */
  losses: Map<string, number>;
  rows: number;
}

export interface DiscriminatorTask {
  real: ModelTable;
  other: ModelTable;
  columns: MeasuredColumns;
  /** Whether to ask which columns tell. */
  explain: boolean;
  random: RandomStream;
}

/** As many rows of either, at most DISCRIMINATOR_ROWS. Undefined below 2 · PARTS rows or without a column. */
export function tellApart({ real, other, columns, explain, random }: DiscriminatorTask): Told | undefined {
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
    const model = fitBoostedTrees(takeFeatures(both, rest), pick(isOther, rest), SETTINGS);
    const asked = takeFeatures(both, held);
    const found = predict(model, asked);
    for (const [at, row] of held.entries()) scores[row] = found[at]!;
    if (explain && fold === 0) explainBy(model, asked, pick(isOther, held), names, random, losses);
  }
  return { real: scores.slice(0, rows), other: scores.slice(rows), losses, rows };
}

const pick = (values: Float64Array, rows: Int32Array): Float64Array => Float64Array.from(rows, (row) => values[row]!);

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
  asked: FeatureTable,
  isOther: Float64Array,
  names: readonly string[],
  random: RandomStream,
  losses: Map<string, number>,
): void {
  const aucOf = (scores: Float64Array): number => {
    const of = (wanted: number) => scores.filter((_, row) => isOther[row] === wanted);
    return rocAuc(of(1), of(0))?.value ?? 0.5;
  };
  const whole = aucOf(predict(model, asked));
  for (const [at, name] of names.entries()) {
    const order = sampleOrder(asked.rows, random.child(`shuffle ${name}`));
    const [shuffled] = takeFeatures({ rows: asked.rows, features: [asked.features[at]!] }, order).features;
    const features = asked.features.map((feature, other) => (other === at ? shuffled! : feature));
    losses.set(name, whole - aucOf(predict(model, { rows: asked.rows, features })));
  }
}

function sampleOrder(rows: number, random: RandomStream): Int32Array {
  const order = Int32Array.from({ length: rows }, (_, row) => row);
  for (let i = rows - 1; i > 0; i--) {
    const j = random.integer(i + 1);
    [order[i], order[j]] = [order[j]!, order[i]!];
  }
  return order;
}
