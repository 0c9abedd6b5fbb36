/** Ridge regressions of a row's numbers and frequent levels on the words and length of its text. */

import { z } from 'zod';
import { shuffleFirst } from '../../../../numerics/random/draws.ts';
import type { RandomStream } from '../../../../numerics/random/stream.ts';
import type { ModelTable } from '../../model.ts';
import { float32Schema, int32Schema } from '../../shared/savedArrays.ts';
import type { PrefixColumn } from '../prefixes.ts';
import {
  fitRidge,
  frequentBuckets,
  hashWords,
  type Label,
  labelSchema,
  labelsOf,
  labelValues,
  type SparseRows,
  selectBuckets,
  standardised,
} from './hashWords.ts';

const readerSchema = z.object({
  label: labelSchema,
  /** Weight of its squared differences, in (0, 1]. */
  weight: z.number(),
  /** Words, then length. */
  coefficients: float32Schema,
});
export type Reader = z.infer<typeof readerSchema>;

export const agreementSchema = z.object({
  places: int32Schema,
  readers: z.array(readerSchema),
  /** Per training row. */
  penalty: z.number(),
  kind: z.string().nullable(),
  /** Levels (null: missing) whose texts may change rows. */
  levels: z.array(z.object({ column: z.string(), levels: z.array(z.string().nullable()) })),
});
export type Agreement = z.infer<typeof agreementSchema>;

const MIN_ROWS = 50;
const MAX_ROWS = 20_000;
/** Words of fewer texts could identify someone. */
const MIN_TEXTS = 7;
const MAX_WORDS = 10_000;
/** The log length counts for about thirty words. */
const LENGTH_SCALE = 0.1;
/** For rows of norm 1. */
const PENALTY = 5;
/** Standard deviations of a sum of chance correlations. */
const BEYOND_CHANCE = 3;

export function featuresOf(texts: readonly string[], buckets: Int32Array): SparseRows {
  const lengths = standardised(Float32Array.from(texts, (text) => Math.log1p(text.length)));
  return selectBuckets(
    hashWords(texts),
    buckets,
    lengths.map((own) => LENGTH_SCALE * own),
  );
}

export async function fitAgreement(
  table: ModelTable,
  conditions: readonly PrefixColumn[],
  texts: readonly string[],
  random: RandomStream,
  yieldToEventLoop: () => Promise<void>,
): Promise<Agreement> {
  const rows = chooseRows(texts, random);
  const labels = rows.length < MIN_ROWS ? [] : labelsOf(conditions);
  const own = rows.map((row) => texts[row]!);
  const buckets = frequentBuckets(hashWords(own), MIN_TEXTS, MAX_WORDS);
  const features = featuresOf(own, buckets);
  const readers: Reader[] = [];
  for (const label of labels) {
    await yieldToEventLoop();
    const whole = labelValues(label, table);
    const values = standardised(Float32Array.from(rows, (row) => whole[row]!));
    const explained = explainedBeyondChance(features, values, buckets.length + 1);
    if (explained === 0) continue;
    const coefficients = fitRidge(features, buckets.length + 1, values, PENALTY);
    readers.push({ label, weight: explained * varianceOf(label, table, values), coefficients });
  }
  const kind = conditions.findLast((one) => one.kind === 'levels')?.name ?? null;
  return {
    places: buckets,
    readers,
    penalty: PENALTY / Math.max(1, rows.length),
    kind,
    levels: levelsOf(conditions, labels),
  };
}

function levelsOf(conditions: readonly PrefixColumn[], labels: readonly Label[]): Agreement['levels'] {
  return conditions
    .filter((one) => one.kind === 'levels')
    .map(({ name }) => ({
      column: name,
      levels: labels.filter(({ column }) => column === name).map(({ level }) => level),
    }));
}

function chooseRows(texts: readonly string[], random: RandomStream): number[] {
  const rows = [...texts.keys()].filter((row) => texts[row] !== '');
  shuffleFirst(rows, MAX_ROWS, random);
  return rows.slice(0, MAX_ROWS);
}

/** The label has mean 0. */
export function covariancesOf(
  { from, indices, values }: SparseRows,
  label: Float32Array,
  features: number,
): Float64Array {
  const sums = new Float64Array(features);
  label.forEach((own, row) => {
    for (let at = from[row]!; at < from[row + 1]!; at++) sums[indices[at]!]! += own * values[at]!;
  });
  return sums.map((sum) => sum / Math.max(1, label.length));
}

/** Unrelated squared correlations, times rows, are about squared normals. */
function explainedBeyondChance(rows: SparseRows, label: Float32Array, features: number): number {
  const squares = new Float64Array(features);
  rows.indices.forEach((bucket, at) => {
    squares[bucket]! += rows.values[at]! ** 2 / label.length;
  });
  const covariances = covariancesOf(rows, label, features);
  const sum = covariances.reduce((total, own, k) => total + (squares[k]! > 0 ? own ** 2 / squares[k]! : 0), 0);
  const byChance = (features + BEYOND_CHANCE * Math.sqrt(2 * features)) / label.length;
  return sum > byChance ? 1 - byChance / sum : 0;
}

/** A column's levels together count for at most one number. */
function varianceOf({ column }: Label, table: ModelTable, values: Float32Array): number {
  if (table.columns.get(column)?.kind !== 'category') return 1;
  const share = values.reduce((count, x) => count + (x > 0 ? 1 : 0), 0) / values.length;
  return share * (1 - share);
}
