/** A predictor that says of every row whether it is an event: what else a logistic regression asks, it asks of its prior alone. */
import { type CategoryPredictor, isLevel, type NumericPredictor, type Predictor } from './design.ts';
import type { WorkingResponse } from './fitDesign.ts';

/** Rows that a group of a separating predictor has, at least: a level of each row would separate anything. */
const ROWS_A_GROUP = 10;

/**
 * The first of the predictors that separates the events (1) from the other rows (0) completely: a number by one threshold,
 * none of its cells missing, or a category by its levels. Undefined where none does. Rows of weight 0 do not count.
 */
export function separatingPredictor(
  predictors: readonly Predictor[],
  { values, weights }: WorkingResponse,
): Predictor | undefined {
  const rows = [...values.keys()].filter((row) => weights === null || weights[row]! > 0);
  const events = rows.filter((row) => values[row] === 1);
  const others = rows.filter((row) => values[row] !== 1);
  if (Math.min(events.length, others.length) < ROWS_A_GROUP) return undefined;
  return predictors.find((own) =>
    own.kind === 'numeric' ? hasThreshold(own, events, others) : hasPureLevels(own, events, others),
  );
}

function hasThreshold({ values }: NumericPredictor, events: readonly number[], others: readonly number[]): boolean {
  const [a, b] = [rangeOf(values, events), rangeOf(values, others)];
  return a.greatest < b.least || b.greatest < a.least;
}

/** NaN at both ends where a cell is missing. */
function rangeOf(values: Float64Array, rows: readonly number[]) {
  let [least, greatest] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const row of rows) {
    least = Math.min(least, values[row]!);
    greatest = Math.max(greatest, values[row]!);
  }
  return { least, greatest };
}

function hasPureLevels(own: CategoryPredictor, events: readonly number[], others: readonly number[]): boolean {
  const [a, b] = [countLevels(own, events), countLevels(own, others)];
  return a.every((count, level) => Math.min(count, b[level]!) === 0 && rowsEnough(count + b[level]!));
}

const rowsEnough = (rows: number): boolean => rows === 0 || rows >= ROWS_A_GROUP;

/** Rows of each level; the last count is that of missing cells. */
function countLevels({ codes, levels }: CategoryPredictor, rows: readonly number[]): number[] {
  const counts = new Array<number>(levels.length + 1).fill(0);
  for (const row of rows) {
    const code = codes[row]!;
    counts[isLevel(code, levels.length) ? code : levels.length]! += 1;
  }
  return counts;
}
