/** What texts may tell of a row: its numbers, by rank, and whether it is of a frequent level. */
import { z } from 'zod';
import { normalQuantile } from '../../../../numerics/special/normal.ts';
import type { ModelTable } from '../../model.ts';
import type { ConditionColumn } from '../conditions.ts';

export const labelSchema = z.object({ column: z.string(), level: z.string().nullable() });
/** A level of a column, or its numbers. */
export type Label = z.infer<typeof labelSchema>;

/** Levels of a column, the most frequent first; and labels in all. */
const MOST_LEVELS = 40;
const MOST_LABELS = 128;

/** Of columns that tell most last, theirs first. */
export function labelsOf(conditions: readonly ConditionColumn[]): Label[] {
  return conditions
    .toReversed()
    .flatMap((one): Label[] =>
      one.kind === 'bins'
        ? [{ column: one.name, level: null }]
        : one.levels.slice(0, MOST_LEVELS).map((level) => ({ column: one.name, level })),
    )
    .slice(0, MOST_LABELS);
}

/** The label in each row, of mean 0 and variance 1: normal scores of ranks, or an indicator; 0 where the cell is missing. */
export function labelValues({ column, level }: Label, table: ModelTable): Float32Array {
  const own = table.columns.get(column);
  const values = new Float32Array(table.rows).fill(Number.NaN);
  if (own?.kind === 'numeric' && level === null) normalScores(own.values, values);
  if (own?.kind === 'category' && level !== null) {
    const code = own.levels.indexOf(level);
    own.codes.forEach((cell, row) => {
      if (cell >= 0) values[row] = cell === code ? 1 : 0;
    });
  }
  return standardised(values);
}

/** Equal numbers have the score of their middle rank. */
function normalScores(numbers: Float64Array, into: Float32Array): void {
  const known = [...numbers.keys()].filter((row) => !Number.isNaN(numbers[row]!));
  known.sort((a, b) => numbers[a]! - numbers[b]!);
  for (let from = 0, to = 0; from < known.length; from = to) {
    while (to < known.length && numbers[known[to]!] === numbers[known[from]!]) to++;
    const score = normalQuantile((from + to) / 2 / known.length);
    for (let at = from; at < to; at++) into[known[at]!] = score;
  }
}

/** Mean 0 and variance 1 of what is known, in place; 0 where nothing is, or all is alike. */
export function standardised(values: Float32Array): Float32Array {
  let [count, sum, squares] = [0, 0, 0];
  for (const x of values) {
    if (Number.isNaN(x)) continue;
    count++;
    sum += x;
    squares += x * x;
  }
  const mean = sum / Math.max(1, count);
  const deviation = Math.sqrt(Math.max(0, squares / Math.max(1, count) - mean * mean));
  const factor = deviation > 1e-6 ? 1 / deviation : 0;
  for (let k = 0; k < values.length; k++) values[k] = Number.isNaN(values[k]!) ? 0 : (values[k]! - mean) * factor;
  return values;
}
