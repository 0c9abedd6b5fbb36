/** What one pass over an upload finds: `profile.json`. Later steps ask the profile, not the file. */
import { z } from 'zod';
import {
  type ColumnPicture,
  type ColumnProfile,
  columnProfileSchema,
  previewSchema,
  type Relation,
  relationSchema,
  type SuggestedEntity,
  type SuggestedTarget,
  suggestedEntitySchema,
  suggestedTargetSchema,
} from '../../contract/columns.ts';
import { ENCODINGS } from '../../contract/files.ts';
import type { UploadReply } from '../../contract/replies.ts';
import { formatCell } from '../format/cellFormat.ts';
import { QUANTILE_SHARES } from './quantileSketch.ts';
import { rowDigestSchema } from './rowDigest.ts';

/** Rows kept in the profile, at most. */
export const SAMPLE_ROWS = 5000;

/** How the file is to be read again: the same reading gives the same cells. */
export const dialectSchema = z.discriminatedUnion('format', [
  z.object({
    format: z.literal('csv'),
    encoding: z.enum(ENCODINGS),
    delimiter: z.string(),
    /** Lines above the header that are no part of the table; left out where there are none. */
    skip_lines: z.int().optional(),
  }),
  z.object({ format: z.literal('spreadsheet'), sheet: z.string() }),
]);
export type Dialect = z.infer<typeof dialectSchema>;

export const profileSchema = z.object({
  version: z.literal(1),
  dialect: dialectSchema,
  rows: z.int(),
  columns: z.array(columnProfileSchema),
  warnings: z.array(z.string()),
  /** What columns say of each other, found in the sample. */
  relations: z.array(relationSchema),
  /** Left out in profiles of earlier versions, as is the next. */
  preview: previewSchema.optional(),
  suggested_target: suggestedTargetSchema.nullish(),
  suggested_entity: suggestedEntitySchema.nullish(),
  /** What the privacy ledger knows the table by. Left out in profiles of earlier versions. */
  row_digest: rowDigestSchema.optional(),
  /** A simple random sample of whole rows, column by column in `columns`' order; null is a missing cell. */
  sample: z.object({ rows: z.int(), cells: z.array(z.array(z.string().nullable())) }),
});
export type Profile = z.infer<typeof profileSchema>;

/** A profile as it is kept, and what is reported of the table, ready to be sent: JSON in UTF-8. */
export interface EncodedProfile {
  rows: number;
  profile: Uint8Array<ArrayBuffer>;
  report: Uint8Array<ArrayBuffer>;
}

export const encodeProfile = (profile: Profile): EncodedProfile => ({
  rows: profile.rows,
  profile: new TextEncoder().encode(JSON.stringify(profile)),
  report: new TextEncoder().encode(JSON.stringify(tableReport(profile))),
});

/** Throws where the bytes are no profile. */
export const decodeProfile = (bytes: Uint8Array): Profile =>
  profileSchema.parse(JSON.parse(new TextDecoder().decode(bytes)));

// What is reported of a table: its columns with a picture each, its relations and warnings.

interface ReadTable {
  rows: number;
  columns: readonly ColumnProfile[];
  relations: readonly Relation[];
  warnings: readonly string[];
  preview?: readonly (readonly (string | null)[])[] | undefined;
  suggested_target?: SuggestedTarget | null | undefined;
  suggested_entity?: SuggestedEntity | null | undefined;
}

/** `Object.fromEntries` makes own properties of any name: a column may be called `__proto__`. */
export const tableReport = ({
  columns,
  rows,
  warnings,
  relations,
  preview,
  suggested_target,
  suggested_entity,
}: ReadTable): Omit<UploadReply, 'job_id'> => ({
  columns: columns.map(({ name }) => name),
  col_types: Object.fromEntries(columns.map(({ name, kind }) => [name, kind])),
  n_rows: rows,
  warnings: [...warnings],
  ...(preview && { preview: preview.map((row) => [...row]) }),
  ...(suggested_target !== undefined && { suggested_target }),
  ...(suggested_entity !== undefined && { suggested_entity }),
  profile: { columns: columns.map((column) => columnReport(column, rows)), relations: [...relations] },
});

const columnReport = (column: ColumnProfile, rows: number) => ({
  name: column.name,
  kind: column.kind,
  confidence: column.confidence,
  suggested_role: column.suggested_role,
  evidence: column.evidence,
  runner_up: column.runner_up,
  format: column.format,
  missing: column.missing,
  missing_tokens: column.missing_tokens,
  distinct: column.distinct,
  ...(column.key && { key: column.key }),
  picture: pictureOf(column, rows),
});

// What a small picture of a column's distribution is drawn from: a few figures of its profile.

/** Levels that a picture names; the others are counted together. */
const MAX_LEVELS = 12;

/**
 * Quantiles of numbers and times, the most frequent levels of a category, lengths of texts and identifiers. Null where
 * there is nothing to draw. `rows` is the number of rows of the table.
 */
export function pictureOf(column: ColumnProfile, rows: number): ColumnPicture | null {
  const { kind, numbers, lengths } = column;
  if ((kind === 'continuous' || kind === 'datetime') && numbers && column.format) {
    const { quantiles } = numbers;
    const written = (at: number) => formatCell(quantiles[at]!, column.format!);
    const ends = { low: written(0), middle: written((quantiles.length - 1) / 2), high: written(quantiles.length - 1) };
    return { kind: 'quantiles', probabilities: [...QUANTILE_SHARES], values: quantiles, ...ends };
  }
  if (kind === 'categorical') {
    const levels = column.top_levels.slice(0, MAX_LEVELS);
    const named = levels.reduce((sum, [, count]) => sum + count, 0);
    return { kind: 'levels', levels, others: Math.max(0, rows - column.missing - named) };
  }
  return lengths && kind !== 'empty' ? { kind: 'lengths', ...lengths } : null;
}
