/**
 * Predicts categories of unseen real rows by trees: mean one-against-rest AUC of frequent levels, compared with trees
 * trained on as many real rows.
 */
import type { UtilityMetrics } from '../../../contract/metrics.ts';
import type { RandomStream } from '../../../numerics/random/stream.ts';
import { ascendingRows } from '../../../numerics/rows.ts';
import { fitBoostedTrees, predict } from '../../../numerics/trees/boostedTrees.ts';
import type { ModelTable } from '../../models/model.ts';
import { takeRows } from '../../table/takeRows.ts';
import { categoryNamed, featureTables, jointCodes, levelsByCount, type MeasuredColumns } from '../columns.ts';
import { clipped, rocAuc, Z } from '../intervals.ts';
import type { Measure } from '../measure.ts';
import { judgeDifference, toMeasured } from '../measured.ts';
import { type Part, sampleRows } from '../parts.ts';
import { MARGIN, rowsToTest, rowsToTrain } from './targetUtility.ts';

/** Maximum columns and levels, since each level needs trees. */
const MAX_CATEGORIES = 20;
const MAX_LEVELS = 4;
const ALL_LEVELS = 40;

const ROWS = 5_000;
const SETTINGS = { loss: 'logistic', iterations: 30, maxLeaves: 15 } as const;

const LEVELS = { least: 2, most: 20 };

/** Minimum rows with and without the level. */
const MIN_EITHER = 3;

export const categoryUtility: Measure<Pick<UtilityMetrics, 'categories' | 'columns_left_out'>> = async (task) => {
  const { parts, columns, released } = task.measured;
  const random = task.random.child('categories');
  const queried = columns.categorical.flatMap((column) => {
    const levels = levelsByCount(categoryNamed(released.train, column));
    return levels.length >= LEVELS.least && levels.length <= LEVELS.most ? [{ column, levels }] : [];
  });
  const chosen = queried.slice(0, MAX_CATEGORIES);
  const most = Math.max(1, Math.min(MAX_LEVELS, Math.floor(ALL_LEVELS / Math.max(1, chosen.length))));
  const categories: UtilityMetrics['categories'] = [];
  for (const { column, levels } of chosen) {
    // Two levels have the same AUC.
    const predicted = levels.slice(0, levels.length === 2 ? 1 : most);
    const auc = columnFigure(parts, column, predicted, columns, random.child(column));
    categories.push({ column, levels: levels.length, auc });
    await task.onProgress({
      stage: 'measure',
      fact: 'categories_predicted',
      done: categories.length,
      total: chosen.length,
    });
  }
  return { categories, columns_left_out: queried.length - chosen.length };
};

interface MeanAuc {
  value: number | undefined;
  error: number;
  rows: number;
}

function columnFigure(
  parts: readonly Part[],
  column: string,
  levels: readonly string[],
  columns: MeasuredColumns,
  random: RandomStream,
) {
  const of = (name: keyof Part) => meanAuc(parts, name, column, levels, columns, random);
  const [own, real] = [of('synthetic'), of('train')];
  const gap = (own.value ?? Number.NaN) - (real.value ?? Number.NaN);
  // Both use the same rows, so the larger error suffices.
  const half = Z * Math.max(own.error, real.error);
  return toMeasured({
    value: own.value,
    interval:
      own.value === undefined ? undefined : clipped([own.value - Z * own.error, own.value + Z * own.error], 0, 1),
    rows: own.rows,
    reason: parts.some(({ holdout }) => holdout)
      ? `no level has ${MIN_EITHER} held-out rows with it and ${MIN_EITHER} without it, or there is no other column to predict it from`
      : 'there are no held-out real rows',
    ideal: 1,
    holdout: real.value,
    independent: of('independent').value,
    swapped: of('swapped').value,
    verdict: Number.isFinite(gap) ? judgeDifference(gap, [gap - half, gap + half], MARGIN) : null,
  });
}

function meanAuc(
  parts: readonly Part[],
  name: keyof Part,
  column: string,
  levels: readonly string[],
  columns: MeasuredColumns,
  random: RandomStream,
): MeanAuc {
  const scored = levels.map((): { yes: number[]; no: number[] } => ({ yes: [], no: [] }));
  for (const [at, part] of parts.entries()) {
    if (part.holdout) addScores(part, part.holdout, name, column, levels, columns, random.child(`part ${at}`), scored);
  }
  const aucs = scored.flatMap(({ yes, no }) => {
    if (yes.length < MIN_EITHER || no.length < MIN_EITHER) return [];
    return rocAuc(Float64Array.from(yes), Float64Array.from(no)) ?? [];
  });
  const rows = Math.max(0, ...scored.map(({ yes, no }) => yes.length + no.length));
  if (aucs.length === 0) return { value: undefined, error: Number.NaN, rows };
  const errors = aucs.map(({ interval: [low, high] }) => (high - low) / (2 * Z));
  return {
    value: aucs.reduce((sum, { value }) => sum + value / aucs.length, 0),
    error: errors.reduce((sum, error) => sum + error / aucs.length, 0),
    rows,
  };
}

function addScores(
  part: Part,
  holdout: ModelTable,
  name: keyof Part,
  column: string,
  levels: readonly string[],
  columns: MeasuredColumns,
  random: RandomStream,
  scored: readonly { yes: number[]; no: number[] }[],
): void {
  const training = known(rowsToTrain(part, name, random), column, random.child(`known ${name}`));
  const test = known(rowsToTest(holdout, random), column, random.child('known test'));
  const names = { numeric: columns.numeric, categorical: columns.categorical.filter((other) => other !== column) };
  if (names.numeric.length + names.categorical.length === 0 || training.rows === 0) return;
  const [features, queried] = featureTables([training, test], names);
  const { codes } = jointCodes([training, test].map((table) => categoryNamed(table, column)));
  const dictionary = joinedLevels([training, test].map((table) => categoryNamed(table, column).levels));
  for (const [at, level] of levels.entries()) {
    const code = dictionary.get(level) ?? -2;
    const isLevel = Float64Array.from(codes[0]!, (own) => (own === code ? 1 : 0));
    const scores = predict(fitBoostedTrees(features!, isLevel, SETTINGS), queried!);
    for (let row = 0; row < test.rows; row++) {
      (codes[1]![row] === code ? scored[at]!.yes : scored[at]!.no).push(scores[row]!);
    }
  }
}

function joinedLevels(lists: readonly (readonly string[])[]): Map<string, number> {
  const codes = new Map<string, number>();
  for (const level of lists.flat()) if (!codes.has(level)) codes.set(level, codes.size);
  return codes;
}

/** Samples rows, because files are often sorted by a category. */
function known(table: ModelTable, column: string, random: RandomStream): ModelTable {
  const { codes } = categoryNamed(table, column);
  const rows = ascendingRows(table.rows).filter((row) => codes[row]! >= 0);
  return takeRows(
    table,
    sampleRows(rows.length, ROWS, random).map((at) => rows[at]!),
  );
}
