/** Data of a report. Real rows appear only as counts of at least five. */
import { z } from 'zod';
import { COLUMN_KINDS } from './columns.ts';
import { ASSOCIATIONS, jobMetricsSchema } from './metrics.ts';
import { softwareSchema } from './receipt.ts';
import { generateRequestSchema } from './requests.ts';
import { judgementSchema } from './verdicts.ts';

/** Minimum rows to name a level absent from the synthetic table. */
export const MIN_LEVEL_ROWS = 20;

/** Bins of an axis; the first and last are open-ended. */
export const axisSchema = z.object({
  column: z.string(),
  kind: z.enum(['numbers', 'levels', 'characters']),
  bins: z.int(),
  /** `at` in bins: 0 is the left edge of the first, 0.5 its centre. */
  ticks: z.array(z.object({ at: z.number(), text: z.string() })),
});
export type Axis = z.output<typeof axisSchema>;

/** Shares of rows per bin, 0 to 1. Fewer than five real rows count as none. */
const shares = z.array(z.number());

export const columnReportSchema = z.object({
  name: z.string(),
  role: z.enum(['target', 'continuous', 'categorical', 'text', 'identifier']),
  axis: axisSchema.nullable(),
  real: shares.nullable(),
  synthetic: shares,
  /** Over all levels or the bins. Null without `real` and in version 0.1. */
  overlap: z.number().nullable(),
  /** Expected overlap of two real samples of this size. */
  overlap_by_chance: z.number().nullable(),
  missing_real: z.number(),
  missing_synthetic: z.number(),
  reason: z.string().nullable(),
});
export type ColumnReport = z.output<typeof columnReportSchema>;

/** Shares of rows, with `bins` of y for each bin of x. */
export const gridSchema = z.object({
  x: axisSchema,
  y: axisSchema,
  measure: z.enum(ASSOCIATIONS),
  strength_real: z.number().nullable(),
  strength_synthetic: z.number().nullable(),
  real: shares,
  synthetic: shares,
});
export type GridReport = z.output<typeof gridSchema>;

const associationGapSchema = z.object({
  measure: z.enum(ASSOCIATIONS),
  columns: z.tuple([z.string(), z.string()]),
  real: z.number(),
  synthetic: z.number(),
});
export type AssociationGap = z.output<typeof associationGapSchema>;

/** Over all pairs, including those outside `matrices`; sizes are absolute. */
const differencesSchema = z.object({
  pairs: z.int(),
  mean: z.number(),
  columns: z.array(
    z.object({
      name: z.string(),
      mean: z.number(),
      largest: z.number(),
      with: z.string(),
    }),
  ),
  largest: z.array(associationGapSchema),
});

/** Identifies the table for its receipt and for holders of the file. */
export const identitySchema = z.object({
  /** SHA-256 of salt and upload, as in the receipt. */
  input_commitment: z.string().nullable(),
  output_sha256: z.string().nullable(),
  output_bytes: z.int().nullable(),
  /** Filled in when the report is sent. */
  receipt_key_id: z.string().nullable().default(null),
});
/** Placeholder; escaping keeps it from occurring by chance. */
export const RECEIPT_KEY_MARK = '<!--receipt key-->';

/** Replaces the job id of tables made or compared without a service. */
export const WITHOUT_JOB = { made: 'library', compared: 'comparison' } as const;

export type ReportIdentity = z.output<typeof identitySchema>;

export const distancesSchema = z.object({
  axis: axisSchema,
  /** Distribution of the distance to the nearest training row. */
  synthetic: shares,
  real: shares,
  /** Unseen rows, or training rows (each to its nearest other). */
  beside: z.enum(['held-out rows', 'training rows']),
  median_synthetic: z.number(),
  median_real: z.number(),
  rows: z.object({ training: z.int(), synthetic: z.int(), real: z.int() }),
});
export type DistancesReport = z.output<typeof distancesSchema>;

/** Quantiles over at least 100 real entities. */
const bandSchema = z.object({ q10: z.number(), q25: z.number(), q50: z.number(), q75: z.number(), q90: z.number() });
export type Band = z.output<typeof bandSchema>;

/** A number along the rows of entities. */
export const sequenceReportSchema = z.object({
  column: z.string(),
  /** By row position; ends when too few real entities remain. */
  real: z.array(bandSchema),
  /** First rows of some entities; null while withheld. */
  synthetic: z.array(z.array(z.number().nullable())).nullable(),
});
export type SequenceReport = z.output<typeof sequenceReportSchema>;

export const reportSchema = z.object({
  /** Version 0.1 has `/1`; newer fields are then null. */
  format: z.literal('synthetic-tables-report/2'),
  job_id: z.string(),
  made_at: z.iso.datetime(),
  file_name: z.string(),
  rows: z.object({ real: z.int(), synthetic: z.int() }),
  identity: identitySchema.nullable(),
  judgements: z.array(judgementSchema),
  columns: z.array(columnReportSchema),
  columns_left_out: z.int(),
  columns_not_used: z.array(z.object({ name: z.string(), kind: z.enum(COLUMN_KINDS) })).nullable(),
  associations: z.object({
    /** If there are many, those with the largest differences. */
    columns: z.array(z.string()),
    rows: z.object({ real: z.int(), synthetic: z.int() }).nullable(),
    differences: differencesSchema.nullable(),
    matrices: z.array(
      z.object({
        measure: z.enum(ASSOCIATIONS),
        pairs: z.array(
          z.object({
            columns: z.tuple([z.int(), z.int()]),
            real: z.number().nullable(),
            synthetic: z.number().nullable(),
          }),
        ),
      }),
    ),
  }),
  /** Most strongly associated pairs of two categories, and of others. */
  contingencies: z.array(gridSchema),
  scatters: z.array(gridSchema),
  distances: distancesSchema.nullable(),
  sequences: z.array(sequenceReportSchema).nullable().default(null),
  text_samples: z.array(z.object({ column: z.string(), texts: z.array(z.string()) })).nullable(),
  request: generateRequestSchema.omit({ job_id: true }),
  software: softwareSchema,
  metrics: jobMetricsSchema,
});
/** A job's report as data: verdicts, figures of columns and pairs, settings and versions. */
export type ReportData = z.output<typeof reportSchema>;

// Uses no real rows without noise.

export const sharedReportSchema = z.object({
  format: z.literal('synthetic-tables-report-for-sharing/1'),
  job_id: z.string(),
  made_at: z.iso.datetime(),
  file_name: z.string(),
  rows: z.object({ synthetic: z.int() }),
  identity: identitySchema.nullable(),
  judgements: z.array(judgementSchema),
  columns: z.array(
    columnReportSchema.pick({
      name: true,
      role: true,
      axis: true,
      synthetic: true,
      missing_synthetic: true,
      reason: true,
    }),
  ),
  columns_left_out: z.int(),
  /** Names only, since kinds derive from cells. */
  columns_not_used: z.array(z.string()),
  /** Strongest associations in the synthetic rows, strongest first. */
  associations: z.array(
    z.object({ measure: z.enum(ASSOCIATIONS), columns: z.tuple([z.string(), z.string()]), synthetic: z.number() }),
  ),
  request: generateRequestSchema.omit({ job_id: true }),
  software: softwareSchema,
  metrics: jobMetricsSchema,
});
/** Shareable part of a report with `privacy`: the promise, its domain, and the synthetic rows by column and pair. */
export type SharedReport = z.output<typeof sharedReportSchema>;

export const AUDIENCES = ['owner', 'sharing'] as const;
/** Reader of a report or status: the owner of the file, or anyone. */
export type Audience = (typeof AUDIENCES)[number];
