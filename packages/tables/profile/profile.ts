/** Defines `profile.json`, which replaces the file for later steps. */
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

export const SAMPLE_ROWS = 5000;

export const dialectSchema = z.discriminatedUnion('format', [
  z.object({
    format: z.literal('csv'),
    encoding: z.enum(ENCODINGS),
    delimiter: z.string(),
    /** Lines above the header; absent if there are none. */
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
  relations: z.array(relationSchema),
  /** Absent in older profiles, as is the next. */
  preview: previewSchema.optional(),
  suggested_target: suggestedTargetSchema.nullish(),
  suggested_entity: suggestedEntitySchema.nullish(),
  /** Identifies the table in the privacy ledger. Absent in older profiles. */
  row_digest: rowDigestSchema.optional(),
  /** A simple random sample of rows, column by column; null is missing. */
  sample: z.object({ rows: z.int(), cells: z.array(z.array(z.string().nullable())) }),
});
export type Profile = z.infer<typeof profileSchema>;

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

/** Throws if the bytes are not a profile. */
export const decodeProfile = (bytes: Uint8Array): Profile =>
  profileSchema.parse(JSON.parse(new TextDecoder().decode(bytes)));

interface ReadTable {
  rows: number;
  columns: readonly ColumnProfile[];
  relations: readonly Relation[];
  warnings: readonly string[];
  preview?: readonly (readonly (string | null)[])[] | undefined;
  suggested_target?: SuggestedTarget | null | undefined;
  suggested_entity?: SuggestedEntity | null | undefined;
}

/** `Object.fromEntries` allows a column called `__proto__`. */
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

/** Rarer levels are counted together. */
const MAX_LEVELS = 12;

/**
 * Quantiles, frequent levels or lengths, by kind; null if there is nothing to draw.
 * @param rows Rows of the table.
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
