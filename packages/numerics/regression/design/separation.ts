/** Complete separation leaves a logistic regression to its prior alone. */
import { type CategoryPredictor, isLevel, type NumericPredictor, type Predictor } from './design.ts';
import type { WorkingResponse } from './fitDesign.ts';

/** Singleton levels would separate anything. */
const ROWS_A_GROUP = 10;

/**
 * Finds a predictor that separates events (1) completely, by a threshold without missing cells or by pure levels.
 * Ignores rows of weight 0.
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

function countLevels({ codes, levels }: CategoryPredictor, rows: readonly number[]): number[] {
  const counts = new Array<number>(levels.length + 1).fill(0);
  for (const row of rows) {
    const code = codes[row]!;
    counts[isLevel(code, levels.length) ? code : levels.length]! += 1;
  }
  return counts;
}
