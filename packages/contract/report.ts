/** What a report shows of a finished job. Of real rows there are counts alone, and none of fewer than five rows. */
import { z } from 'zod';
import { COLUMN_KINDS } from './columns.ts';
import { ASSOCIATIONS, jobMetricsSchema } from './metrics.ts';
import { softwareSchema } from './receipt.ts';
import { generateRequestSchema } from './requests.ts';
import { judgementSchema } from './verdicts.ts';

/** Real rows that a level must have to be named where the synthetic table does not name it. */
export const MIN_LEVEL_ROWS = 20;

/** A row of boxes that cells are counted in; the first and the last hold all that lies beyond. */
export const axisSchema = z.object({
  column: z.string(),
  kind: z.enum(['numbers', 'levels', 'characters']),
  bins: z.int(),
  /** Marks along it, `at` counted in bins: 0 is the left edge of the first one, 0.5 its middle. */
  ticks: z.array(z.object({ at: z.number(), text: z.string() })),
});
export type Axis = z.output<typeof axisSchema>;

/** Shares of the rows that have a cell there, 0 to 1, bin by bin. Fewer than five real rows count as none. */
const shares = z.array(z.number());

export const columnReportSchema = z.object({
  name: z.string(),
  role: z.enum(['target', 'continuous', 'categorical', 'text', 'identifier']),
  axis: axisSchema.nullable(),
  /** Null where there are too few real rows to be drawn. */
  real: shares.nullable(),
  synthetic: shares,
  /**
   * What the two distributions have in common, 0 to 1: over all levels of a category, else over the bins. Null where the real
   * one is not drawn.
   */
  overlap: z.number().nullable(),
  /** What two samples of as many rows of the real distribution have in common, on average. */
  overlap_by_chance: z.number().nullable(),
  missing_real: z.number(),
  missing_synthetic: z.number(),
  /** Why there is nothing to be drawn. */
  reason: z.string().nullable(),
});
export type ColumnReport = z.output<typeof columnReportSchema>;

/** Two columns against each other: shares of the rows, `bins` of y for each bin of x in turn. */
export const gridSchema = z.object({
  x: axisSchema,
  y: axisSchema,
  /** The measure of association of the two columns. */
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

/** Where associations differ: over all pairs, those too that `matrices` leaves out. Sizes are of real − synthetic. */
const differencesSchema = z.object({
  pairs: z.int(),
  mean: z.number(),
  columns: z.array(
    z.object({
      name: z.string(),
      mean: z.number(),
      largest: z.number(),
      /** The other column of the largest one. */
      with: z.string(),
    }),
  ),
  /** The largest first. */
  largest: z.array(associationGapSchema),
});

/** What the table is known by elsewhere: in its receipt, and by whoever has the file. */
export const identitySchema = z.object({
  /** SHA-256 of a salt and the upload, as in the receipt. */
  input_commitment: z.string().nullable(),
  /** Of the table as CSV. */
  output_sha256: z.string().nullable(),
  output_bytes: z.int().nullable(),
  /** The key that the service signs the receipt with; it is filled in when the report is sent. */
  receipt_key_id: z.string().nullable().default(null),
});
/** Where the service writes the key's id into a report's page: what a page says in words is escaped, so none has it by chance. */
export const RECEIPT_KEY_MARK = '<!--receipt key-->';

/** In the place of a job's id where a table was made, or compared, without a service: it has no job and no receipt. */
export const WITHOUT_JOB = { made: 'library', compared: 'comparison' } as const;

export type ReportIdentity = z.output<typeof identitySchema>;

export const distancesSchema = z.object({
  axis: axisSchema,
  /** Shares of rows by their distance to the nearest training row. */
  synthetic: shares,
  real: shares,
  /** Which real rows: those that no model saw, or, where there are none, training rows, each to the nearest other one. */
  beside: z.enum(['held-out rows', 'training rows']),
  median_synthetic: z.number(),
  median_real: z.number(),
  rows: z.object({ training: z.int(), synthetic: z.int(), real: z.int() }),
});
export type DistancesReport = z.output<typeof distancesSchema>;

/** Of the real entities that have such a row: no quantile is of fewer than 100, or of one of them. */
const bandSchema = z.object({ q10: z.number(), q25: z.number(), q50: z.number(), q75: z.number(), q90: z.number() });
export type Band = z.output<typeof bandSchema>;

/** A number that changes within entities, row by row from the first on. */
export const sequenceReportSchema = z.object({
  column: z.string(),
  /** Of the first row, the second, and so on; of none from which on there are too few real entities. */
  real: z.array(bandSchema),
  /** The first rows of the first synthetic entities that have two or more; a missing cell is null. Null while the rows are withheld. */
  synthetic: z.array(z.array(z.number().nullable())).nullable(),
});
export type SequenceReport = z.output<typeof sequenceReportSchema>;

export const reportSchema = z.object({
  format: z.literal('synthetic-tables-report/2'),
  job_id: z.string(),
  made_at: z.iso.datetime(),
  file_name: z.string(),
  rows: z.object({ real: z.int(), synthetic: z.int() }),
  identity: identitySchema.nullable(),
  judgements: z.array(judgementSchema),
  columns: z.array(columnReportSchema),
  /** Columns that are not in `columns`, since there are too many. */
  columns_left_out: z.int(),
  /** Columns of the upload that the request names in no role. */
  columns_not_used: z.array(z.object({ name: z.string(), kind: z.enum(COLUMN_KINDS) })).nullable(),
  associations: z.object({
    /** Of many columns, those whose associations differ most. */
    columns: z.array(z.string()),
    /** Rows that were looked at. */
    rows: z.object({ real: z.int(), synthetic: z.int() }).nullable(),
    differences: differencesSchema.nullable(),
    matrices: z.array(
      z.object({
        measure: z.enum(ASSOCIATIONS),
        /** Pairs by the columns' places; null where it is not defined. */
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
  /** The most strongly tied pairs of two categories, and of others. */
  contingencies: z.array(gridSchema),
  scatters: z.array(gridSchema),
  distances: distancesSchema.nullable(),
  /** Null where each row stands alone. */
  sequences: z.array(sequenceReportSchema).nullable().default(null),
  /** Synthetic ones; null while the rows are withheld. */
  text_samples: z.array(z.object({ column: z.string(), texts: z.array(z.string()) })).nullable(),
  request: generateRequestSchema.omit({ job_id: true }),
  software: softwareSchema,
  metrics: jobMetricsSchema,
});
/** The report of a job as data: verdicts, figures of columns and pairs, settings and versions. */
export type ReportData = z.output<typeof reportSchema>;

// The report of a job with `privacy` that may be handed on. Nothing in it was computed from real rows without noise.

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
  /** Columns that are not in `columns`, since there are too many. */
  columns_left_out: z.int(),
  /** Names alone: what kind of column each is was found in its cells. */
  columns_not_used: z.array(z.string()),
  /** The strongest associations of the synthetic rows, the strongest first. */
  associations: z.array(
    z.object({ measure: z.enum(ASSOCIATIONS), columns: z.tuple([z.string(), z.string()]), synthetic: z.number() }),
  ),
  /** `domain` has what the cells of each column may be. */
  request: generateRequestSchema.omit({ job_id: true }),
  software: softwareSchema,
  metrics: jobMetricsSchema,
});
/** What may be handed on of a table with `privacy`: the promise, its domain, and the synthetic rows by column and pair. */
export type SharedReport = z.output<typeof sharedReportSchema>;

export const AUDIENCES = ['owner', 'sharing'] as const;
/** For whom a report or a status is: the owner of the file, or anybody. */
export type Audience = (typeof AUDIENCES)[number];
