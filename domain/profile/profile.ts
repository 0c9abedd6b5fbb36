/** What one pass over an upload learns: `profile.json`. Later steps ask the profile, not the file. */
import { z } from 'zod';
import { dressSchema, numberFormatSchema } from '../dress/dress.ts';
import { relationSchema } from '../relations/relation.ts';

export type { NumberFormat } from '../dress/dress.ts';

/** Kinds as `col_types` shows them. */
export const COLUMN_KINDS = ['continuous', 'categorical', 'text', 'datetime', 'identifier', 'empty'] as const;
export type ColumnKind = (typeof COLUMN_KINDS)[number];

export const ROLES = ['target', 'continuous', 'categorical', 'text', 'ignore'] as const;
export type Role = (typeof ROLES)[number];

/** Rows kept in the profile, at most. */
export const SAMPLE_ROWS = 5000;

const placedNumber = z.object({ value: z.number(), row: z.int() });

/**
 * Where numbers of a kind stand first, the first row below the header being row 1. Null where there is none, or its row
 * is not known.
 */
const firstNumbersSchema = z.object({
  min: placedNumber.nullable(),
  max: placedNumber.nullable(),
  /** The row of the first 0. */
  zero: z.int().nullable(),
  /** The first number that is not whole. */
  fraction: placedNumber.nullable(),
});

export const columnProfileSchema = z.object({
  name: z.string(),
  kind: z.enum(COLUMN_KINDS),
  /** 0 to 1. */
  confidence: z.number(),
  suggested_role: z.enum(ROLES),
  /** Why, in words, with the numbers of rows; the first row below the header is row 1. */
  evidence: z.array(z.string()),
  /** What the column would be if it were not `kind`; null where nothing else comes near. */
  runner_up: z.object({ kind: z.enum(COLUMN_KINDS), confidence: z.number() }).nullable(),
  missing: z.int(),
  /** The text that stands for a missing cell most often: '' or 'NA', say. */
  missing_token: z.string(),
  /**
   * All texts that stand for a missing cell, with their counts, the most frequent first: '' and its like, and those that
   * only this column's cells show to be ("-999", "-", "."). At most 20.
   */
  missing_tokens: z.array(z.tuple([z.string(), z.int()])),
  /** Exact where `distinct_exact`, else an estimate. */
  distinct: z.int(),
  distinct_exact: z.boolean(),
  /** Most frequent levels with their counts, most frequent first; at most 100, none for free text. */
  top_levels: z.array(z.tuple([z.string(), z.int()])),
  /**
   * How numbers or times are written: null where the cells are neither. `undress` and `redress` read and write them.
   */
  dress: dressSchema.nullable(),
  /** Cells that are numbers, read through `dress` (times as numbers of its unit since 1970), and their format and quantiles (0, 1 %, 5 %, 10 %, … 90 %, 95 %, 99 %, 100 %); null where none is. */
  numbers: z
    .object({
      count: z.int(),
      format: numberFormatSchema,
      mean: z.number(),
      sd: z.number(),
      zeros: z.int(),
      quantiles: z.array(z.number()),
      /** Profiles of earlier versions do not say. */
      first: firstNumbersSchema.optional(),
    })
    .nullable(),
  /** Shortest, mean and longest cell in UTF-16 units, missing cells left out; null where all are missing. */
  lengths: z.object({ min: z.int(), mean: z.number(), max: z.int() }).nullable(),
});
export type ColumnProfile = z.infer<typeof columnProfileSchema>;

/** How the file is to be read again: the same reading gives the same cells. */
export const dialectSchema = z.discriminatedUnion('format', [
  z.object({
    format: z.literal('csv'),
    encoding: z.enum(['utf-8', 'utf-16le', 'utf-16be']),
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
  /** A simple random sample of whole rows, column by column in `columns`' order; null is a missing cell. */
  sample: z.object({ rows: z.int(), cells: z.array(z.array(z.string().nullable())) }),
});
export type Profile = z.infer<typeof profileSchema>;
