/** Texts as unit vectors of hashed words and word pairs (Weinberger et al., 2009), and their lengths. */

import { z } from 'zod';
import { conjugateGradient } from '../../../../numerics/linalg/conjugateGradient.ts';
import { normalQuantile } from '../../../../numerics/special/normal.ts';
import type { ModelTable } from '../../model.ts';
import type { PrefixColumn } from '../prefixes.ts';

const BUCKETS = 1 << 15;
const MAX_WORDS = 1_000;
const ROUNDS = { most: 60, tolerance: 1e-3 } as const;

/** Row r has entries from[r] … from[r + 1] - 1, by ascending index. */
export interface SparseRows {
  from: Int32Array;
  indices: Int32Array;
  values: Float32Array;
}

export function hashWords(texts: readonly string[]): SparseRows {
  const from = new Int32Array(texts.length + 1);
  const [indices, values]: [number[], number[]] = [[], []];
  texts.forEach((text, row) => {
    const counts = [...countPlaces(text)].sort(([a], [b]) => a - b);
    const length = Math.sqrt(counts.reduce((sum, [, count]) => sum + count * count, 0));
    for (const [bucket, count] of counts) {
      indices.push(bucket);
      values.push(count / length);
    }
    from[row + 1] = indices.length;
  });
  return { from, indices: Int32Array.from(indices), values: Float32Array.from(values) };
}

function countPlaces(text: string): Map<number, number> {
  const words = (text.toLowerCase().match(/[\p{L}\p{N}]{2,}/gu) ?? []).slice(0, MAX_WORDS);
  const counts = new Map<number, number>();
  words.forEach((word, k) => {
    for (const own of k === 0 ? [word] : [word, `${words[k - 1]} ${word}`]) {
      const bucket = bucketOf(own);
      counts.set(bucket, (counts.get(bucket) ?? 0) + 1);
    }
  });
  return counts;
}

/** FNV-1a, folded. */
function bucketOf(word: string): number {
  let hash = 0x811c9dc5;
  for (let k = 0; k < word.length; k++) hash = Math.imul(hash ^ word.charCodeAt(k), 0x01000193);
  return (hash ^ (hash >>> 15)) & (BUCKETS - 1);
}

/** Returns the `most` frequent buckets with at least `least` rows, ascending. */
export function frequentBuckets({ indices }: SparseRows, least: number, most: number): Int32Array {
  const rows = new Int32Array(BUCKETS);
  for (const bucket of indices) rows[bucket]! += 1;
  const full = Array.from(rows.keys()).filter((bucket) => rows[bucket]! >= least);
  full.sort((a, b) => rows[b]! - rows[a]! || a - b);
  return Int32Array.from(full.slice(0, most)).sort();
}

/** Renumbers the given buckets, and appends `last` to each row. */
export function selectBuckets(rows: SparseRows, buckets: Int32Array, last: Float32Array): SparseRows {
  const indexOf = new Int32Array(BUCKETS).fill(-1);
  buckets.forEach((bucket, k) => {
    indexOf[bucket] = k;
  });
  const from = new Int32Array(rows.from.length);
  const [kept, values]: [number[], number[]] = [[], []];
  last.forEach((own, row) => {
    for (let at = rows.from[row]!; at < rows.from[row + 1]!; at++) {
      const index = indexOf[rows.indices[at]!]!;
      if (index < 0) continue;
      kept.push(index);
      values.push(rows.values[at]!);
    }
    kept.push(buckets.length);
    values.push(own);
    from[row + 1] = kept.length;
  });
  return { from, indices: Int32Array.from(kept), values: Float32Array.from(values) };
}

/** Fits ridge coefficients; `values` need mean 0. */
export function fitRidge(
  { from, indices, values: x }: SparseRows,
  features: number,
  values: Float32Array,
  penalty: number,
): Float32Array {
  const add = (into: Float64Array, row: number, times: number): void => {
    for (let at = from[row]!; at < from[row + 1]!; at++) into[indices[at]!]! += times * x[at]!;
  };
  const target = new Float64Array(features);
  values.forEach((value, row) => {
    add(target, row, value);
  });
  const coefficients = conjugateGradient(
    (v, into) => {
      for (let k = 0; k < features; k++) into[k] = penalty * v[k]!;
      for (let row = 0; row + 1 < from.length; row++) {
        let score = 0;
        for (let at = from[row]!; at < from[row + 1]!; at++) score += v[indices[at]!]! * x[at]!;
        add(into, row, score);
      }
    },
    target,
    ROUNDS,
  );
  return Float32Array.from(coefficients);
}

export const labelSchema = z.object({ column: z.string(), level: z.string().nullable() });
/** A level; null for numbers, or for missing levels. */
export type Label = z.infer<typeof labelSchema>;

const MAX_LEVELS = 40;
const MAX_LABELS = 128;

/** Puts the most informative columns first. */
export function labelsOf(conditions: readonly PrefixColumn[]): Label[] {
  return conditions
    .toReversed()
    .flatMap((one): Label[] =>
      one.kind === 'bins'
        ? [{ column: one.name, level: null }]
        : [...one.levels.slice(0, MAX_LEVELS), null].map((level) => ({ column: one.name, level })),
    )
    .slice(0, MAX_LABELS);
}

/** Standardises normal scores of ranks, or an indicator of the level; 0 if unknown. */
export function labelValues({ column, level }: Label, table: ModelTable): Float32Array {
  const own = table.columns.get(column);
  const values = new Float32Array(table.rows).fill(Number.NaN);
  if (own?.kind === 'numeric' && level === null) normalScores(own.values, values);
  if (own?.kind === 'category') {
    const code = level === null ? -1 : own.levels.indexOf(level);
    own.codes.forEach((cell, row) => {
      if (level === null || cell >= 0) values[row] = cell === code ? 1 : 0;
    });
  }
  return standardised(values);
}

/** Equal numbers share their middle rank. */
function normalScores(numbers: Float64Array, into: Float32Array): void {
  const known = [...numbers.keys()].filter((row) => !Number.isNaN(numbers[row]!));
  known.sort((a, b) => numbers[a]! - numbers[b]!);
  for (let from = 0, to = 0; from < known.length; from = to) {
    while (to < known.length && numbers[known[to]!] === numbers[known[from]!]) to++;
    const score = normalQuantile((from + to) / 2 / known.length);
    for (let at = from; at < to; at++) into[known[at]!] = score;
  }
}

/** Standardises in place; NaN and constants become 0. */
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
