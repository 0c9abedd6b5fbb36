/** Which numbers and levels have effects of their own where there is not room for all of them. */
import { countLevels, LEAST_LEVEL_ROWS } from './levelPart.ts';
import { learnNumberScale, standardise } from './numberScale.ts';
import type { NumericPredictor, Predictor } from './predictors.ts';

/** Those with the strongest correlations with the response, at most `room`, in their own order. */
export function admitNumbers(predictors: readonly Predictor[], response: Float64Array, room: number): Set<Predictor> {
  const numbers = predictors.filter((predictor) => predictor.kind === 'numeric');
  if (numbers.length <= room) return new Set(numbers);
  const strength = new Map(numbers.map((predictor) => [predictor, correlation(predictor, response)]));
  return new Set(numbers.sort((a, b) => strength.get(b)! - strength.get(a)!).slice(0, room));
}

/** Absolute correlation, missing cells at the mean; the response has mean 0 and sd 1. */
function correlation({ values }: NumericPredictor, response: Float64Array): number {
  const scale = learnNumberScale(values);
  if (!scale) return 0;
  let sum = 0;
  for (let row = 0; row < values.length; row++) {
    if (Number.isFinite(values[row]!)) sum += standardise(scale, values[row]!) * response[row]!;
  }
  return Math.abs(sum) / values.length;
}

/** Levels of each category with effects of their own: the most frequent of all categories' levels, `room` in all. */
export function admitLevels(predictors: readonly Predictor[], room: number): Map<string, number> {
  const counts = predictors.flatMap((predictor) =>
    predictor.kind === 'category'
      ? countLevels(predictor).map(({ rows }, rank) => ({ name: predictor.name, rows, rank }))
      : [],
  );
  const admitted = new Map<string, number>();
  const worthy = counts.filter(({ rows, rank }) => rows >= LEAST_LEVEL_ROWS || rank === 0);
  for (const { name } of worthy.sort((a, b) => b.rows - a.rows).slice(0, Math.max(0, room))) {
    admitted.set(name, (admitted.get(name) ?? 0) + 1);
  }
  return admitted;
}
