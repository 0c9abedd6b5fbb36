/**
 * How closely texts go with their rows: for each label of a row the correlation of what a plain reader makes of a text it
 * has never seen, and of the text's length, with the label itself.
 */
import { z } from 'zod';
import type { RandomStream } from '../../../../numerics/random/stream.ts';
import type { JsonValue, ModelTable } from '../../model.ts';
import { float32Schema, saveArray } from '../../shared/savedArrays.ts';
import type { ConditionColumn } from '../conditions.ts';
import { fitRidge, hashedWords, type SparseRows, scoreOf } from './hashedWords.ts';
import { labelSchema, labelsOf, labelValues, standardised } from './labels.ts';

const readerSchema = z.object({
  label: labelSchema,
  /** Of the hash's places. */
  weights: float32Schema,
  /** Correlations with the label in real rows: of the reader's score, and of the logarithm of the text's length. */
  agreement: z.number(),
  length: z.number(),
});
export type Reader = z.infer<typeof readerSchema>;

export const agreementSchema = z.object({
  readers: z.array(readerSchema),
  /** The column whose levels tell most of the text; null where none does. */
  kind: z.string().nullable(),
});
export type Agreement = z.infer<typeof agreementSchema>;

/** Below, nothing is learnt. */
const LEAST_ROWS = 50;
/** Rows that readers learn from, at most. */
const MOST_ROWS = 5_000;
const FOLDS = 3;
/** What a reader must reach, and that chance alone does not give: in standard errors. */
const LEAST_AGREEMENT = 0.1;
const STANDARD_ERRORS = 3;

/** Logarithms of the texts' lengths, of mean 0 and variance 1. */
export const lengthScores = (texts: readonly string[]): Float32Array =>
  standardised(Float32Array.from(texts, (text) => Math.log1p(text.length)));

/** Readers of the labels that texts tell of. `texts` are by row of the table; rows without text are left out. */
export async function learnAgreement(
  table: ModelTable,
  conditions: readonly ConditionColumn[],
  texts: readonly string[],
  random: RandomStream,
  breathe: () => Promise<void>,
): Promise<Agreement> {
  const kind = conditions.findLast((one) => one.kind === 'levels')?.name ?? null;
  const rows = Int32Array.from(chooseRows(texts, random));
  const readers: Reader[] = [];
  if (rows.length < LEAST_ROWS) return { readers, kind };
  const own = Array.from(rows, (row) => texts[row]!);
  const words = hashedWords(own);
  const lengths = lengthScores(own);
  for (const label of labelsOf(conditions)) {
    const whole = labelValues(label, table);
    const values = standardised(Float32Array.from(rows, (row) => whole[row]!));
    const agreement = await crossValidated(words, values, breathe);
    if (agreement < Math.max(LEAST_AGREEMENT, STANDARD_ERRORS / Math.sqrt(rows.length))) continue;
    const weights = fitRidge(words, everyRow(rows.length), values);
    readers.push({ label, weights, agreement, length: correlation(lengths, values) });
  }
  return { readers, kind };
}

const everyRow = (rows: number): Int32Array => Int32Array.from({ length: rows }, (_, row) => row);

function chooseRows(texts: readonly string[], random: RandomStream): number[] {
  const rows = [...texts.keys()].filter((row) => texts[row] !== '');
  for (let k = 0; k < Math.min(rows.length, MOST_ROWS); k++) {
    const other = k + random.integer(rows.length - k);
    [rows[k], rows[other]] = [rows[other]!, rows[k]!];
  }
  return rows.slice(0, MOST_ROWS);
}

/** Correlation of the label with the scores of readers that have not seen the row. Rows are in random order. */
async function crossValidated(words: SparseRows, values: Float32Array, breathe: () => Promise<void>): Promise<number> {
  const scores = new Float32Array(values.length);
  for (let fold = 0; fold < FOLDS; fold++) {
    await breathe();
    const all = everyRow(values.length);
    const weights = fitRidge(
      words,
      all.filter((row) => row % FOLDS !== fold),
      values,
    );
    for (let row = fold; row < values.length; row += FOLDS) scores[row] = scoreOf(words, row, weights);
  }
  return correlation(standardised(scores), values);
}

/** Of values of mean 0 and variance 1. */
export function correlation(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let k = 0; k < a.length; k++) sum += a[k]! * b[k]!;
  return sum / Math.max(1, a.length);
}

export const saveAgreement = ({ readers, kind }: Agreement): JsonValue => ({
  readers: readers.map(({ label, weights, agreement, length }) => ({
    ...{ label: { ...label }, weights: saveArray(weights), agreement, length },
  })),
  kind,
});
