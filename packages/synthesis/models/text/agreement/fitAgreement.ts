/**
 * What texts say of their rows, as a simple model reads them: ridge regressions of each number and frequent level on the
 * frequent words, pairs of words and the length of the text.
 */

import { z } from 'zod';
import { shuffleFirst } from '../../../../numerics/random/draws.ts';
import type { RandomStream } from '../../../../numerics/random/stream.ts';
import type { JsonValue, ModelTable } from '../../model.ts';
import { float32Schema, int32Schema, saveArray } from '../../shared/savedArrays.ts';
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
  /** What its squared differences count for, in (0, 1]. */
  weight: z.number(),
  /** Coefficients of the words, then of the length. */
  coefficients: float32Schema,
});
export type Reader = z.infer<typeof readerSchema>;

export const agreementSchema = z.object({
  /** Entries of the hash that hold a word, ascending. */
  places: int32Schema,
  readers: z.array(readerSchema),
  /** The ridge penalty, per training row. */
  penalty: z.number(),
  /** The column whose levels are the most informative of the texts; null where none is. */
  kind: z.string().nullable(),
  /** Levels between which texts may change rows, of each column of levels; null for rows that have none. */
  levels: z.array(z.object({ column: z.string(), levels: z.array(z.string().nullable()) })),
});
export type Agreement = z.infer<typeof agreementSchema>;

/** With fewer, nothing is fitted. */
const MIN_ROWS = 50;
/** Training rows of the regressions, at most. */
const MAX_ROWS = 20_000;
/** Texts that a word stands in, at least: what fewer have in common is theirs alone. */
const MIN_TEXTS = 7;
const MAX_WORDS = 10_000;
/** The logarithm of the length, of variance 1, times this: it counts for some thirty words of a text of length one. */
const LENGTH_SCALE = 0.1;
/** Ridge penalty, for rows of norm 1. */
const PENALTY = 5;
/** Above what chance gives on average, in standard deviations of a sum of as many squared correlations. */
const BEYOND_CHANCE = 3;

/** The texts' words in given buckets, and their length. */
export function featuresOf(texts: readonly string[], buckets: Int32Array): SparseRows {
  const lengths = standardised(Float32Array.from(texts, (text) => Math.log1p(text.length)));
  return selectBuckets(
    hashWords(texts),
    buckets,
    lengths.map((own) => LENGTH_SCALE * own),
  );
}

/** `texts` are by row of the table; rows without text are left out. */
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

/** Means over rows of label times feature; the label has mean 0. */
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

/**
 * Share of the squared correlations with features that chance hardly gives: of a label that has nothing to do with them each,
 * times the rows, is about a squared normal.
 */
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

/** A column's levels count for one number together, at most: indicators have the variances that they have. */
function varianceOf({ column }: Label, table: ModelTable, values: Float32Array): number {
  if (table.columns.get(column)?.kind !== 'category') return 1;
  const share = values.reduce((count, x) => count + (x > 0 ? 1 : 0), 0) / values.length;
  return share * (1 - share);
}

export const saveAgreement = ({ places, readers, penalty, kind, levels }: Agreement): JsonValue => ({
  places: saveArray(places),
  readers: readers.map(({ label, weight, coefficients }) => ({
    label: { ...label },
    weight,
    coefficients: saveArray(coefficients),
  })),
  penalty,
  kind,
  levels: levels.map(({ column, levels: own }) => ({ column, levels: [...own] })),
});
